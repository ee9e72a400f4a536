// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/multiply.hpp>
#include <weft/op/primitive.hpp>
#include <weft/op/sigmoid.hpp>

namespace weft {

inline constexpr struct silu_ final : derived<silu_, "silu", 1> {
  static constexpr auto doc = "x * sigmoid(x), elementwise.";
  static constexpr auto body(auto x) {
    x.require_floating(name);
    return x * sigmoid(x);
  }
} silu;

}  // namespace weft
