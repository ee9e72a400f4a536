// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/primitive.hpp>

namespace weft {

inline constexpr struct bitwise_and_ final : primitive<bitwise_and_, "bitwise_and", 2> {
  static constexpr auto doc = "x & y of integers, logical and of bools, elementwise.";
  static constexpr auto types = detail::typing::logical;
  static constexpr detail::non_differentiable vjp{};
  static auto cpu(auto x, auto y) { return x & y; }
  static constexpr auto cuda = "$0 & $1";
  static auto reference(auto x, auto y) { return decltype(x)(x & y); }
} bitwise_and;

}  // namespace weft
