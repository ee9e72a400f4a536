// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/plan/loops.hpp>
#include <weft/plan/phases.hpp>
#include <weft/plan/program.hpp>

namespace weft::detail {

/// A plan in the making: buffers of nodes, accesses, kernels that are alike made one, and the
/// copies that plans need.
class plan_maker {
 protected:
  explicit constexpr plan_maker(graph&& g)
      : b_(adopt(std::move(g))), maps_(b_), homes_(b_, maps_) {}

  static constexpr builder adopt(graph&& g) {
    builder b;
    b.adopt(std::move(g));
    return b;
  }

  /// The buffer that holds a node's elements.
  constexpr int buffer_of(int s) {
    int& place = buffer_of_.data()[s];
    if (place >= 0) return place;
    const node& n = b_.g.nodes.first[s];
    buffer f;
    f.type = n.op == id_of<extent_> ? computed_in(n.type) : n.type;
    f.count = b_.count(n.shape);
    f.kind = buffer_kind::arena;
    if (n.op == id_of<argument_>)
      f.kind = buffer_kind::argument, f.index = static_cast<int>(n.at.v[0]);
    if (n.op == id_of<extent_>) f.kind = buffer_kind::extent, f.count = n.at.v[0];
    if (f.kind == buffer_kind::arena && output_of_.first[s] >= 0)
      f.kind = buffer_kind::output, f.index = output_of_.first[s];
    p_.buffers.push_back(f);
    return place = static_cast<int>(p_.buffers.size()) - 1;
  }

  constexpr void add_access(const window& w, const loop_nest& loops) {
    access a;
    if (b_.g.nodes.first[w.source].op != id_of<iota_>) a.buffer = buffer_of(w.source);
    a.offset = w.offset;
    for (int i = 0; i < loops.count; ++i)
      if (loops.axis[i] >= 0) a.stride[i] = w.stride[loops.axis[i]];
    p_.accesses.push_back(a);
  }
  /// A whole operand or result, by its own axes.
  constexpr void add_whole(int i, int rank) {
    const view_map& m = maps_.of.first[i];
    access a;
    if (b_.g.nodes.first[m.source].op != id_of<iota_> || buffer_of_.first[m.source] >= 0)
      a.buffer = buffer_of(m.source);
    a.offset = m.offset;
    for (int k = 0; k < rank; ++k) a.stride[k] = m.stride[k];
    p_.accesses.push_back(a);
  }

  constexpr int kernel_number(kernel& k) {
    assign_phases(k);
    const std::size_t begin = codes_.size();
    encode_kernel(k, codes_);
    const index_t* code = codes_.first + begin;
    const int size = static_cast<int>(codes_.size() - begin);
    index_t h = size;  // and of every second word: not of constants' bits, which may be negative
    for (int i = 1; i < size; i += 2) h = (h * 31 + code[i]) & 0xffffffffffff;
    for (std::size_t i = 0; i < codes_at_.size(); ++i) {
      const coded& known = codes_at_.first[i];
      if (known.hash != h || known.size != size) continue;
      const index_t* other = codes_.first + known.begin;
      bool same = true;
      for (int j = 0; same && j < size; ++j) same = other[j] == code[j];
      if (!same) continue;
      codes_.resize(begin);
      return static_cast<int>(i);
    }
    codes_at_.push_back({h, begin, size});
    p_.kernels.push_back(k);
    return static_cast<int>(codes_at_.size()) - 1;
  }

