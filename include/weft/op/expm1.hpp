// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/add.hpp>
#include <weft/op/multiply.hpp>
#include <weft/op/primitive.hpp>

#include <cmath>

namespace weft {

inline constexpr struct expm1_ final : primitive<expm1_, "expm1", 1> {
  static constexpr auto doc = "exp(x) - 1 without loss near 0, elementwise.";
  static constexpr bool singular = true;
  static constexpr auto vjp(auto g, auto, auto r) { return g * (r + 1); }
  static auto cpu(auto x) { using std::expm1; return expm1(x); }
  static constexpr auto cuda = "expm1($0)";
  static auto reference(auto x) { return std::expm1(x); }
} expm1;

}  // namespace weft
