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
      sources;    ///< what its members read from elsewhere, constants and inlined numbers too
  int loads = 0;  ///< of these, the ones in memory
};

enum class role : std::uint8_t { none, element, row, column, whole };

/// An axis for each of some axes; -1: none.
struct axis_list {
  signed char first[max_rank]{};
};

}  // namespace weft::detail
