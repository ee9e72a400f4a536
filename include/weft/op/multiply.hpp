// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/primitive.hpp>
#include <weft/op/scalar.hpp>

namespace weft {

inline constexpr struct multiply_ final : primitive<multiply_, "multiply", 2> {
  static constexpr auto doc = "x * y, elementwise.";
  static constexpr auto types = detail::typing::numeric;
  static constexpr auto vjp(auto g, auto x, auto y, auto) { return std::tuple{g * y, g * x}; }
  static auto cpu(auto x, auto y) { return x * y; }
  static constexpr auto cuda = "$0 * $1";
  static auto reference(auto x, auto y) { return detail::wrap_multiply(x, y); }
} multiply;

}  // namespace weft
