// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/multiply.hpp>
#include <weft/op/primitive.hpp>

#include <cmath>

namespace weft {

struct cos_;
extern const cos_ cos;

inline constexpr struct sin_ final : primitive<sin_, "sin", 1> {
  static constexpr auto doc = "The sine of x radians, elementwise.";
  static constexpr auto vjp(auto g, auto x, auto) { return g * weft::cos(x); }
  static auto cpu(auto x) { using std::sin; return sin(x); }
  static constexpr auto cuda = "sin($0)";
  static auto reference(auto x) { return std::sin(x); }
} sin;

}  // namespace weft
