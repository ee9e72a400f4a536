// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/primitive.hpp>
#include <weft/op/scalar.hpp>

namespace weft {

inline constexpr struct floor_divide_ final : primitive<floor_divide_, "floor_divide", 2> {
  static constexpr auto doc =
      "floor(x / y), elementwise; for floats by the fmod algorithm. An integer x by 0 gives 0.";
  static constexpr auto types = detail::typing::numeric;
  static constexpr detail::non_differentiable vjp{};
  static auto cpu(auto x, auto y) { return floor_divide(x, y); }
  static constexpr auto cuda = "floor_divide($0, $1)";
  static auto reference(auto x, auto y) { return detail::floor_divide_value(x, y); }
} floor_divide;

}  // namespace weft
