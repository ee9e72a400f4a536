// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include <weft/array/extents.hpp>
#include <weft/base/error.hpp>

// Loops over strided elements, once for each element type rather than for each rank.
namespace weft::detail {

/// Whether elements of this shape and these strides lie side by side in row-major order.
constexpr bool is_row_major(const index_t* shape, const index_t* strides, int rank) {
  index_t step = 1;
  bool contiguous = true;
  for (int i = rank; i-- > 0;) {
    if (shape[i] == 0) return true;
    if (shape[i] != 1 && strides[i] != step) contiguous = false;
    step *= shape[i];
  }
  return contiguous;
}

/// Two strided operands of one shape, with axes of extent 1 dropped and axes merged that both walk
/// as one, so that the inner loop is as long as it can be. Strides may be 0 or negative.
struct paired_axes {
  int rank = 0;
  index_t shape[max_rank]{}, a[max_rank]{}, b[max_rank]{};

  constexpr paired_axes(const index_t* extents, const index_t* a_strides, const index_t* b_strides,
                        int axes) {
    for (int i = 0; i < axes; ++i) {
      if (extents[i] == 1) continue;
      const int last = rank - 1;
      if (rank > 0 && a[last] == a_strides[i] * extents[i] &&
          b[last] == b_strides[i] * extents[i]) {
        shape[last] *= extents[i];
        a[last] = a_strides[i];
        b[last] = b_strides[i];
        continue;
      }
      shape[rank] = extents[i];
      a[rank] = a_strides[i];
      b[rank] = b_strides[i];
      ++rank;
    }
    if (rank == 0) {
      shape[0] = 1;
      rank = 1;
    }
  }
};

/// Calls row(offset into a, offset into b) for every innermost run of the axes.
template <class Row>
void for_each_run(const paired_axes& axes, Row row) {
  index_t at[max_rank]{}, a = 0, b = 0;
  const int outer = axes.rank - 1;
  for (;;) {
    row(a, b);
    int i = outer - 1;
    for (; i >= 0; --i) {
      a += axes.a[i];
      b += axes.b[i];
      if (++at[i] < axes.shape[i]) break;
      a -= axes.a[i] * axes.shape[i];
      b -= axes.b[i] * axes.shape[i];
      at[i] = 0;
    }
    if (i < 0) return;
  }
}

/// to[...] = from[...] for operands that do not overlap.
template <class T>
void copy_strided(T* to, const index_t* to_strides, const T* from, const index_t* from_strides,
                  const index_t* shape, int rank) {
  if (product(shape, rank) == 0) return;
  const paired_axes axes(shape, to_strides, from_strides, rank);
  const int inner = axes.rank - 1;
  const index_t count = axes.shape[inner], a = axes.a[inner], b = axes.b[inner];
  for_each_run(axes, [=](index_t to_offset, index_t from_offset) {
    T* const out = to + to_offset;
    const T* const in = from + from_offset;
    if (count == 1)
      *out = *in;
    else if (a == 1 && b == 1)
      std::memcpy(out, in, static_cast<std::size_t>(count) * sizeof(T));
    else
      for (index_t i = 0; i < count; ++i) out[i * a] = in[i * b];
  });
}

template <class T>
void fill_strided(T* to, const index_t* strides, const index_t* shape, int rank, T value) {
  if (product(shape, rank) == 0) return;
  const paired_axes axes(shape, strides, strides, rank);
  const int inner = axes.rank - 1;
  const index_t count = axes.shape[inner], a = axes.a[inner];
  for_each_run(axes, [=](index_t offset, index_t) {
    for (index_t i = 0; i < count; ++i) to[offset + i * a] = value;
  });
}

/// The bytes that a strided operand may touch, as [first, past).
struct byte_span {
  std::uintptr_t first = 0, past = 0;

  byte_span(const void* data, std::size_t size, const index_t* shape, const index_t* strides,
            int rank) {
    if (product(shape, rank) == 0) return;
    index_t low = 0, high = 0;
    for (int i = 0; i < rank; ++i) (strides[i] < 0 ? low : high) += strides[i] * (shape[i] - 1);
    const auto base = reinterpret_cast<std::uintptr_t>(data);
    const auto bytes = static_cast<index_t>(size);
    first = base + static_cast<std::uintptr_t>(low * bytes);
    past = base + static_cast<std::uintptr_t>((high + 1) * bytes);
  }
  [[nodiscard]] bool overlaps(const byte_span& other) const {
    return first < other.past && other.first < past;
  }
};

/// The strides with which an operand is read where it is assigned to a destination: its own, or 0
/// on an axis of extent 1 that is repeated. Throws shape_error naming both shapes.
template <std::size_t R>
std::array<index_t, R> broadcast_strides(const std::array<index_t, R>& shape,
                                         const std::array<index_t, R>& strides,
                                         const std::array<index_t, R>& to_shape) {
  std::array<index_t, R> out{};
  for (std::size_t i = 0; i < R; ++i) {
    if (shape[i] != to_shape[i] && shape[i] != 1)
      throw_error<shape_error>(
          "weft: cannot assign shape %s to a view of shape %s; extents must be equal, or 1 in the "
          "source",
          shape_text(shape).text, shape_text(to_shape).text);
    out[i] = shape[i] == to_shape[i] ? strides[i] : 0;
  }
  return out;
}

/// Throws value_error for a destination that repeats elements along an axis.
inline void check_writable(const index_t* shape, const index_t* strides, int rank) {
  for (int i = 0; i < rank; ++i)
    if (strides[i] == 0 && shape[i] > 1)
      throw_error<value_error>(
          "weft: cannot write to an expanded view of shape %s: axis %d repeats one element; copy "
          "it "
          "first",
          shape_text(shape, rank).text, i);
}

}  // namespace weft::detail
