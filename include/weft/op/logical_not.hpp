// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/primitive.hpp>

namespace weft {

inline constexpr struct logical_not_ final : primitive<logical_not_, "logical_not", 1> {
  static constexpr auto doc = "Whether x is false, elementwise.";
  static constexpr auto types = detail::typing::boolean;
  static constexpr detail::non_differentiable vjp{};
  static auto cpu(auto x) { return !x; }
  static constexpr auto cuda = "!$0";
  static auto reference(auto x) { return !x; }
} logical_not;

}  // namespace weft
