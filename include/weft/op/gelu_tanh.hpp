// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/add.hpp>
#include <weft/op/multiply.hpp>
#include <weft/op/primitive.hpp>
#include <weft/op/sigmoid.hpp>

namespace weft {

inline constexpr struct gelu_tanh_ final : derived<gelu_tanh_, "gelu_tanh", 1> {
  static constexpr auto doc =
      "The tanh form of gelu: x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))).";
  static constexpr auto body(auto x) {
    x.require_floating(name);
    // (1 + tanh(u)) / 2 is sigmoid(2 u), which does not cancel where u is negative.
    return x * sigmoid(1.59576912160573071176 * (x + 0.044715 * (x * x * x)));
  }
} gelu_tanh;

}  // namespace weft
