// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/graph/builder.hpp>

namespace weft::detail {

/// The first group that may compute each node. What is computed again for a backward pass comes
/// after everything that was known when its first value was asked for: in an earlier kernel it
/// would be kept after all. The floor of a view is its readers'.
class group_floors {
 public:
  explicit constexpr group_floors(const builder& b) : b_(b) {
    bool any = false;
    for (int i = 0, end = b.g.size(); i < end; ++i)
      any = any || b.g.nodes.first[i].op == id_of<barrier_>;
    if (any) floor_.assign(b.g.nodes.size(), 0);
  }

  constexpr int operator[](int i) const { return floor_.empty() ? 0 : floor_.first[i]; }

  /// Finds the floor of node i, whose operands have theirs; so many groups are open.
  constexpr void set(int i, int groups) {
    if (floor_.empty()) return;
    const node& n = b_.g.nodes.first[i];
    int floor = 0;
    if (n.op == id_of<barrier_>) {
      const auto call = static_cast<std::size_t>(n.at.v[0]);
      if (call >= first_group_.size()) first_group_.resize(call + 1, -1);
      if (first_group_[call] < 0) first_group_[call] = groups;
      floor = first_group_[call];
    } else {
      // A node's own group is not below its operands' floor.
      const op_kind kind = op_table[n.op].kind;
      const bool hands_on = kind == op_kind::view || kind == op_kind::leaf;
      for (int x : n.in)
        if (x >= 0 && floor_.first[x] > floor &&
            (hands_on || op_table[b_.g.nodes.first[x].op].kind == op_kind::view))
          floor = floor_.first[x];
    }
    floor_.first[i] = floor;
  }

 private:
  const builder& b_;
  sequence<int> floor_;        ///< by node; empty where nothing is computed again
  sequence<int> first_group_;  ///< by checkpointed call
};

}  // namespace weft::detail