  /// A constant that a step reads as memory needs memory: one element, which repeats.
  constexpr void fill_constant(int source) {
    if (b_.g.nodes.first[source].op == id_of<constant_> && buffer_of_.first[source] < 0)
      copy_into(source, source, 0, 0, 1);
  }
  /// The same for positions, of which an axis needs as many as it has. Kernels and gather need no
  /// memory for them.
  constexpr void fill_operand(int source) {
    fill_constant(source);
    const node n = b_.g.nodes.first[source];
    if (n.op != id_of<iota_> || buffer_of_.first[source] >= 0) return;
    const int axis = static_cast<int>(n.at.v[0]);
    kernel k;
    kernel_node v;
    v.op = id_of<iota_>;
    v.type = n.type;
    v.load = 0;
    v.stride = stride_kind::unit;
    k.loads = 1;
    k.add(v);
    kernel_store t;
    t.node = 0;
    t.type = n.type;
    t.stride = stride_kind::unit;
    k.add(t);
    step s;
    s.first_access = static_cast<int>(p_.accesses.size());
    s.node = source;
    s.where = b_.g.where.first[source];
    s.type = n.type;
    s.extent[0] = axis < 0 ? b_.count(n.shape) : n.shape.d[axis];
    s.kernel = kernel_number(k);
    access positions, memory;
    memory.buffer = buffer_of(source);
    positions.stride[0] = memory.stride[0] = 1;
    p_.accesses.push_back(positions);
    p_.accesses.push_back(memory);
    finish(s);
  }

  /// A kernel that writes operand x, or zeros where x is -1, to a part of node i.
  constexpr void copy_into(int i, int x, int axis, index_t start, index_t by) {
    const node& n = b_.g.nodes.first[i];
    group q{group_kind::kernel, x < 0 ? n.shape : b_.g.nodes.first[x].shape, 0, 0, {}, {}, 0};
    int innermost = -1;
    for (int d = 0; d < q.domain.rank; ++d)
      if (q.domain.d[d] != 1) innermost = d;
    window to = homes_.home(i);
    if (x >= 0) {
      const index_t one = unit_stride(b_, b_.g.nodes.first[to.source].shape, axis);
      to.offset = b_.sum(to.offset, b_.multiply(start, one));
      to.stride[axis] = b_.multiply(by, one);
    }
    kernel k;
    sequence<window> all;
    kernel_node v;
    auto kind_of = [&](const window& w) {
      if (innermost < 0 || w.stride[innermost] == 0) return stride_kind::none;
      return w.stride[innermost] == 1 ? stride_kind::unit : stride_kind::strided;
    };
    const bool constant =
        x < 0 || b_.g.nodes.first[maps_.of.first[x].source].op == id_of<constant_>;
    v.type = constant ? computed_in(n.type) : n.type;
    if (constant) {
      v.op = id_of<constant_>;
      v.at = level::row;
      v.bits = x < 0 ? 0 : b_.g.nodes.first[maps_.of.first[x].source].at.v[0];
    } else {
      window from{maps_.of.first[x].source, maps_.of.first[x].offset, {}};
      for (int d = 0; d < q.domain.rank; ++d)
        from.stride[d] = q.domain.d[d] == 1 ? 0 : maps_.of.first[x].stride[d];
      v.op = b_.g.nodes.first[from.source].op == id_of<iota_> ? id_of<iota_> : id_of<argument_>;
      v.load = 0;
      v.stride = kind_of(from);
      v.at = level::element;
      k.loads = 1;
      all.push_back(from);
    }
    k.add(v);
    kernel_store t;
    t.node = 0;
    t.type = n.type;
    t.stride = kind_of(to);
    k.add(t);
    all.push_back(to);
    step s;
    s.first_access = static_cast<int>(p_.accesses.size());
    s.node = i;
    s.where = b_.g.where.first[i];
    s.type = n.type;
    const loop_nest loops = make_loops(b_, q, all);
    s.rows = loops.rows;
    s.segments = loops.segments;
    for (int j = 0; j < loops.count; ++j) s.extent[j] = loops.extent[j];
    s.kernel = kernel_number(k);
    for (const window& w : all) add_access(w, loops);
    finish(s);
  }

  constexpr void finish(step& s) {
    s.access_count = static_cast<int>(p_.accesses.size()) - s.first_access;
    p_.steps.push_back(s);
  }

  builder b_;
  view_maps maps_;
  placement homes_;
  /// A kernel's words among those of all.
  struct coded {
    index_t hash = 0;
    std::size_t begin = 0;
    int size = 0;
  };
  sequence<index_t> codes_;
  sequence<coded> codes_at_;
  sequence<int> buffer_of_, output_of_;
  plan p_;
};

}  // namespace weft::detail
