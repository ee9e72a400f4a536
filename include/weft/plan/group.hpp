// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/plan/floors.hpp>
#include <weft/plan/fusion_notes.hpp>
#include <weft/plan/group_kind.hpp>
#include <weft/plan/kernel.hpp>
#include <weft/plan/view_map.hpp>

namespace weft::detail {

/// Assigns nodes to groups. A node goes to the last group that one of its operands is computed in,
/// if it can be computed there, else to a later one that reads the same memory or whose values its
/// own will meet, else to a new one. Groups therefore run in their order.
class grouping {
 public:
  sequence<group> groups;
  sequence<int> group_of;  ///< by node; -1 for leaves, views and inlined nodes
  sequence<role> role_of;
  /// Numbers computed anew wherever they are used: how many ops that takes, shared ones each time.
  sequence<char> inlined;
  sequence<int> behind;         ///< of these: the last group that has to run before, or -1
  sequence<char> computed;      ///< nodes that the plan computes, as leaves and views are not
  sequence<axis_list> axes_of;  ///< the domain axis of each axis of a node

  static constexpr int usual_members = 44;

  /// No group has more than so many members.
  constexpr grouping(const builder& b, const view_maps& maps, fusion_notes* notes = nullptr,
                     int most_members = usual_members)
      : b_(b), maps_(maps), notes_(notes), floors_(b), most_members_(most_members) {
    const std::size_t n = b.g.nodes.size();
    group_of.assign(n, -1);
    role_of.assign(n, role::none);
    inlined.assign(n, 0);
    behind.assign(n, -1);
    ready_.assign(n, -1);
    axes_of.assign(n, no_axes());
    waiting_.assign(n, 0);
    for (int o : b.g.outputs) ++waiting_.first[maps[o].source];
    user_.assign(n, no_user);
    computed.assign(n, 1);
    copies_.assign(n, 0);
    for (int i = 0, end = b.g.size(); i < end; ++i) {
      const node& q = b.g.nodes.first[i];
      const op_kind k = op_table[q.op].kind;
      if (k == op_kind::leaf || (k == op_kind::view && maps.of.first[i].source != i))
        computed.first[i] = 0;
      if (k == op_kind::view || k == op_kind::identity) copies_.first[i] = 1;
      const int x = q.in[0], y = q.in[1], z = q.in[2];
      if (x >= 0) count_use(i, maps.of.first[x].source);
      if (y >= 0) count_use(i, maps.of.first[y].source);
      if (z >= 0) count_use(i, maps.of.first[z].source);
    }
    for (int i = 0, end = b.g.size(); i < end; ++i) {
      floors_.set(i, static_cast<int>(groups.size()));
      place(i);
      const node& q = b.g.nodes.first[i];
      const int x = q.in[0], y = q.in[1], z = q.in[2];
      if (x >= 0) --waiting_.first[maps.of.first[x].source];
      if (y >= 0) --waiting_.first[maps.of.first[y].source];
      if (z >= 0) --waiting_.first[maps.of.first[z].source];
    }
  }

  constexpr bool is_copy(int i) const { return copies_.first[i]; }
  /// The shape over which a node is computed: its own, but a reshaping copy walks its operand.
  constexpr const shape_of& domain_of(int i) const {
    const node& n = b_.g.nodes.first[i];
    return is_copy(i) || is_reduction(n.op) ? b_.g.nodes.first[n.in[0]].shape : n.shape;
  }

 private:
  static constexpr int most_values = 60;  // leaves room for what inlined numbers are made of
  static constexpr int most_loads = 18;
  static constexpr int most_ops_of_number = 12;

  constexpr void count_use(int i, int source) {
    ++waiting_.first[source];
    if (!computed.first[i]) return;
    int& u = user_.first[source];
    u = u == no_user || u == i ? i : several_users;
  }

