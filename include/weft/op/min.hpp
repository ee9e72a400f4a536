// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/reduce.hpp>

namespace weft {

namespace detail {
struct use_minimum_for_two_tensors;
}

inline constexpr struct min_ final : detail::reducing<min_, "min"> {
  static constexpr auto doc =
      "The least element over all axes, or those named; NaN if any is NaN. Ties share the "
      "gradient evenly. Not of bools: see all.";
  static constexpr auto body(const detail::attributes& a, auto x) {
    if (x.type() == dtype::boolean)
      x.fail_because(name, "bools have no order: reduce them by all, as min does in NumPy");
    const auto mask = x.axes(a, name);
    x.require_not_empty(mask, name);
    return x.template reduce<detail::reduce_min_>(mask).squeezed(a, mask);
  }
  using reducing::operator();
  /// Two tensors have no min: `minimum(a, b)` is the elementwise op.
  template <detail::operand X, detail::operand Y>
  detail::use_minimum_for_two_tensors operator()(const X&, const Y&) const = delete;
} min;

}  // namespace weft
