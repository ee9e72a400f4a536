// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/primitive.hpp>

namespace weft {

inline constexpr struct greater_ final : primitive<greater_, "greater", 2> {
  static constexpr auto doc = "x > y, elementwise; bool.";
  static constexpr auto types = detail::typing::compare;
  static constexpr detail::non_differentiable vjp{};
  static auto cpu(auto x, auto y) { return x > y; }
  static constexpr auto cuda = "$0 > $1";
  static auto reference(auto x, auto y) { return x > y; }
} greater;

}  // namespace weft
