// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/primitive.hpp>

namespace weft {

inline constexpr struct flatten_ final : derived<flatten_, "flatten", 1> {
  static constexpr auto doc = "The elements in row-major order as one axis.";
  static constexpr auto body(auto x) { return x.flattened(); }
} flatten;

}  // namespace weft
