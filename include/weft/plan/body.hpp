// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/plan/placement.hpp>
#include <weft/plan/program.hpp>

namespace weft::detail {

/// Turns a group into a kernel: the body in the order of its members, loads made once for each
/// window.
class body_builder {
 public:
  kernel k;
  sequence<window> loads, stores;

  /// Places of a graph's nodes in the kernel at hand, shared by the kernels of a plan.
  struct places {
    sequence<int> place, clone;  ///< room for all nodes: of those whose owner is the group at work
    sequence<int> owner;
    explicit constexpr places(std::size_t n) : owner(n, -1) {
      place.reserve(n);
      clone.reserve(n);
    }
  };

  constexpr body_builder(builder& b, const view_maps& maps, const grouping& groups,
                         const sequence<char>& stored, const sequence<char>& again,
                         const placement& homes, int g, places& shared)
      : b_(b),
        maps_(maps),
        groups_(groups),
        stored_(stored),
        again_(again),
        homes_(homes),
        g_(g),
        q_(groups.groups.first[g]),
        shared_(shared) {
    for (int d = 0; d < q_.domain.rank; ++d)
      if (q_.domain.d[d] != 1) innermost_ = d;
  }

  /// Where the tile of a product enters: a load of its own source, not rounded to 16 bits yet.
  constexpr void add_tile(int i) {
    window w{i, 0, {}};
    maps_.row_major(q_.domain, w.stride);
    place(i) = add_load(w, computed_in(b_.g.nodes.first[i].type));
  }

  constexpr void add(int i) {
    const node& n = b_.g.nodes.first[i];
    if (groups_.is_copy(i)) {
      place(i) = operand(i, n.in[0]);
    } else {
      kernel_node m;
      m.op = n.op;
      m.type = type_in_kernel(n);
      for (int j = 0; j < op_table[n.op].arity; ++j)
        m.in[j] = static_cast<signed char>(operand(i, n.in[j]));
      m.at = groups_.role_of.first[i] == role::row ? level::row : level::element;
      if (groups_.role_of.first[i] == role::column) {
        if (stored_.first[i]) add_store(i, m.in[0], store_kind::column, n.op);
        return;
      }
      place(i) = append(m);
    }
    if (!stored_.first[i]) return;
    const bool row = groups_.role_of.first[i] == role::row && !is_number(q_.domain);
    add_store(i, place(i), row ? store_kind::row : store_kind::element, 0);
  }

  constexpr bool too_large() const {
    return k.size > max_kernel_nodes || k.store_count > max_kernel_stores ||
           k.loads > max_kernel_loads;
  }

 private:
  constexpr void own(int i) {
    if (shared_.owner.data()[i] == g_) return;
    shared_.owner.data()[i] = g_;
    shared_.place.data()[i] = shared_.clone.data()[i] = -1;
  }
  constexpr int& place(int i) {
    own(i);
    return shared_.place.data()[i];
  }
  constexpr int& clone(int i) {
    own(i);
    return shared_.clone.data()[i];
  }
  constexpr int append(const kernel_node& m) { return k.add(m); }
  /// 16-bit values are floats in a kernel, from their loads to their stores; a cast rounds.
  static constexpr dtype type_in_kernel(const node& n) {
    return n.op == id_of<cast_> ? n.type : computed_in(n.type);
  }

  /// The kernel's node for operand x of node i.
  constexpr int operand(int i, int x) {
    const view_map& m = maps_.of.first[x];
    const int s = m.source;
    const node& n = b_.g.nodes.first[s];
    if (groups_.group_of.first[s] == g_ && !groups_.inlined.first[s]) return place(s);
    if (groups_.inlined.first[s]) return inlined(s);
    if (again_.first[s]) return computed_again(i, s);
    if (n.op == id_of<constant_>) {
      if (clone(s) < 0) {
        kernel_node c;
        c.op = n.op;
        c.type = type_in_kernel(n);
        c.bits = n.at.v[0];
        c.at = level::row;
        clone(s) = append(c);
      }
      return clone(s);
    }
    window w{s, m.offset, {}};
    for (int a = 0; a < b_.g.nodes.first[x].shape.rank; ++a) {
      const int d = axis_in_domain(i, a);
      if (d >= 0) w.stride[d] = m.stride[a];
    }
    return add_load(w, n.type);
  }

  /// A value of another group, computed anew where node i of this one reads it; both have one
  /// shape.
  constexpr int computed_again(int i, int s) {
    if (clone(s) >= 0) return clone(s);
    const node& n = b_.g.nodes.first[s];
    kernel_node m;
    m.op = n.op;
    m.type = type_in_kernel(n);
    for (int j = 0; j < op_table[n.op].arity; ++j) {
      const int x = n.in[j], t = maps_.of.first[x].source;
      const bool in_memory =
          !groups_.computed.first[t] || stored_.first[t] || groups_.inlined.first[t];
      m.in[j] = static_cast<signed char>(in_memory ? operand(i, x) : computed_again(i, t));
    }
    return clone(s) = append(m);
  }

