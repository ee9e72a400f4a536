// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/mul_zero.hpp>
#include <weft/op/negative.hpp>
#include <weft/op/primitive.hpp>
#include <weft/op/scalar.hpp>

namespace weft {

inline constexpr struct divide_ final : primitive<divide_, "divide", 2> {
  static constexpr auto doc = "x / y, elementwise. Integers truncate; x / 0 is 0.";
  static constexpr auto types = detail::typing::numeric;
  static constexpr bool singular = true;
  /// One division for both: -r / y is the product. Where r is 0 the reciprocal of a divisor that is
  /// almost 0 may be infinite, and mul_zero keeps the product 0.
  static constexpr auto vjp(auto g, auto, auto y, auto r) {
    const auto slope = g / y;
    return std::tuple{slope, -mul_zero(r, slope)};
  }
  static auto cpu(auto x, auto y) { return x / y; }
  static constexpr auto cuda = "divide($0, $1)";
  static auto reference(auto x, auto y) { return detail::divide_value(x, y); }
} divide;

}  // namespace weft
