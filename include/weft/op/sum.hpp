// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/reduce.hpp>

namespace weft {

inline constexpr struct sum_ final : detail::reducing<sum_, "sum"> {
  static constexpr auto doc =
      "The sum over all axes, or those named. Integers and bools accumulate in int64 (unsigned "
      "ones in uint64). An empty sum is 0.";
  static constexpr auto body(const detail::attributes& a, auto x) {
    const auto mask = x.axes(a, name);
    return x.as(x.sum_type()).template reduce<detail::reduce_sum_>(mask).squeezed(a, mask);
  }
} sum;

}  // namespace weft
