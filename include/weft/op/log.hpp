// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/divide.hpp>
#include <weft/op/primitive.hpp>

#include <cmath>

namespace weft {

inline constexpr struct log_ final : primitive<log_, "log", 1> {
  static constexpr auto doc = "The natural logarithm, elementwise.";
  static constexpr bool singular = true;
  static constexpr auto vjp(auto g, auto x, auto) { return g / x; }
  static auto cpu(auto x) { using std::log; return log(x); }
  static constexpr auto cuda = "log($0)";
  static auto reference(auto x) { return std::log(x); }
} log;

}  // namespace weft
