// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/add.hpp>
#include <weft/op/divide.hpp>
#include <weft/op/primitive.hpp>

#include <cmath>

namespace weft {

inline constexpr struct log1p_ final : primitive<log1p_, "log1p", 1> {
  static constexpr auto doc = "log(1 + x) without loss near 0, elementwise.";
  static constexpr bool singular = true;
  static constexpr auto vjp(auto g, auto x, auto) { return g / (x + 1); }
  static auto cpu(auto x) { using std::log1p; return log1p(x); }
  static constexpr auto cuda = "log1p($0)";
  static auto reference(auto x) { return std::log1p(x); }
} log1p;

}  // namespace weft
