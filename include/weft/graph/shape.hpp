// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/array/extents.hpp>

// Extents in a graph: numbers, or symbols that stand for numbers known at the call.
namespace weft::detail {

inline constexpr index_t first_symbol = -(index_t{1} << 62);

/// Symbol k as an extent, stride or offset. Everything from first_symbol down is a symbol.
constexpr index_t symbol_extent(int k) {
  return first_symbol - k;
}
constexpr bool is_symbol(index_t e) {
  return e <= first_symbol;
}
constexpr int symbol_number(index_t e) {
  return static_cast<int>(first_symbol - e);
}

/// Rank and extents. Plain arrays: cheaper in constant evaluation than std::array.
struct shape_of {
  int rank = 0;
  index_t d[max_rank]{};

  constexpr bool operator==(const shape_of& o) const {
    if (rank != o.rank) return false;
    for (int i = 0; i < rank; ++i)
      if (d[i] != o.d[i]) return false;
    return true;
  }
};

/// Whether a shape is known to have one element.
constexpr bool is_number(const shape_of& s) {
  for (int i = 0; i < s.rank; ++i)
    if (s.d[i] != 1) return false;
  return true;
}

/// How a symbol follows from others. The order of a and b is canonical where the operation
/// commutes.
enum class extent_kind : std::uint8_t {
  argument,    ///< extent of argument a along axis b
  stride,      ///< stride of argument a along axis b, in elements
  product,     ///< a * b
  sum,         ///< a + b
  quotient,    ///< a / b, exactly; a guard says so
  ceiling,     ///< a / b rounded up
  broadcast,   ///< a where b is 1, else b
  unless_one,  ///< 0 where a is 1, else b: a stride along an axis that may repeat
  least,       ///< the lesser of a and b: an end of a slice
  excess,      ///< a - b, but not less than 0: an end of a slice that counts from the back
  data,        ///< extent along axis b of what host call a returned; b = -1: the number it returned
  number       ///< the integer of rank 0 that argument a is, of dtype b
};

/// Whether a and b of an extent are no extents.
constexpr bool is_leaf(extent_kind k) {
  return k == extent_kind::argument || k == extent_kind::stride || k == extent_kind::data ||
         k == extent_kind::number;
}

struct extent_expr {
  extent_kind kind{};
  index_t a = 0, b = 0;
  constexpr bool operator==(const extent_expr& o) const {
    return kind == o.kind && a == o.a && b == o.b;
  }
};

}  // namespace weft::detail
