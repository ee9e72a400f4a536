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
  constexpr group_merger(const builder& b, const view_maps& maps, grouping& groups,
                         fusion_notes* notes = nullptr)
      : b_(b), maps_(maps), q_(groups), notes_(notes) {
    const int n = static_cast<int>(q_.groups.size());
    if (notes_) notes_->placed_in = q_.group_of;
    if (n < 2) return;
    find_readers();
    for (int g = 0; g + 1 < n; ++g) {
      if (!movable(g)) continue;
      const int first = first_reader(g), last = first < g + reach ? first : g + reach;
      for (int h = g + 1; h <= last && h < n; ++h)
        if (fits(g, h)) {
          move(g, h);
          break;
        } else if (notes_) {
          notes_->groups.push_back({g, h, cut_, -1});
        }
      if (notes_) note_rest(g, last + 1);
    }
  }

 private:
  static constexpr int reach = 6;
  static constexpr int most_members = 44;
  static constexpr int most_sources = 18;
  static constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

  /// The nodes that read each value, in one list.
  constexpr void find_readers() {
    const int n = b_.g.size();
    begin_.assign(at(n + 1), 0);
    int* begin = begin_.first;
    const node* nodes = b_.g.nodes.first;
    const view_map* maps = maps_.of.first;
    for (int i = 0; i < n; ++i) {
      const int x = nodes[i].in[0], y = nodes[i].in[1], z = nodes[i].in[2];
      if (x >= 0) ++begin[maps[x].source + 1];
      if (y >= 0) ++begin[maps[y].source + 1];
      if (z >= 0) ++begin[maps[z].source + 1];
    }
    for (int i = 0, sum = 0; i < n; ++i) begin[i + 1] = sum += begin[i + 1];
    sequence<int> places = begin_;
    readers_.reserve(at(begin[n]));
    int *next = places.first, *readers = readers_.first;
    for (int i = 0; i < n; ++i) {
      const int x = nodes[i].in[0], y = nodes[i].in[1], z = nodes[i].in[2];
      if (x >= 0) readers[next[maps[x].source]++] = i;
      if (y >= 0) readers[next[maps[y].source]++] = i;
      if (z >= 0) readers[next[maps[z].source]++] = i;
    }
    is_output_.assign(at(n), 0);
    for (int o : b_.g.outputs) is_output_.first[maps_.of.first[o].source] = 1;
    first_use_.assign(at(n), static_cast<int>(q_.groups.size()));
    for (int i = n; i-- > 0;)
      if (q_.inlined.first[i]) {
        if (q_.behind.first[i] >= 0) waiting_.push_back(i);
        int& first = first_use_.first[i];
        if (q_.group_of.first[i] >= 0) first = q_.group_of.first[i];
        for (int r = begin_.first[i]; r < begin_.first[i + 1]; ++r) {
          const int h = user(readers_.first[r]);
          if (h >= 0 && h < first) first = h;
        }
      }
  }
  /// The group that runs node r first.
  constexpr int user(int r) const {
    return q_.inlined.first[r] ? first_use_.first[r] : q_.group_of.first[r];
  }
  /// The first other group that reads a value of g.
  constexpr int first_reader(int g) const {
    int first = static_cast<int>(q_.groups.size());
    for (int m : q_.groups.first[g].members)
      for (int r = begin_.first[m], end = begin_.first[m + 1]; r < end; ++r) {
        const int h = user(readers_.first[r]);
        if (h >= 0 && h != g && h < first) first = h;
      }
    return first;
  }

  constexpr bool movable(int g) const {
    const group& a = q_.groups.first[g];
    if (a.kind != group_kind::kernel || a.members.empty() || is_number(a.domain)) return false;
    for (int i : a.members)
      if (q_.is_copy(i)) return false;
    return true;
  }

  constexpr bool refuse(cut why) {
    cut_ = why;
    return false;
  }
  constexpr bool fits(int g, int h) {
    const group &a = q_.groups.first[g], &b = q_.groups.first[h];
    if (!movable(h)) return refuse(cut::takes_nothing);
    if (!(a.domain == b.domain)) return refuse(cut::domain);
    if (a.reduced && b.reduced && a.reduced != b.reduced) return refuse(cut::rows_differ);
    if (a.accumulated && b.accumulated && a.accumulated != b.accumulated)
      return refuse(cut::columns_differ);
    const unsigned rows = a.reduced | b.reduced, columns = a.accumulated | b.accumulated;
    if (rows && columns) {
      unsigned all = 0;
      for (int d = 0; d < a.domain.rank; ++d)
        if (a.domain.d[d] != 1) all |= 1u << d;
      if (columns != (all & ~rows) || (rows & (rows - 1))) return refuse(cut::columns_differ);
    }
    if (static_cast<int>(a.members.size() + b.members.size()) > most_members)
      return refuse(cut::full);
    if (static_cast<int>(a.sources.size() + b.sources.size()) > most_sources)
      return refuse(cut::full);
    // A sum over rows is known when all of them have been walked: nothing there reads it before.
    if (a.accumulated)
      for (int t : b.sources)
        if (q_.group_of.first[t] == g &&
            op_table[b_.g.nodes.first[t].op].kind == op_kind::reduction) {
          unsigned kept = 0;
          for (int d : q_.axes_of.first[t].first)
            if (d >= 0) kept |= 1u << d;
          if (!(kept & a.accumulated)) return refuse(cut::whole_first);
        }
    for (int t : b.sources) {
      if (!(b_.g.nodes.first[t].shape == a.domain)) continue;
      bool shared = q_.group_of.first[t] == g;
      for (int s : a.sources) shared = shared || t == s;
      if (!shared) continue;
      if (!in_step(g, h)) return refuse(cut::axes_cross);
      return few_stores(g, h) || refuse(cut::full);
    }
    return refuse(cut::nothing_shared);
  }
  /// Whether h reads what g computes at the very element that one walk over both is at: a
  /// transposed or reversed value has to be in memory first.
  constexpr bool in_step(int g, int h) const {
    for (int i : q_.groups.first[h].members)
      for (int x : b_.g.nodes.first[i].in) {
        if (x < 0) continue;
        const view_map& m = maps_.of.first[x];
        if (q_.inlined.first[m.source] && q_.behind.first[m.source] >= g) return false;
        if (q_.group_of.first[m.source] != g || q_.inlined.first[m.source]) continue;
        if (!m.aligned) return false;
        const shape_of &s = b_.g.nodes.first[x].shape, &domain = q_.groups.first[h].domain;
        for (int k = 0, d = 0; k < s.rank; ++k) {
          if (s.d[k] == 1) continue;
          // A reduction's operand spans the domain.
          while (d < domain.rank && domain.d[d] == 1) ++d;
          const int here =
              is_reduction(b_.g.nodes.first[i].op) ? d++ : q_.axes_of.first[i].first[k];
          if (m.axis[k] >= 0 && q_.axes_of.first[m.source].first[m.axis[k]] != here) return false;
        }
      }
    return true;
  }
  /// Groups beyond the first that reads a value of g are not tried.
  constexpr void note_rest(int g, int from) {
    if (q_.groups.first[g].members.empty() || first_reader(g) >= from) return;
    for (int h = from; h < static_cast<int>(q_.groups.size()); ++h)
      notes_->groups.push_back({g, h, cut::read_between, first_reader(g)});
  }

  /// Whether a kernel can store the values of both groups that others need.
  constexpr bool few_stores(int g, int h) const {
    const sequence<int>&a = q_.groups.first[g].members, &b = q_.groups.first[h].members;
    if (static_cast<int>(a.size() + b.size()) <= max_kernel_stores) return true;
    int n = 0;
    for (const sequence<int>* members : {&a, &b})
      for (int i : *members) {
        bool needed = is_output_.first[i];
        for (int r = begin_.first[i]; !needed && r < begin_.first[i + 1]; ++r) {
          const int k = q_.group_of.first[readers_.first[r]];
          needed = k != g && k != h;
        }
        n += needed;
      }
    return n <= max_kernel_stores;
  }

  constexpr void move(int g, int h) {
    group &a = q_.groups.first[g], &b = q_.groups.first[h];
    sequence<int> members = a.members, sources = a.sources;
    for (int i : a.members) q_.group_of.first[i] = h;
    for (int i : waiting_)
      if (q_.behind.first[i] == g) q_.behind.first[i] = h;
    for (int i : b.members) members.push_back(i);
    for (int s : b.sources) {
      bool known = q_.group_of.first[s] == h && !q_.inlined.first[s];
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
  }

  const builder& b_;
  const view_maps& maps_;
  grouping& q_;
  fusion_notes* notes_;
  cut cut_{};                      ///< why the last two groups were kept apart
  sequence<int> begin_, readers_;  ///< of value i: readers_[begin_[i]] up to begin_[i + 1]
  sequence<char> is_output_;
  sequence<int> first_use_;  ///< by inlined number: the first group that computes it
  sequence<int> waiting_;    ///< inlined numbers that groups have to run before
};

}  // namespace weft::detail
