// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/multiply.hpp>
#include <weft/op/primitive.hpp>
#include <weft/op/scalar.hpp>
#include <weft/op/sign.hpp>

namespace weft {

inline constexpr struct abs_ final : primitive<abs_, "abs", 1> {
  static constexpr auto doc = "The absolute value, elementwise. The gradient at 0 is 0.";
  static constexpr auto types = detail::typing::numeric;
  static constexpr auto vjp(auto g, auto x, auto) { return g * sign(x); }
  static auto cpu(auto x) { return abs(x); }
  static constexpr auto cuda = "abs($0)";
  static auto reference(auto x) { return detail::abs_value(x); }
} abs;

}  // namespace weft
