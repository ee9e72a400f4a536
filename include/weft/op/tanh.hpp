// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/multiply.hpp>
#include <weft/op/primitive.hpp>
#include <weft/op/subtract.hpp>

#include <cmath>

namespace weft {

inline constexpr struct tanh_ final : primitive<tanh_, "tanh", 1> {
  static constexpr auto doc = "The hyperbolic tangent, elementwise.";
  static constexpr auto vjp(auto g, auto, auto r) { return g * (1 - r * r); }
  static auto cpu(auto x) { using std::tanh; return tanh(x); }
  static constexpr auto cuda = "tanh($0)";
  static auto reference(auto x) { return std::tanh(x); }
} tanh;

}  // namespace weft
