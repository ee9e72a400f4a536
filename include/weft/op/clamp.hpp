// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/bitwise_or.hpp>
#include <weft/op/greater.hpp>
#include <weft/op/less.hpp>
#include <weft/op/not_equal.hpp>
#include <weft/op/primitive.hpp>
#include <weft/op/where.hpp>

namespace weft {

inline constexpr struct clamp_ final : derived<clamp_, "clamp", 3> {
  static constexpr auto doc =
      "x between lo and hi, elementwise; hi where lo > hi; NaN if any of the three is NaN. The "
      "gradient of x is 1 on the closed interval and 0 outside.";
  static constexpr auto body(auto x, auto lo, auto hi) {
    // Selections rather than minimum and maximum, which share the gradient of a tie.
    const bool floating = is_floating(x.type());
    auto low = floating ? (x < lo) | not_equal(lo, lo) : x < lo;
    auto raised = where(low, lo, x);
    auto high = floating ? (raised > hi) | not_equal(hi, hi) : raised > hi;
    return where(high, hi, raised);
  }
} clamp;

}  // namespace weft