  constexpr void place(int i) {
    if (!computed.first[i]) return;
    const node& n = b_.g.nodes.first[i];
    const op_kind kind = op_table[n.op].kind;
    if (kind == op_kind::control) return place_control(i);
    int best = -1;
    for (int k = 0; k < 3; ++k) {
      const int x = n.in[k];
      if (x < 0) continue;
      const int known = ready_.first[maps_.of.first[x].source];
      if (known > best) best = known;
    }
    if (kind == op_kind::matmul || kind == op_kind::other) {
      for (int x : n.in)
        if (x >= 0) materialise(maps_.of.first[x].source);
      join(i, open(kind == op_kind::matmul ? group_kind::product : group_kind::other, n.shape),
           role::element);
      for (int k = 0; k < n.shape.rank; ++k)
        if (n.shape.d[k] != 1) axes_of.first[i].first[k] = static_cast<signed char>(k);
      if (kind == op_kind::other) role_of.first[i] = role::whole;
      return;
    }
    const int floor = floors_[i];
    if (best >= 0 && best >= floor && try_join(i, best)) return;
    if (notes_ && best >= 0 && best < floor)
      notes_->nodes.push_back({i, best, cut::checkpoint, -1});
    const int ops = is_number(domain_of(i)) && !is_copy(i) ? ops_of_number(i) : 0;
    if (ops > 0 && ops <= most_ops_of_number) {
      inlined.first[i] = static_cast<char>(ops);
      set_behind(i);
      ready_.first[i] = best;
      return;
    }
    const int last = static_cast<int>(groups.size()) - 1;
    if (best < floor - 1) best = floor - 1;
    for (int g = best + 1 > last - 6 ? best + 1 : last - 6; g <= last; ++g)
      if (g >= 0 && (shares_source(i, g) || meets(i, g)) && try_join(i, g)) return;
    const int g = open(group_kind::kernel, domain_of(i));
    if (!try_join(i, g)) {
      // Cannot happen: an empty group takes any pointwise node or reduction. Kept whole for the
      // verifier to see.
      join(i, g, role::element);
    }
  }

  /// How many ops a reader of number i computes anew, shared ones each time.
  constexpr int ops_of_number(int i) const {
    int n = 1;
    for (int x : b_.g.nodes.first[i].in)
      if (x >= 0) n += inlined.first[maps_.of.first[x].source];
    return n;
  }

  /// A control node is a step of its own, which makes its results from operands in memory.
  constexpr void place_control(int i) {
    const node& n = b_.g.nodes.first[i];
    if (n.op == id_of<link_>) return materialise(maps_.of.first[n.in[0]].source);
    if (n.op == id_of<result_>) return join(i, group_of.first[n.in[0]], role::whole);
    join(i, open(group_kind::other, n.shape), role::whole);
    for (int link = n.in[0]; link >= 0; link = b_.g.nodes.first[link].in[1])
      if (group_of.first[link] < 0) group_of.first[link] = group_of.first[i];
  }

  /// A kernel can use a number that it computes for all of its elements; whatever else an inlined
  /// number reads is in memory when another kernel has run.
  constexpr void set_behind(int i) {
    for (int x : b_.g.nodes.first[i].in) {
      if (x < 0) continue;
      const int s = maps_.of.first[x].source, g = group_of.first[s];
      int last = g;
      if (inlined.first[s])
        last = behind.first[s];
      else if (g >= 0 && is_number(b_.g.nodes.first[s].shape) && role_of.first[s] == role::row &&
               !is_number(groups.first[g].domain))
        last = -1;
      if (last > behind.first[i]) behind.first[i] = last, any_behind_ = true;
    }
  }
  constexpr bool waits_for(int i, int g) const {
    if (!any_behind_) return false;
    for (int x : b_.g.nodes.first[i].in)
      if (x >= 0 && inlined.first[maps_.of.first[x].source] &&
          behind.first[maps_.of.first[x].source] >= g)
        return true;
    return false;
  }
  constexpr int open(group_kind kind, const shape_of& domain) {
    if (groups.empty()) groups.reserve(group_of.size() / 2 + 1);
    groups.push_back({kind, domain, 0, 0, {}, {}, 0});
    return static_cast<int>(groups.size()) - 1;
  }
  constexpr void join(int i, int g, role r) {
    group& q = groups.first[g];
    q.members.push_back(i);
    const node& n = b_.g.nodes.first[i];
    for (int k = 0; k < 3; ++k) {
      const int x = n.in[k];
      if (x < 0) continue;
      const int source = maps_.of.first[x].source;
      if (!reads_anew(q, g, source)) continue;
      q.sources.push_back(source);
      q.loads += b_.g.nodes.first[source].op != id_of<constant_>;
      q.number_ops += inlined.first[source];
    }
    group_of.first[i] = g;
    ready_.first[i] = g;
    role_of.first[i] = r;
  }
  /// Whether a source would be one more load of a group.
  constexpr bool reads_anew(const group& q, int g, int source) const {
    return (group_of.first[source] != g || inlined.first[source]) && q.lacks(source);
  }

