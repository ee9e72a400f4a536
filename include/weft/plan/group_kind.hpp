// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/base/sequence.hpp>
#include <weft/graph/shape.hpp>

#include <cstdint>

namespace weft::detail {

enum class group_kind : std::uint8_t { kernel, product, other };

/// Nodes that one step computes.
struct group {
  group_kind kind{};
  shape_of domain{};
  unsigned reduced = 0;      ///< domain axes of its row reductions; the innermost one is among them
  unsigned accumulated = 0;  ///< domain axes of its column reductions
  sequence<int> members;
  sequence<int>
      sources;         ///< what its members read from elsewhere, constants and inlined numbers too
  int loads = 0;       ///< of these, the ones in memory
  int number_ops = 0;  ///< of inlined numbers among them

  constexpr bool lacks(int source) const {
    const int* known = sources.first;
    for (int k = 0, size = static_cast<int>(sources.size()); k < size; ++k)
      if (known[k] == source) return false;
    return true;
  }
};

enum class role : std::uint8_t { none, element, row, column, whole };

/// An axis for each of some axes; -1: none.
struct axis_list {
  signed char first[max_rank]{};
};

constexpr axis_list no_axes() {
  return {{-1, -1, -1, -1, -1, -1}};
}

/// Matches the axes of s to the axes of a domain that are in mask, in order, consistently with
/// what is known.
constexpr bool match_axes(const shape_of& s, const shape_of& domain, unsigned mask,
                          const axis_list& known, axis_list& out) {
  int d = 0;
  out = no_axes();
  for (int k = 0; k < s.rank; ++k) {
    if (s.d[k] == 1) continue;
    while (d < domain.rank && (domain.d[d] == 1 || !(mask >> d & 1))) ++d;
    if (d == domain.rank || domain.d[d] != s.d[k]) return false;
    if (known.first[k] >= 0 && known.first[k] != d) return false;
    out.first[k] = static_cast<signed char>(d++);
  }
  while (d < domain.rank && (domain.d[d] == 1 || !(mask >> d & 1))) ++d;
  return d == domain.rank;
}

}  // namespace weft::detail