  /// The domain axis along which node i's operands' axis a runs.
  constexpr int axis_in_domain(int i, int a) const {
    const node& n = b_.g.nodes.first[i];
    if (groups_.is_copy(i) || is_reduction(n.op)) {
      // The operand spans the domain: its axes are the domain's, unit ones left out.
      const shape_of& s = b_.g.nodes.first[n.in[0]].shape;
      if (s.d[a] == 1) return -1;
      int rank_before = 0;
      for (int j = 0; j < a; ++j) rank_before += s.d[j] != 1;
      for (int d = 0; d < q_.domain.rank; ++d)
        if (q_.domain.d[d] != 1 && rank_before-- == 0) return d;
      return -1;
    }
    return groups_.axes_of.first[i].first[a];
  }

  /// A number computed anew in this kernel.
  constexpr int inlined(int s) {
    if (clone(s) >= 0) return clone(s);
    const node& n = b_.g.nodes.first[s];
    kernel_node m;
    m.op = n.op;
    m.type = type_in_kernel(n);
    m.at = level::row;
    for (int j = 0; j < op_table[n.op].arity; ++j) {
      const int x = maps_.of.first[n.in[j]].source;
      int p = -1;
      if (groups_.inlined.first[x])
        p = inlined(x);
      else if (groups_.group_of.first[x] == g_)
        p = place(x);
      else if (b_.g.nodes.first[x].op == id_of<constant_>)
        p = operand(s, n.in[j]);
      else
        p = add_load({x, maps_.of.first[n.in[j]].offset, {}}, b_.g.nodes.first[x].type);
      m.in[j] = static_cast<signed char>(p);
    }
    return clone(s) = append(m);
  }

  constexpr int add_load(const window& w, dtype type) {
    const window* known = loads.first;
    for (int i = 0; i < k.loads; ++i)
      if (known[i].source == w.source && known[i] == w) return load_place_.first[i];
    kernel_node m;
    const op_id source = b_.g.nodes.first[w.source].op;
    m.op = source == id_of<iota_> ? id_of<iota_> : id_of<argument_>;
    m.type = source == id_of<iota_> || source == id_of<extent_> ? computed_in(type) : type;
    m.load = static_cast<signed char>(k.loads++);
    m.stride = stride_of(w);
    m.at = varies_in_row(w) ? level::element : level::row;
    m.uniform = m.at == level::row;
    for (int d = 0; m.uniform && d < q_.domain.rank; ++d) m.uniform = w.stride[d] == 0;
    loads.push_back(w);
    load_place_.push_back(append(m));
    return load_place_.back();
  }

  constexpr stride_kind stride_of(const window& w) const {
    if (innermost_ < 0 || w.stride[innermost_] == 0) return stride_kind::none;
    return w.stride[innermost_] == 1 ? stride_kind::unit : stride_kind::strided;
  }
  constexpr bool varies_in_row(const window& w) const {
    // Without a row reduction the loops coalesce as far as they can, so only a constant load is
    // known once a row.
    for (int d = 0; d < q_.domain.rank; ++d)
      if (w.stride[d] != 0 && (d == innermost_ || !q_.reduced || (q_.reduced >> d & 1)))
        return true;
    return false;
  }

  constexpr void add_store(int i, int value, store_kind kind, op_id reduce) {
    const node& n = b_.g.nodes.first[i];
    window home = homes_.home(i);
    window w{home.source, home.offset, {}};
    const bool copy = groups_.is_copy(i);
    const shape_of& from = copy ? b_.g.nodes.first[n.in[0]].shape : n.shape;
    if (copy) maps_.row_major(from, home.stride);
    for (int a = 0; a < from.rank; ++a) {
      const int d = copy ? axis_in_domain(i, a) : groups_.axes_of.first[i].first[a];
      if (d >= 0) w.stride[d] = home.stride[a];
    }
    kernel_store s;
    s.node = static_cast<signed char>(value);
    s.kind = kind;
    s.reduce = reduce;
    s.type = n.type;
    s.stride = stride_of(w);
    k.add(s);
    stores.push_back(w);
  }

  builder& b_;
  const view_maps& maps_;
  const grouping& groups_;
  const sequence<char>& stored_;
  const sequence<char>& again_;
  const placement& homes_;
  int g_;
  const group& q_;
  int innermost_ = -1;
  places& shared_;
  sequence<int> load_place_;
};

}  // namespace weft::detail
