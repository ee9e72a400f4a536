// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <array>
#include <concepts>
#include <limits>
#include <string>
#include <type_traits>

#include <weft/array/extents.hpp>
#include <weft/array/forward.hpp>
#include <weft/array/range.hpp>
#include <weft/base/error.hpp>

namespace weft::detail {

template <class I>
concept integer_index = std::integral<I> && !std::same_as<I, bool>;

/// What may stand in one place of a(...): an integer, a range, or all.
template <class I>
concept axis_index = integer_index<I> || std::same_as<I, range> || std::same_as<I, all_>;

/// The sentences for a wrong a(...).
template <int Rank, class... I>
constexpr auto check_indices() {
  static_assert(sizeof...(I) == Rank,
                "weft: a(i, j, ...): give one index for each axis; all takes a whole axis");
  static_assert((axis_index<I> && ...), "weft: an index is an integer, a range, or all");
  return true;  // deduced, so that g++ instantiates this before what would fail next
}

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_index(index_t index, int axis,
                                                               index_t extent) {
  throw_error<index_error>("weft: index %lld is out of range for axis %d of extent %lld",
                           static_cast<long long>(index), axis, static_cast<long long>(extent));
}

/// An index, counted from the end where negative, checked against its axis.
template <integer_index I>
constexpr index_t checked_index(I given, int axis, index_t extent) {
  index_t index = static_cast<index_t>(given);
  if constexpr (std::unsigned_integral<I> && sizeof(I) >= sizeof(index_t)) {
    // A huge unsigned index must not wrap into one that counts from the end.
    if (index < 0) throw_index(std::numeric_limits<index_t>::max(), axis, extent);
  }
  if (index < 0) index += extent;
  if (index < 0 || index >= extent) [[unlikely]]
    throw_index(static_cast<index_t>(given), axis, extent);
  return index;
}

/// The axes of a view as a(...) makes them out of the axes of its base, one place at a time.
struct axis_walk {
  const index_t* shape;
  const index_t* strides;
  index_t* out_shape;
  index_t* out_strides;
  index_t offset = 0;
  int axis = 0, out = 0;

  template <integer_index I>
  constexpr void take(I index) {
    offset += checked_index(index, axis, shape[axis]) * strides[axis];
    ++axis;
  }
  constexpr void take(const range& r) {
    const resolved_range q = resolve(r, shape[axis]);
    offset += q.first * strides[axis];
    out_shape[out] = q.count;
    // A step is only multiplied in where it is used: it may be as large as index_t allows.
    out_strides[out] = q.count > 1 ? q.step * strides[axis] : strides[axis];
    ++axis;
    ++out;
  }
  constexpr void take(const all_&) {
    out_shape[out] = shape[axis];
    out_strides[out] = strides[axis];
    ++axis;
    ++out;
  }
};

template <class... I>
inline constexpr int kept_axes = (0 + ... + (integer_index<I> ? 0 : 1));

}  // namespace weft::detail
