// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/equal.hpp>
#include <weft/op/less.hpp>
#include <weft/op/multiply.hpp>
#include <weft/op/primitive.hpp>
#include <weft/op/scalar.hpp>
#include <weft/op/where.hpp>

namespace weft {

inline constexpr struct minimum_ final : primitive<minimum_, "minimum", 2> {
  static constexpr auto doc =
      "The lesser of x and y, elementwise; NaN if either is NaN. A tie shares its gradient "
      "evenly.";
  static constexpr auto types = detail::typing::numeric;
  static constexpr auto vjp(auto g, auto x, auto y, auto) {
    auto half = g * 0.5;
    auto tie = x == y;
    return std::tuple{where(tie, half, where(x < y, g, 0)), where(tie, half, where(y < x, g, 0))};
  }
  static auto cpu(auto x, auto y) { return minimum(x, y); }
  static constexpr auto cuda = "minimum($0, $1)";
  static auto reference(auto x, auto y) { return detail::minimum_value(x, y); }
} minimum;

}  // namespace weft
