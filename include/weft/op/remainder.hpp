// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/floor_divide.hpp>
#include <weft/op/multiply.hpp>
#include <weft/op/negative.hpp>
#include <weft/op/primitive.hpp>
#include <weft/op/scalar.hpp>

namespace weft {

inline constexpr struct remainder_ final : primitive<remainder_, "remainder", 2> {
  static constexpr auto doc =
      "x - floor_divide(x, y) * y, elementwise: the divisor's sign. An integer x by 0 gives x.";
  static constexpr auto types = detail::typing::numeric;
  static constexpr auto vjp(auto g, auto x, auto y, auto) {
    return std::tuple{g, -(g * floor_divide(x, y))};
  }
  static auto cpu(auto x, auto y) { return remainder(x, y); }
  static constexpr auto cuda = "remainder($0, $1)";
  static auto reference(auto x, auto y) { return detail::remainder_value(x, y); }
} remainder;

}  // namespace weft
