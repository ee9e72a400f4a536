// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/exp.hpp>
#include <weft/op/multiply.hpp>
#include <weft/op/negative.hpp>
#include <weft/op/primitive.hpp>

#include <cmath>

namespace weft {

inline constexpr struct erfc_ final : primitive<erfc_, "erfc", 1> {
  static constexpr auto doc = "The complementary error function 1 - erf(x), elementwise.";
  static constexpr auto vjp(auto g, auto x, auto) {
    return g * (-1.1283791670955126 * weft::exp(-(x * x)));
  }
  static auto cpu(auto x) {
    using std::erfc;
    return erfc(x);
  }
  static constexpr auto cuda = "erfc($0)";
  static auto reference(auto x) { return std::erfc(x); }
} erfc;

}  // namespace weft
