// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/primitive.hpp>
#include <weft/op/scalar.hpp>

namespace weft {

inline constexpr struct negative_ final : primitive<negative_, "negative", 1> {
  static constexpr auto doc = "-x, elementwise.";
  static constexpr auto types = detail::typing::numeric;
  static constexpr auto vjp(auto g, auto, auto) { return -g; }
  static auto cpu(auto x) { return -x; }
  static constexpr auto cuda = "-$0";
  static auto reference(auto x) { return detail::negate_value(x); }
} negative;

}  // namespace weft
