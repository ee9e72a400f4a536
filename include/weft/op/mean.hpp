// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/reduce.hpp>

namespace weft {

inline constexpr struct mean_ final : detail::reducing<mean_, "mean"> {
  static constexpr auto doc =
      "The mean over all axes, or those named; floating dtypes only. NaN where empty.";
  static constexpr auto body(const detail::attributes& a, auto x) {
    x.require_floating(name);
    const auto mask = x.axes(a, name);
    auto total = x.template reduce<detail::reduce_sum_>(mask);
    return (total / x.count(mask)).squeezed(a, mask);
  }
} mean;

}  // namespace weft
