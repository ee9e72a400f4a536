// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/base/sequence.hpp>

#include <cstdint>

// What the planner says about its decisions to whoever asks while the program runs; planning in
// constant evaluation keeps none of it.
namespace weft::detail {

/// Why a node is not computed in a group, or two groups are not one.
enum class cut : std::uint8_t {
  none,
  checkpoint,      ///< it is computed again for a backward pass, after what was known before
  takes_nothing,   ///< a take, scatter_add or the like computes itself alone
  full,            ///< values, loads or stores of a kernel are bounded
  through_view,    ///< an operand there is read through a view that is not whole axes of it
  whole_first,     ///< an operand there is known when all rows have been walked
  axes_cross,      ///< two operands there walk the axes in different orders
  domain,          ///< loops over other extents
  product,         ///< a product's tiles are not reduced
  columns_differ,  ///< it sums columns over other axes
  rows_differ,     ///< it reduces rows over other axes
  nothing_shared,  ///< of two groups: no large value is read by both
  read_between     ///< of two groups: a group between them reads a value of the first
};

struct fusion_notes {
  struct refusal {
    int what = -1;   ///< a node, or a group that was to move
    int group = -1;  ///< where it was not let in
    cut why{};
    int about = -1;  ///< the operand in question
  };
  sequence<refusal> nodes, groups;
  sequence<int> group_of;   ///< by node, at the end; -1 for leaves, views and inlined numbers
  sequence<int> placed_in;  ///< the same before groups were merged
  sequence<int> source_of;  ///< by node: the node whose elements it is a view of
  sequence<char> inlined;   ///< by node: a number computed anew wherever it is used
  sequence<char> again;     ///< by node: computed again in each kernel that reads it

  template <class Groups, class Maps>
  constexpr void keep(const Groups& g, const Maps& maps, const sequence<char>& computed_again) {
    group_of = g.group_of;
    inlined = g.inlined;
    again = computed_again;
    for (std::size_t i = 0; i < group_of.size(); ++i)
      source_of.push_back(maps[static_cast<int>(i)].source);
  }
};

}  // namespace weft::detail
