// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/multiply.hpp>

namespace weft {

inline constexpr struct square_ final : derived<square_, "square", 1> {
  static constexpr auto doc = "x * x, elementwise.";
  static constexpr auto body(auto x) { return x * x; }
} square;

}  // namespace weft
