// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include <weft/base/text.hpp>

namespace weft {

/// Extents, indices and strides (which count elements, not bytes).
using index_t = std::int64_t;

/// An extent that is known only when the program runs.
inline constexpr index_t dyn = -1;

/// The most axes a tensor can have.
inline constexpr int max_rank = 6;

/// The extents of a run-time shape, outermost first.
template <int Rank>
using shape_t = std::array<index_t, static_cast<std::size_t>(Rank)>;

/// What a type says about a shape: `extents<dyn, 128>`.
template <index_t... E>
struct extents {
  static constexpr int rank = static_cast<int>(sizeof...(E));
  static_assert(rank <= max_rank, "weft: a tensor has at most 6 axes");
  static_assert(((E >= 0 || E == dyn) && ...), "weft: an extent is 0 or more, or weft::dyn");

  /// Each extent, dyn where it is not known.
  static constexpr shape_t<rank> array{E...};
  static constexpr bool all_static = ((E != dyn) && ...);
  static constexpr bool all_dynamic = ((E == dyn) && ...);

  /// Whether a run-time shape fits these extents.
  static constexpr bool accepts(const shape_t<rank>& shape) {
    for (std::size_t i = 0; i < array.size(); ++i)
      if (array[i] != dyn && array[i] != shape[i]) return false;
    return true;
  }
};

/// The number of elements of a shape; 1 for rank 0. A product past 2^63 - 1 gives -1.
constexpr index_t product(const index_t* shape, int rank) {
  index_t count = 1;
  bool too_large = false;
  for (int i = 0; i < rank; ++i) {
    if (shape[i] == 0) return 0;  // before any overflow counts: an empty shape is empty
    const bool wraps = __builtin_mul_overflow(count, shape[i], &count);
    too_large = too_large || wraps || shape[i] < 0;
  }
  return too_large ? -1 : count;
}

template <std::size_t R>
constexpr index_t product(const std::array<index_t, R>& shape) {
  return product(shape.data(), static_cast<int>(R));
}

/// Whether two shapes agree. A loop: a call of memcmp takes longer than these few numbers.
constexpr bool same_extents(const index_t* a, const index_t* b, int rank) {
  for (int i = 0; i < rank; ++i)
    if (a[i] != b[i]) return false;
  return true;
}

/// Row-major strides, in elements.
template <std::size_t R>
constexpr std::array<index_t, R> row_major(const std::array<index_t, R>& shape) {
  std::array<index_t, R> strides{};
  index_t step = 1;
  for (std::size_t i = R; i-- > 0;) {
    strides[i] = step;
    step *= shape[i] > 0 ? shape[i] : 1;
  }
  return strides;
}

namespace detail {
[[gnu::cold, gnu::noinline]] inline line_text shape_text(const index_t* shape, int rank) {
  line_text t;
  t.add("(");
  for (int i = 0; i < rank; ++i) {
    if (i > 0) t.add(", ");
    if (shape[i] == dyn)
      t.add("?");
    else
      t.add("%lld", static_cast<long long>(shape[i]));
  }
  t.add(")");
  return t;
}
template <std::size_t R>
line_text shape_text(const std::array<index_t, R>& shape) {
  return shape_text(shape.data(), static_cast<int>(R));
}
}  // namespace detail

/// A shape as errors print it: "(2, 3)", "(5)", "()"; an extent of dyn is "?".
inline std::string to_text(const index_t* shape, int rank) {
  return detail::shape_text(shape, rank).text;
}

template <std::size_t R>
std::string to_text(const std::array<index_t, R>& shape) {
  return to_text(shape.data(), static_cast<int>(R));
}

}  // namespace weft
