// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/plan/group.hpp>
#include <weft/plan/phases.hpp>

namespace weft::detail {

/// What a plan is for.
enum class target : unsigned char { cpu, gpu };

/// Chooses which values that other kernels read are computed again there instead of being kept in
/// memory: those whose operands the readers load anyway, or nearly so, by a few cheap ops. Between
/// a forward and a backward pass this is the choice of the saved set. A value is the same node
/// wherever it is computed, so it keeps its FMA and its bits. On a GPU elementary functions are
/// cheap, too, but for float64: a kernel computes dozens while it waits for one element.
class recomputation {
 public:
  sequence<char> again;  ///< by node: readers in other groups compute it themselves

  /// Takes values out of `stored` (by node: kept in memory), and groups whose values are now read
  /// out of `sink`.
  constexpr recomputation(const builder& b, const view_maps& maps, const grouping& groups,
                          sequence<char>& stored, sequence<char>& sink, target t)
      : again(b.g.nodes.size(), 0),
        b_(b),
        maps_(maps),
        groups_(groups),
        stored_(stored),
        target_(t) {
    const int n = b.g.size();
    sequence<char> fixed(b.g.nodes.size(),
                         0);  // outputs, and values that some reader needs in memory
    for (int o : b.g.outputs) fixed.first[maps[o].source] = 1;
    sequence<int> first(b.g.nodes.size(), -1), next,
        reader;  // readers in other groups, as lists by value
    for (int i = 0; i < n; ++i) {
      if (!groups.computed.first[i]) continue;
      const node& q = b.g.nodes.first[i];
      const bool plain = op_table[q.op].kind == op_kind::pointwise && !groups.inlined.first[i];
      for (int k = 0; k < 3; ++k) {
        const int x = q.in[k];
        if (x < 0) continue;
        const int s = maps.of.first[x].source;
        if (!stored.first[s]) continue;
        if (groups.group_of.first[s] == groups.group_of.first[i]) continue;
        if (!plain || x != s) fixed.first[s] = 1;
        next.push_back(first.first[s]);
        reader.push_back(i);
        first.first[s] = static_cast<int>(next.size()) - 1;
      }
    }
    for (int v = 0; v < n; ++v) {
      if (!stored.first[v] || fixed.first[v] || groups.role_of.first[v] != role::element) continue;
      if (!cheap(v) || !find_cone(v)) continue;
      sequence<int> readers;
      for (int r = first.first[v]; r >= 0; r = next.first[r]) {
        const int g = groups.group_of.first[reader.first[r]];
        bool known = false;
        for (int k : readers) known = known || k == g;
        if (!known) readers.push_back(g);
      }
      if (readers.empty() || !pays(v, readers)) continue;
      again.first[v] = 1;
      stored.first[v] = 0;
      for (int leaf : leaves_)
        if (groups.group_of.first[leaf] >= 0) sink.first[groups.group_of.first[leaf]] = 0;
    }
  }

 private:
  static constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }
  static constexpr int most_nodes = 8;
  static constexpr int most_in_kernel = 56;

  constexpr bool cheap(int i) const {
    const node& n = b_.g.nodes.first[i];
    return op_table[n.op].kind == op_kind::pointwise &&
           (!is_expensive(n.op) || (target_ == target::gpu && n.type != dtype::float64));
  }

  /// Collects the nodes between v and what is in memory; false where they are too many or not all
  /// cheap.
  constexpr bool find_cone(int v) {
    cone_.clear();
    leaves_.clear();
    sequence<int> work{v};
    while (!work.empty()) {
      const int i = work.back();
      work.pop_back();
      bool known = false;
      for (int c : cone_) known = known || c == i;
      if (known) continue;
      if (static_cast<int>(cone_.size()) == most_nodes) return false;
      cone_.push_back(i);
      for (int x : b_.g.nodes.first[i].in) {
        if (x < 0) continue;
        const int s = maps_.of.first[x].source;
        if (b_.g.nodes.first[s].op == id_of<constant_> || groups_.inlined.first[s]) continue;
        if (!groups_.computed.first[s] || stored_.first[s]) {
          bool seen = false;
          for (int leaf : leaves_) seen = seen || leaf == s;
          if (!seen) leaves_.push_back(s);
        } else if (x == s && cheap(s) && groups_.role_of.first[s] == role::element) {
          work.push_back(s);
        } else {
          return false;
        }
      }
    }
    return true;
  }

  /// Whether computing v again moves fewer bytes than writing it once and reading it in each group.
  /// A sum of several large values is read as it is, unless its readers have all of them: along a
  /// chain of residual sums each kernel would read one more, and be another kernel.
  constexpr bool pays(int v, const sequence<int>& readers) const {
    int more = 0, whole = 0;
    for (int leaf : leaves_) whole += !smaller(leaf, v);
    for (int g : readers) {
      const group& q = groups_.groups.first[g];
      if (static_cast<int>(q.members.size() + q.sources.size() + cone_.size() + leaves_.size()) >
          most_in_kernel)
        return false;
      for (int leaf : leaves_) {
        bool read = smaller(leaf, v);  // which costs little
        for (int s : q.sources) read = read || s == leaf;
        more += !read;
      }
    }
    return more == 0 || (whole <= 1 && more < 1 + static_cast<int>(readers.size()));
  }

  /// Whether a value is known to have fewer elements, where extents need not be numbers.
  constexpr bool smaller(int leaf, int v) const {
    const shape_of &a = b_.g.nodes.first[leaf].shape, &b = b_.g.nodes.first[v].shape;
    if (a.rank != b.rank) return a.rank < b.rank;
    for (int i = 0; i < a.rank; ++i)
      if (a.d[i] == 1 && b.d[i] != 1) return true;
    return false;
  }

  const builder& b_;
  const view_maps& maps_;
  const grouping& groups_;
  const sequence<char>& stored_;
  const target target_;
  sequence<int> cone_, leaves_;
};

}  // namespace weft::detail
