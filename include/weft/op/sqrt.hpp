// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/divide.hpp>
#include <weft/op/multiply.hpp>
#include <weft/op/primitive.hpp>

#include <cmath>

namespace weft {

inline constexpr struct sqrt_ final : primitive<sqrt_, "sqrt", 1> {
  static constexpr auto doc = "The square root, elementwise. The gradient at 0 is +inf.";
  static constexpr bool singular = true;
  static constexpr auto vjp(auto g, auto, auto r) { return g * 0.5 / r; }
  static auto cpu(auto x) { using std::sqrt; return sqrt(x); }
  static constexpr auto cuda = "sqrt($0)";
  static auto reference(auto x) { return std::sqrt(x); }
} sqrt;

}  // namespace weft
