// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/multiply.hpp>
#include <weft/op/primitive.hpp>

#include <cmath>

namespace weft {

inline constexpr struct exp_ final : primitive<exp_, "exp", 1> {
  static constexpr auto doc = "e to the power x, elementwise.";
  static constexpr bool singular = true;
  static constexpr auto vjp(auto g, auto, auto r) { return g * r; }
  static auto cpu(auto x) { using std::exp; return exp(x); }
  static constexpr auto cuda = "exp($0)";
  static auto reference(auto x) { return std::exp(x); }
} exp;

}  // namespace weft
