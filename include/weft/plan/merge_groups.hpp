// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/plan/group.hpp>

namespace weft::detail {

/// Moves the members of a group into a later one that walks the same domain and reads its large
/// values, or the same ones as it, where nothing in between needs them: the sum of a cotangent over
/// rows goes into the kernel that turns it into another one, and it is read once; a softmax and its
/// gradient become one kernel although the labels are checked in between.
class group_merger {
 public:
  constexpr group_merger(const builder& b, const view_maps& maps, grouping& groups)
      : b_(b), maps_(maps), q_(groups) {
    const int n = static_cast<int>(q_.groups.size());
    if (n < 2) return;
    find_readers();
    for (int g = 0; g + 1 < n; ++g) {
      if (!movable(g)) continue;
      const int last = first_reader_[at(g)] < g + reach ? first_reader_[at(g)] : g + reach;
      for (int h = g + 1; h <= last && h < n; ++h)
        if (fits(g, h)) {
          move(g, h);
          break;
        }
    }
  }

 private:
  static constexpr int reach = 6;
  static constexpr int most_members = 44;
  static constexpr int most_sources = 18;
  static constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

  /// By group, the first other one that reads a value of it.
  constexpr void find_readers() {
    first_reader_.assign(q_.groups.size(), static_cast<int>(q_.groups.size()));
    for (int i = 0; i < b_.g.size(); ++i) {
      const int h = q_.group_of[at(i)];
      if (h < 0) continue;
      for (int x : b_.at(i).in) {
        if (x < 0) continue;
        const int g = q_.group_of[at(maps_[x].source)];
        if (g >= 0 && g != h && h < first_reader_[at(g)]) first_reader_[at(g)] = h;
      }
    }
  }

  constexpr bool movable(int g) const {
    const group& a = q_.groups[at(g)];
    if (a.kind != group_kind::kernel || a.members.empty() || is_number(a.domain)) return false;
    for (int i : a.members)
      if (q_.is_copy(i)) return false;
    return true;
  }

  constexpr bool fits(int g, int h) const {
    const group &a = q_.groups[at(g)], &b = q_.groups[at(h)];
    if (!movable(h) || !(a.domain == b.domain)) return false;
    if (a.reduced && b.reduced && a.reduced != b.reduced) return false;
    if (a.accumulated && b.accumulated && a.accumulated != b.accumulated) return false;
    const unsigned rows = a.reduced | b.reduced, columns = a.accumulated | b.accumulated;
    if (rows && columns) {
      unsigned all = 0;
      for (int d = 0; d < a.domain.rank; ++d)
        if (a.domain.d[d] != 1) all |= 1u << d;
      if (columns != (all & ~rows) || (rows & (rows - 1))) return false;
    }
    if (static_cast<int>(a.members.size() + b.members.size()) > most_members) return false;
    if (static_cast<int>(a.sources.size() + b.sources.size()) > most_sources) return false;
    if (static_cast<int>(a.members.size() + b.members.size()) > max_kernel_stores &&
        stores(g, h) > max_kernel_stores)
      return false;
    for (int t : b.sources) {
      if (!(b_.at(t).shape == a.domain)) continue;
      if (q_.group_of[at(t)] == g) return true;
      for (int s : a.sources)
        if (t == s) return true;
    }
    return false;
  }

  /// Values of two groups that others need.
  constexpr int stores(int g, int h) const {
    sequence<char> needed(b_.g.nodes.size(), 0);
    for (int o : b_.g.outputs) needed[at(maps_[o].source)] = 1;
    for (int i = 0; i < b_.g.size(); ++i) {
      const int k = q_.group_of[at(i)];
      if (k == g || k == h) continue;
      for (int x : b_.at(i).in)
        if (x >= 0) needed[at(maps_[x].source)] = 1;
    }
    int n = 0;
    for (int k : {g, h})
      for (int i : q_.groups[at(k)].members) n += needed[at(i)];
    return n;
  }

  constexpr void move(int g, int h) {
    group &a = q_.groups[at(g)], &b = q_.groups[at(h)];
    sequence<int> members = a.members, sources = a.sources;
    for (int i : a.members) q_.group_of[at(i)] = h;
    for (int i : b.members) members.push_back(i);
    for (int s : b.sources) {
      bool known = q_.group_of[at(s)] == h && !q_.inlined[at(s)];
      for (int t : a.sources) known = known || t == s;
      if (!known) sources.push_back(s);
    }
    b.members = std::move(members);
    b.sources = std::move(sources);
    b.loads += a.loads;
    b.reduced |= a.reduced;
    b.accumulated |= a.accumulated;
    a.members.clear();
    a.sources.clear();
    a.loads = 0;
    find_readers();
  }

  const builder& b_;
  const view_maps& maps_;
  grouping& q_;
  sequence<int> first_reader_;
};

}  // namespace weft::detail
