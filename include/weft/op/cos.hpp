// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/multiply.hpp>
#include <weft/op/negative.hpp>
#include <weft/op/primitive.hpp>
#include <weft/op/sin.hpp>

#include <cmath>

namespace weft {

inline constexpr struct cos_ final : primitive<cos_, "cos", 1> {
  static constexpr auto doc = "The cosine of x radians, elementwise.";
  static constexpr auto vjp(auto g, auto x, auto) { return -(g * weft::sin(x)); }
  static auto cpu(auto x) { using std::cos; return cos(x); }
  static constexpr auto cuda = "cos($0)";
  static auto reference(auto x) { return std::cos(x); }
} cos;

}  // namespace weft
