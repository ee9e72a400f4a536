// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/primitive.hpp>

#include <cmath>

namespace weft {

inline constexpr struct floor_ final : primitive<floor_, "floor", 1> {
  static constexpr auto doc = "The greatest integer not above x, elementwise.";
  static constexpr detail::non_differentiable vjp{};
  static auto cpu(auto x) { return floor(x); }
  static constexpr auto cuda = "floor($0)";
  static auto reference(auto x) { return std::floor(x); }
} floor;

}  // namespace weft
