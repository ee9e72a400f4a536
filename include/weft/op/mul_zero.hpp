// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/multiply.hpp>
#include <weft/op/primitive.hpp>

namespace weft {

inline constexpr struct mul_zero_ final : primitive<mul_zero_, "mul_zero", 2> {
  static constexpr auto doc =
      "0 where x is 0, else x * y, elementwise: the cotangent rule of ops with infinite "
      "derivatives.";
  static constexpr auto vjp(auto g, auto x, auto y, auto) { return std::tuple{g * y, g * x}; }
  static auto cpu(auto x, auto y) { return select(x == decltype(x)(0), decltype(x)(0), x * y); }
  static constexpr auto cuda = "$0 == 0 ? 0 : $0 * $1";
  static auto reference(auto x, auto y) { return x == 0 ? decltype(x)(0) : x * y; }
} mul_zero;

}  // namespace weft
