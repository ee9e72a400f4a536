// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/primitive.hpp>

namespace weft {

struct slice_range_ final : derived_with<slice_range_, "slice", 1> {
  static constexpr auto doc =
      "Part of an axis: `slice<Axis, Start, Stop, Step>(x)` has the elements Start, Start + Step, "
      "... before Stop. NumPy's bounds: negative ones count from the end, ends beyond the axis "
      "are clipped, a negative step walks backwards.";
  static constexpr auto body(const detail::attributes& a, auto x) { return x.sliced(a); }
};

/// Elements Start, Start + Step, ... before Stop of an axis, by NumPy's rules: negative bounds
/// count from the end, ends beyond the axis are clipped, and a negative step walks backwards.
/// `to_end` and `to_front` are open ends.
template <index_t Axis, index_t Start, index_t Stop, index_t Step = 1, detail::operand X>
constexpr auto slice(const X& x, std::source_location where = std::source_location::current()) {
  return detail::apply_with<slice_range_, detail::attributes{{Axis, Start, Stop, Step}}>(where, x);
}

}  // namespace weft
