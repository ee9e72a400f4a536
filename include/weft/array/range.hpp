// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <limits>
#include <string>

#include <weft/array/extents.hpp>
#include <weft/base/error.hpp>

namespace weft {

struct open_ {};

/// The end of a range that is left open: `range(2, open)` is everything from 2 on.
inline constexpr open_ open{};

/// A slice of an axis, with NumPy's meaning: from start up to, but without, stop. Negative starts
/// and stops count from the end, ends beyond the axis are clipped, a negative step walks backwards:
/// `range(4)`, `range(1, -1)`, `range(0, 8, 2)`, `range(open, open, -1)`. A step of 0 throws
/// value_error.
struct range {
  struct end {
    index_t value = 0;
    bool is_open = true;
    constexpr end(open_) {}
    constexpr end(index_t v) : value(v), is_open(false) {}
    friend constexpr bool operator==(const end&, const end&) = default;
  };

  end start = open, stop = open;
  index_t step = 1;

  constexpr range() = default;
  constexpr explicit range(end stop_at) : stop(stop_at) {}
  constexpr range(end start_at, end stop_at, index_t by = 1)
      : start(start_at), stop(stop_at), step(by) {
    if (by == 0) throw value_error("weft: range: the step is 0; it must be positive or negative");
  }
  friend constexpr bool operator==(const range&, const range&) = default;
};

namespace detail {

/// A range on an axis of known extent: `count` elements at first, first + step, ...
struct resolved_range {
  index_t first = 0, count = 0, step = 1;
};

constexpr index_t clip_end(range::end e, index_t if_open, index_t low, index_t high,
                           index_t extent) {
  if (e.is_open) return if_open;
  const index_t at = e.value < 0 ? e.value + extent : e.value;
  return at < low ? low : at > high ? high : at;
}

constexpr resolved_range resolve(const range& r, index_t extent) {
  // Walking backwards, the ends lie one lower: before the first element is -1.
  const bool forward = r.step > 0;
  const index_t low = forward ? 0 : -1, high = forward ? extent : extent - 1;
  const index_t first = clip_end(r.start, forward ? low : high, low, high, extent);
  const index_t last = clip_end(r.stop, forward ? high : low, low, high, extent);
  const index_t span = forward ? last - first : first - last;
  if (span <= 0) return {0, 0, 1};  // first may lie outside: an empty range starts nowhere
  const index_t stride =
      forward ? r.step
              : -(r.step == std::numeric_limits<index_t>::min() ? r.step + 1 : r.step);
  return {first, (span - 1) / stride + 1, forward ? stride : -stride};
}

}  // namespace detail
}  // namespace weft
