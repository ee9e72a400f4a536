// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/multiply.hpp>
#include <weft/op/primitive.hpp>

#include <cmath>

namespace weft {

inline constexpr struct fma_ final : primitive<fma_, "fma", 3> {
  static constexpr auto doc = "x * y + z rounded once, elementwise; made by the contraction pass.";
  static constexpr auto vjp(auto g, auto x, auto y, auto, auto) {
    return std::tuple{g * y, g * x, g};
  }
  static auto cpu(auto x, auto y, auto z) { return fma(x, y, z); }
  static constexpr auto cuda = "fma($0, $1, $2)";
  static auto reference(auto x, auto y, auto z) { return std::fma(x, y, z); }
} fma;

}  // namespace weft
