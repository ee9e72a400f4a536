// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/reduce.hpp>

namespace weft {

namespace detail {
struct use_maximum_for_two_tensors;
}

inline constexpr struct max_ final : detail::reducing<max_, "max"> {
  static constexpr auto doc =
      "The greatest element over all axes, or those named; NaN if any is NaN. Ties share the "
      "gradient evenly. Not of bools: see any.";
  static constexpr auto body(const detail::attributes& a, auto x) {
    if (x.type() == dtype::boolean)
      x.fail_because(name, "bools have no order: reduce them by any, as max does in NumPy");
    const auto mask = x.axes(a, name);
    x.require_not_empty(mask, name);
    return x.template reduce<detail::reduce_max_>(mask).squeezed(a, mask);
  }
  using reducing::operator();
  /// Two tensors have no max: `maximum(a, b)` is the elementwise op.
  template <detail::operand X, detail::operand Y>
  detail::use_maximum_for_two_tensors operator()(const X&, const Y&) const = delete;
} max;

}  // namespace weft