  /// Gives an inlined number memory of its own, for a step that cannot compute it.
  constexpr void materialise(int source) {
    if (!inlined.first[source] || group_of.first[source] >= 0) return;
    join(source, open(group_kind::kernel, b_.g.nodes.first[source].shape), role::element);
  }

  constexpr bool shares_source(int i, int g) const {
    const group& q = groups.first[g];
    if (q.kind != group_kind::kernel) return false;
    const node& n = b_.g.nodes.first[i];
    for (int k = 0; k < 3; ++k) {
      if (n.in[k] < 0) continue;
      const int source = maps_.of.first[n.in[k]].source;
      if (!is_number(b_.g.nodes.first[source].shape) && !q.lacks(source)) return true;
    }
    return false;
  }

  /// Whether node i, or what follows from it alone, will be an operand beside a value of group g:
  /// tanh(a) * sigmoid(b).
  constexpr bool meets(int i, int g) const {
    if (groups.first[g].kind != group_kind::kernel) return false;
    for (int steps = 0, last = i; steps < 8; ++steps) {
      const int u = user_.first[last];
      if (u < 0 || op_table[b_.g.nodes.first[u].op].kind != op_kind::pointwise) return false;
      for (int x : b_.g.nodes.first[u].in)
        if (x >= 0 && maps_.of.first[x].source != last &&
            group_of.first[maps_.of.first[x].source] == g)
          return true;
      last = u;
    }
    return false;
  }

  /// Whether a group can take node i too: a kernel's body, loads and stores are bounded.
  constexpr bool has_room(const group& q, int g, int i) const {
    const int members = static_cast<int>(q.members.size());
    if (members >= most_members_) return false;
    const int sources = static_cast<int>(q.sources.size());
    if (q.loads > most_loads || members + sources > most_values) return false;
    if (members + sources + q.number_ops > max_kernel_nodes - most_ops_of_number) return false;
    if (members + sources + 3 > most_values) {
      int more = 0;
      for (int x : b_.g.nodes.first[i].in)
        more += x >= 0 && reads_anew(q, g, maps_.of.first[x].source);
      if (members + sources + more > most_values) return false;
    }
    if (members < max_kernel_stores) return true;
    int stores = 1;
    for (int m : q.members) {
      int later = waiting_.first[m];
      for (int x : b_.g.nodes.first[i].in) later -= x >= 0 && maps_.of.first[x].source == m;
      stores += later > 0;
    }
    return stores <= max_kernel_stores;
  }

  /// Whether node x is computed in group g, or is a view of what is.
  constexpr bool inside(int x, int g) const {
    const int source = maps_.of.first[x].source;
    return group_of.first[source] == g && !inlined.first[source];
  }
  /// The domain axes of operand x's axes as seen through its source, which is computed in the
  /// group; unknown ones stay -1.
  constexpr bool axes_through(int x, axis_list& out) {
    const view_map& m = maps_.of.first[x];
    const role r = role_of.first[m.source];
    if (r != role::element && r != role::row) return refuse(cut::whole_first, x);
    if (!m.aligned || is_copy(m.source)) return refuse(cut::through_view, x);
    for (int k = 0; k < b_.g.nodes.first[x].shape.rank; ++k)
      if (m.axis[k] >= 0) out.first[k] = axes_of.first[m.source].first[m.axis[k]];
    return true;
  }

  constexpr bool try_join(int i, int g) {
    const group& q = groups.first[g];
    bool joined = false;
    if (q.kind == group_kind::other)
      refuse(cut::takes_nothing);
    else if (!has_room(q, g, i))
      refuse(cut::full);
    else if (waits_for(i, g))
      refuse(cut::through_view);
    else
      joined = is_reduction(b_.g.nodes.first[i].op) ? join_reduction(i, g) : join_pointwise(i, g);
    if (notes_ && !joined) notes_->nodes.push_back({i, g, cut_, about_});
    return joined;
  }
  constexpr bool refuse(cut why, int about = -1) {
    cut_ = why;
    about_ = about;
    return false;
  }

