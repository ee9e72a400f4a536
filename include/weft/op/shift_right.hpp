// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/primitive.hpp>
#include <weft/op/scalar.hpp>

namespace weft {

inline constexpr struct shift_right_ final : primitive<shift_right_, "shift_right", 2> {
  static constexpr auto doc =
      "x >> y, elementwise; 0, or -1 where x is negative, where y is the width or more.";
  static constexpr auto types = detail::typing::integral;
  static constexpr detail::non_differentiable vjp{};
  static auto cpu(auto x, auto y) { return x >> y; }
  static constexpr auto cuda = "shift_right($0, $1)";
  static auto reference(auto x, auto y) { return detail::shift_right_value(x, y); }
} shift_right;

}  // namespace weft
