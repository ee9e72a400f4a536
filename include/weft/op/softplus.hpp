// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/abs.hpp>
#include <weft/op/add.hpp>
#include <weft/op/exp.hpp>
#include <weft/op/log1p.hpp>
#include <weft/op/maximum.hpp>
#include <weft/op/multiply.hpp>
#include <weft/op/negative.hpp>
#include <weft/op/primitive.hpp>
#include <weft/op/sigmoid.hpp>

namespace weft {

inline constexpr struct softplus_ final : derived<softplus_, "softplus", 1> {
  static constexpr auto doc = "log(1 + exp(x)), elementwise, without overflow.";
  static constexpr auto body(auto x) {
    x.require_floating(name);
    return maximum(x, 0) + log1p(exp(-abs(x)));
  }
  /// Its own: one sigmoid, exact in both tails.
  static constexpr auto vjp(auto g, auto x, auto) { return g * sigmoid(x); }
} softplus;

}  // namespace weft
