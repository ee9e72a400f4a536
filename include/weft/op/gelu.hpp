// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/erfc.hpp>
#include <weft/op/multiply.hpp>
#include <weft/op/primitive.hpp>

namespace weft {

inline constexpr struct gelu_ final : derived<gelu_, "gelu", 1> {
  static constexpr auto doc =
      "x times the normal distribution function of x: the exact form, through erfc, which keeps "
      "the tail at -6.";
  static constexpr auto body(auto x) {
    x.require_floating(name);
    return 0.5 * x * erfc(x * -0.70710678118654752440);
  }
} gelu;

}  // namespace weft
