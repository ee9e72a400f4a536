// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/accumulate.hpp>

// What a kernel is called with, whole or in part, and the scratch that it needs.
namespace weft::detail {

/// How a team shares one call: the part of it that a thread does.
struct kernel_part {
  enum class kind : std::uint8_t {
    blocks,         ///< a pass over some of a single row's blocks: leaves their sums in partial
    finish_blocks,  ///< folds those sums, in order, into totals
    finish_row,     ///< what follows from the last totals
    rows,        ///< some of the rows of a column: leaves the sums of each chunk of rows in partial
    finish_rows  ///< folds the chunks, in order, and writes the columns
  };
  kind what{};
  int phase = 0;
  index_t row = 0;               ///< elements of the whole row
  index_t first = 0, count = 0;  ///< the first element of the part; blocks or chunks to fold
  std::byte* totals = nullptr;   ///< 8 bytes for each node
  std::byte* partial =
      nullptr;  ///< 8 bytes for each node and block; a row of sums for each column and chunk
};

/// What a kernel runs on. Accesses are its loads, then its stores.
struct kernel_call {
  int rows = 0, segments = 0;  ///< loops; the innermost one comes after them
  const index_t* extent = nullptr;
  const index_t (*stride)[max_loops] = nullptr;  ///< by access, in elements
  std::byte* const* base = nullptr;              ///< by access; of positions, the number itself
  std::byte* scratch = nullptr;
  const kernel_part* part = nullptr;
  const void* code = nullptr;  ///< of a kernel that is interpreted
};

/// Bytes of scratch for a kept value of a row, or for a column's sums.
constexpr std::size_t row_bytes(index_t n) {
  return rounded_up((static_cast<std::size_t>(n) + 64) * 8);
}

/// Bytes of scratch that a kernel needs for rows of this many elements (whole rows, segments and
/// all).
template <class Kernel>
constexpr std::size_t scratch_bytes(const Kernel& k, index_t row, index_t inner) {
  std::size_t bytes = 0;
  for (int i = 0; i < k.size; ++i)
    if (k.nodes[i].kept) bytes += row_bytes(row);
  for (int s = 0; s < k.store_count; ++s)
    if (k.stores[s].kind == store_kind::column) bytes += 2 * row_bytes(inner);
  return bytes;
}

/// Where index n of `count` loops from `first` on moves each access, in bytes.
template <class A>
[[gnu::cold, gnu::noinline]] void locate(const kernel_call& c, int first, int count, index_t n,
                                         int accesses, const int* sizes, index_t* by) {
  for (int a = 0; a < accesses; ++a) by[a] = 0;
  for (int l = first + count; l-- > first;) {
    const index_t at = n % c.extent[l];
    n /= c.extent[l];
    for (int a = 0; a < accesses; ++a) by[a] += at * c.stride[a][l] * sizes[a];
  }
}

}  // namespace weft::detail
