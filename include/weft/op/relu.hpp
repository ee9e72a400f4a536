// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/greater.hpp>
#include <weft/op/primitive.hpp>
#include <weft/op/scalar.hpp>
#include <weft/op/where.hpp>

namespace weft {

inline constexpr struct relu_ final : primitive<relu_, "relu", 1> {
  static constexpr auto doc = "max(x, 0), elementwise; NaN stays NaN. The gradient at 0 is 0.";
  static constexpr auto types = detail::typing::numeric;
  static constexpr auto vjp(auto g, auto x, auto) { return where(x > 0, g, 0); }
  static auto cpu(auto x) { return select(x <= decltype(x)(0), decltype(x)(0), x); }
  static constexpr auto cuda = "relu($0)";
  static auto reference(auto x) { return detail::relu_value(x); }
} relu;

}  // namespace weft