  constexpr bool join_pointwise(int i, int g) {
    const node& n = b_.g.nodes.first[i];
    const group& q = groups.first[g];
    const shape_of& s = domain_of(i);
    axis_list known = no_axes();
    bool any_element = false, any_row = false;
    for (int j = 0; j < 3; ++j) {
      const int x = n.in[j];
      if (x < 0) continue;
      if (!inside(x, g)) continue;
      const int source = maps_.of.first[x].source;
      axis_list seen = no_axes();
      if (!axes_through(x, seen)) return false;
      if (role_of.first[source] == role::element)
        any_element = true;
      else if (role_of.first[source] == role::row)
        any_row = true;
      for (int k = 0; k < s.rank; ++k) {
        if (seen.first[k] < 0) continue;
        if (known.first[k] >= 0 && known.first[k] != seen.first[k])
          return refuse(cut::axes_cross, x);
        known.first[k] = seen.first[k];
      }
    }
    axis_list axes = no_axes();
    if (match_axes(s, q.domain, ~0u, known, axes)) {
      accept(i, g, axes, is_number(q.domain) && any_row ? role::row : role::element);
      return true;
    }
    if (q.reduced && any_row && !any_element && match_axes(s, q.domain, ~q.reduced, known, axes)) {
      accept(i, g, axes, role::row);
      return true;
    }
    return refuse(cut::domain);
  }

  constexpr void accept(int i, int g, const axis_list& axes, role r) {
    join(i, g, r);
    if (is_copy(i))
      return;  // its elements lie in the operand's order: the plan stores them as one run
    axes_of.first[i] = axes;
  }

  constexpr bool join_reduction(int i, int g) {
    const node& n = b_.g.nodes.first[i];
    group& q = groups.first[g];
    if (q.kind != group_kind::kernel) return refuse(cut::product);
    const int x = n.in[0];
    const shape_of& s = b_.g.nodes.first[x].shape;
    axis_list known = no_axes(), axes = no_axes();
    if (inside(x, g) && !axes_through(x, known)) return false;
    if (!match_axes(s, q.domain, ~0u, known, axes)) return refuse(cut::domain);
    unsigned mask = 0;
    int innermost = -1;
    unsigned all = 0;
    for (int d = 0; d < q.domain.rank; ++d)
      if (q.domain.d[d] != 1) innermost = d, all |= 1u << d;
    for (int k = 0; k < s.rank; ++k)
      if (axes.first[k] >= 0 && (n.at.v[0] >> k & 1)) mask |= 1u << axes.first[k];
    role r = role::row;
    if (innermost >= 0 && !(mask >> innermost & 1)) {
      if (q.accumulated && q.accumulated != mask) return refuse(cut::columns_differ);
      if (q.reduced && (mask != (all & ~q.reduced) || !single(q.reduced)))
        return refuse(cut::rows_differ);
      q.accumulated = mask;
      r = role::column;
    } else {
      if (q.reduced && q.reduced != mask) return refuse(cut::rows_differ);
      if (q.accumulated && (q.accumulated != (all & ~mask) || !single(mask)))
        return refuse(cut::columns_differ);
      q.reduced = mask;
    }
    join(i, g, r);
    for (int k = 0; k < s.rank; ++k)
      axes_of.first[i].first[k] = n.at.v[0] >> k & 1 ? static_cast<signed char>(-1) : axes.first[k];
    return true;
  }
  static constexpr bool single(unsigned mask) { return (mask & (mask - 1)) == 0; }

  const builder& b_;
  const view_maps& maps_;
  fusion_notes* notes_;
  group_floors floors_;
  bool any_behind_ = false;  ///< some number waits for a group
  int most_members_;
  cut cut_{};              ///< why the last group was refused
  int about_ = -1;         ///< and over which operand
  sequence<char> copies_;  ///< by node: identities and views
  sequence<int> ready_;    ///< by source: the group after which it is known
  sequence<int> waiting_;  ///< by source: uses that are not placed yet
  sequence<int> user_;     ///< by source: the one node that uses it
  static constexpr int no_user = -1, several_users = -2;
};

}  // namespace weft::detail
