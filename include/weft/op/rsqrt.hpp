// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/divide.hpp>
#include <weft/op/multiply.hpp>
#include <weft/op/primitive.hpp>

#include <cmath>

namespace weft {

inline constexpr struct rsqrt_ final : primitive<rsqrt_, "rsqrt", 1> {
  static constexpr auto doc = "1 / sqrt(x), elementwise.";
  static constexpr bool singular = true;
  static constexpr auto vjp(auto g, auto x, auto r) { return g * (-0.5 * r / x); }
  static auto cpu(auto x) { return rsqrt(x); }
  static constexpr auto cuda = "rsqrt_exact($0)";
  static auto reference(auto x) { return decltype(x)(1) / std::sqrt(x); }
} rsqrt;

}  // namespace weft
