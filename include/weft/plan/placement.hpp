// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/plan/group.hpp>

namespace weft::detail {

/// What a load or store of a kernel touches, by axes: of its domain, or of a value.
struct window {
  int source = -1;  ///< the node whose buffer it is
  index_t offset = 0;
  index_t stride[max_rank]{};
  constexpr bool operator==(const window& o) const {
    if (source != o.source || offset != o.offset) return false;
    for (int i = 0; i < max_rank; ++i)
      if (stride[i] != o.stride[i]) return false;
    return true;
  }
};

/// Where values lie: in memory of their own, or in that of a concat which is their only reader, so
/// that it copies nothing.
class placement {
 public:
  sequence<int> into;  ///< by node: the concat that it is a part of, or -1

  constexpr placement(builder& b, const view_maps& maps) : b_(b), maps_(maps) {}

  constexpr void find(const grouping& groups) {
    const int n = b_.g.size();
    into.assign(at(n), -1);
    bool any = false;
    for (const node& q : b_.g.nodes) any = any || q.op == id_of<concat_>;
    if (!any) return;
    sequence<int> uses(at(n), 0);
    for (const node& q : b_.g.nodes)
      for (int x : q.in)
        if (x >= 0) ++uses.first[maps_.of.first[x].source];
    for (int o : b_.g.outputs) ++uses.first[maps_.of.first[o].source];
    for (int i = 0; i < n; ++i) {
      if (b_.g.nodes.first[i].op != id_of<concat_>) continue;
      for (int k = 0; k < 2; ++k) {
        const int s = b_.g.nodes.first[i].in[k];
        if (maps_.of.first[s].source != s || uses.first[s] != 1 || groups.inlined.first[s])
          continue;
        const int g = groups.group_of.first[s];
        if (g < 0) continue;
        const role r = groups.role_of.first[s];
        const bool kernel = groups.groups.first[g].kind == group_kind::kernel &&
                            !groups.is_copy(s) && (r == role::element || r == role::row);
        if (kernel || b_.g.nodes.first[s].op == id_of<concat_>) into.first[s] = i;
      }
    }
  }

  /// Parts of a result are written when nothing can fail any more, others before they are read. A
  /// group that others read comes too early for a part of a result.
  constexpr void settle(const grouping& groups, sequence<char>& sink) {
    for (int results = 0; results < 2; ++results)
      for (std::size_t s = 0; s < into.size(); ++s) {
        if (into[s] < 0) continue;
        char& own = sink.first[groups.group_of[s]];
        if (!sink.first[groups.group_of.first[home(static_cast<int>(s)).source]])
          own = 0;
        else if (results && !own)
          into[s] = -1;
      }
  }

  /// Where the elements of node i lie, by its axes.
  constexpr window home(int i) const {
    window w{i, 0, {}};
    if (into.first[i] < 0) {
      maps_.row_major(b_.g.nodes.first[i].shape, w.stride);
      return w;
    }
    index_t start[max_rank]{};
    while (into.first[w.source] >= 0) {
      const node& c = b_.g.nodes.first[into.first[w.source]];
      const std::size_t axis = at(static_cast<int>(c.at.v[0]));
      if (c.in[1] == w.source)
        start[axis] = b_.sum(start[axis], b_.g.nodes.first[c.in[0]].shape.d[axis]);
      w.source = into.first[w.source];
    }
    maps_.row_major(b_.g.nodes.first[w.source].shape, w.stride);
    for (int d = 0; d < max_rank; ++d)
      if (start[d] != 0) w.offset = b_.sum(w.offset, b_.multiply(start[d], w.stride[d]));
    return w;
  }

 private:
  static constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }
  builder& b_;
  const view_maps& maps_;
};

}  // namespace weft::detail
