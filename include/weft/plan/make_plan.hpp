// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/plan/in_place.hpp>
#include <weft/plan/loops.hpp>
#include <weft/plan/memory.hpp>
#include <weft/plan/merge_groups.hpp>
#include <weft/plan/recompute.hpp>

namespace weft::detail {

/// Makes the plan of an optimised graph. Accesses of a step, in order: of a kernel its loads, then
/// its stores; of a product the left and right operand (strides for batch loops, m, n, k), its own
/// buffer (-1 if only its epilogue reads it), then the epilogue's loads (the first is the tile) and
/// stores; of gather and scatter_add the operand, the indices, the result; of the others the
/// operand, the result. These last kinds index by axes of the nodes' own shapes: their extents are
/// those of gather's result, of scatter_add's operand, else of the operand; the last one is the
/// extent of the axis that indices pick from. The result of sum_to has a stride for each axis of
/// the operand, 0 where it is summed.
class planner {
 public:
  explicit constexpr planner(const graph& g, fusion_notes* notes = nullptr)
      : b_(adopt(g)), maps_(b_), places_(g.nodes.size() + g.outputs.size()) {
    copy_outputs();
    grouping groups(b_, maps_, notes);
    group_merger(b_, maps_, groups, notes);
    groups_ = &groups;
    find_stored();
    wanted_.assign(b_.g.nodes.size(), 0);
    again_ = recomputation(b_, maps_, groups, stored_, sink_).again;
    buffer_of_.assign(b_.g.nodes.size(), -1);
    output_of_.assign(b_.g.nodes.size(), -1);
    for (std::size_t j = 0; j < b_.g.outputs.size(); ++j)
      output_of_[at(maps_[b_.g.outputs[j]].source)] = static_cast<int>(j);
    for (int g_ : order()) emit(g_);
    if (notes) notes->keep(groups, maps_, again_);
    assign_slots(p_, b_);
    find_in_place(p_, b_.g.outputs.size(), b_.g.arguments);
    p_.extents = b_.g.extents;
    groups_ = nullptr;
  }
  constexpr plan take() { return std::move(p_); }

 private:
  static constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

  static constexpr builder adopt(const graph& g) {
    builder b;
    b.adopt(g);
    return b;
  }

  /// An output that is a leaf, a window or a second name is copied to memory of its own.
  constexpr void copy_outputs() {
    sequence<char> taken(b_.g.nodes.size(), 0);
    for (std::size_t j = 0; j < b_.g.outputs.size(); ++j) {
      const int o = b_.g.outputs[j];
      const view_map& m = maps_[o];
      const node n = b_.at(o);
      bool direct = info(b_.at(m.source).op).kind != op_kind::leaf && m.offset == 0 &&
                    maps_.contiguous(m, n.shape);
      direct = direct && b_.count(n.shape) == b_.count(b_.at(m.source).shape);
      direct = direct && !taken[at(m.source)];
      // A number may be computed anew in several kernels, so as an output it needs a place of its
      // own.
      direct = direct && b_.count(b_.at(m.source).shape) != 1;
      if (direct) {
        taken[at(m.source)] = 1;
        continue;
      }
      b_.g.outputs[j] = make_copy(o);
      maps_.extend();
    }
  }
  constexpr int make_copy(int o) {
    node c;
    c.op = id_of<fresh_>;
    c.type = b_.at(o).type;
    c.shape = b_.at(o).shape;
    c.in[0] = o;
    c.at.v[0] = -1 - b_.g.size();
    b_.here(b_.g.where[at(o)]);
    return b_.add(c);
  }

  constexpr void find_stored() {
    stored_.assign(b_.g.nodes.size(), 0);
    sink_.assign(groups_->groups.size(), 1);
    for (int o : b_.g.outputs) stored_[at(maps_[o].source)] = 1;
    for (int i = 0; i < b_.g.size(); ++i) {
      if (!groups_->computed(i)) continue;
      const op_kind kind = info(b_.at(i).op).kind;
      const bool needs_memory = kind == op_kind::matmul || kind == op_kind::other;
      for (int x : b_.at(i).in) {
        if (x < 0) continue;
        const int s = maps_[x].source, from = groups_->group_of[at(s)];
        if (from < 0) continue;
        const bool elsewhere = groups_->inlined[at(s)] ? needs_memory
                                                       : needs_memory || groups_->inlined[at(i)] ||
                                                             groups_->group_of[at(i)] != from;
        if (!elsewhere) continue;
        stored_[at(s)] = 1;
        sink_[at(from)] = 0;
      }
    }
  }

  /// Groups that only make outputs run last, those that can fail before the others: an argument
  /// that shares memory with an output has been read by then, and nothing is written before an
  /// error.
  constexpr sequence<int> order() const {
    sequence<int> r;
    const int n = static_cast<int>(groups_->groups.size());
    for (int pass = 0; pass < 3; ++pass)
      for (int g = 0; g < n; ++g) {
        if (groups_->groups[at(g)].members.empty()) continue;
        const bool fails = groups_->groups[at(g)].kind == group_kind::other;
        if ((pass == 0 && !sink_[at(g)]) || (pass == 1 && sink_[at(g)] && fails) ||
            (pass == 2 && sink_[at(g)] && !fails))
          r.push_back(g);
      }
    return r;
  }

  /// The buffer that holds a node's elements.
  constexpr int buffer_of(int s) {
    int& place = buffer_of_.data()[s];
    if (place >= 0) return place;
    const node& n = b_.at(s);
    buffer f;
    f.type = n.op == id_of<extent_> ? computed_in(n.type) : n.type;
    f.count = b_.count(n.shape);
    f.kind = buffer_kind::arena;
    if (n.op == id_of<argument_>)
      f.kind = buffer_kind::argument, f.index = static_cast<int>(n.at.v[0]);
    if (n.op == id_of<extent_>) f.kind = buffer_kind::extent, f.count = n.at.v[0];
    if (f.kind == buffer_kind::arena && output_of_[at(s)] >= 0)
      f.kind = buffer_kind::output, f.index = output_of_[at(s)];
    p_.buffers.push_back(f);
    return place = static_cast<int>(p_.buffers.size()) - 1;
  }

  constexpr void add_access(const window& w, const loop_nest& loops) {
    access a;
    if (b_.at(w.source).op != id_of<iota_>) a.buffer = buffer_of(w.source);
    a.offset = w.offset;
    for (int i = 0; i < loops.count; ++i)
      if (loops.axis[i] >= 0) a.stride[i] = w.stride[loops.axis[i]];
    p_.accesses.push_back(a);
  }
  /// A whole operand or result, by its own axes.
  constexpr void add_whole(int i, int rank) {
    const view_map& m = maps_[i];
    access a;
    if (b_.at(m.source).op != id_of<iota_>) a.buffer = buffer_of(m.source);
    a.offset = m.offset;
    for (int k = 0; k < rank; ++k) a.stride[k] = m.stride[k];
    p_.accesses.push_back(a);
  }

  constexpr int kernel_number(kernel& k) {
    assign_phases(k);
    std::uint32_t h = static_cast<std::uint32_t>(k.size * 64 + k.store_count);
    for (const kernel_node& n : k.nodes)
      h = (h ^ n.op ^ static_cast<std::uint32_t>((n.in[0] + 1) << 8 | (n.in[1] + 1) << 16)) *
          16777619u;
    for (std::size_t i = 0; i < p_.kernels.size(); ++i)
      if (hashes_[i] == h && p_.kernels[i] == k) return static_cast<int>(i);
    p_.kernels.push_back(k);
    hashes_.push_back(h);
    return static_cast<int>(p_.kernels.size()) - 1;
  }

  constexpr void emit(int g) {
    const group& q = groups_->groups[at(g)];
    if (q.kind == group_kind::other) {
      emit_other(q.members[0]);
      return;
    }
    if (q.kind == group_kind::product)
      for (int side = 0; side < 2; ++side)
        fill_constant(maps_[b_.at(q.members[0]).in[side]].source);
    body_builder body(b_, maps_, *groups_, stored_, again_, g, places_);
    step s;
    s.first_access = static_cast<int>(p_.accesses.size());
    s.node = q.members[0];
    s.where = b_.g.where[at(s.node)];
    s.type = b_.at(s.node).type;
    const bool product = q.kind == group_kind::product;
    if (product) body.add_tile(q.members[0]);
    const std::size_t first = product;
    // Members whose readers all compute them again are left out, and what only they need.
    for (std::size_t i = q.members.size(); i-- > first;) {
      const int m = q.members[i];
      if (!stored_[at(m)] && !wanted_[at(m)]) continue;
      wanted_[at(m)] = 1;
      for (int x : b_.at(m).in)
        if (x >= 0) wanted_[at(maps_[x].source)] = 1;
    }
    for (std::size_t i = first; i < q.members.size(); ++i)
      if (wanted_[at(q.members[i])]) body.add(q.members[i]);
    if (body.too_large()) p_.error.put("weft: internal: a kernel has more values than it can hold");
    if (!p_.error.empty()) return;
    if (product) {
      emit_product(s, q, body);
    } else {
      if (body.k.store_count == 0) return;  // every member turned out to be an inlined number
      sequence<window> all = body.loads;
      all.insert(all.end(), body.stores.begin(), body.stores.end());
      const loop_nest loops = make_loops(b_, q, all);
      s.kind = step_kind::kernel;
      s.rows = loops.rows;
      s.segments = loops.segments;
      for (int i = 0; i < loops.count; ++i) s.extent[i] = loops.extent[i];
      s.kernel = kernel_number(body.k);
      for (const window& w : all) add_access(w, loops);
    }
    finish(s);
  }

  constexpr void emit_product(step& s, const group& q, body_builder& body) {
    const int i = q.members[0];
    const node& n = b_.at(i);
    const int batch = n.shape.rank - 2;
    s.kind = step_kind::product;
    s.rows = batch;
    for (int d = 0; d < n.shape.rank; ++d) s.extent[d] = n.shape.d[d];
    s.extent[batch + 2] = b_.at(n.in[0]).shape.d[batch + 1];
    for (int side = 0; side < 2; ++side) {
      const view_map& m = maps_[n.in[side]];
      access a;
      a.buffer = buffer_of(m.source);
      a.offset = m.offset;
      for (int d = 0; d < batch; ++d) a.stride[d] = m.stride[d];
      a.stride[batch + (side ? 2 : 0)] = m.stride[batch];
      a.stride[batch + (side ? 1 : 2)] = m.stride[batch + 1];
      p_.accesses.push_back(a);
    }
    loop_nest loops;
    loops.count = n.shape.rank;
    for (int d = 0; d < n.shape.rank; ++d) loops.axis[d] = static_cast<signed char>(d);
    if (stored_[at(i)])
      add_access(body.loads[0], loops);
    else
      p_.accesses.push_back({});
    if (body.k.store_count > 0) {
      s.kernel = kernel_number(body.k);
      bool tile = true;
      for (const window& w : body.loads) {
        if (tile)
          p_.accesses.push_back({});
        else
          add_access(w, loops);
        tile = false;
      }
      for (const window& w : body.stores) add_access(w, loops);
    }
  }

  constexpr void emit_other(int i) {
    const node& n = b_.at(i);
    if (n.op == id_of<concat_>) {
      const index_t middle = b_.at(n.in[0]).shape.d[n.at.v[0]];
      copy_into(i, n.in[0], static_cast<int>(n.at.v[0]), 0, 1);
      copy_into(i, n.in[1], static_cast<int>(n.at.v[0]), middle, 1);
      return;
    }
    if (n.op == id_of<pad_>) {
      copy_into(i, -1, 0, 0, 1);
      copy_into(i, n.in[0], static_cast<int>(n.at.v[0]), n.at.v[1], n.at.v[2]);
      return;
    }
    step s;
    const shape_of from = b_.at(n.in[0]).shape;
    for (int k = 0; k < 2; ++k)
      if (n.in[k] >= 0) fill_constant(maps_[n.in[k]].source);
    s.first_access = static_cast<int>(p_.accesses.size());
    s.node = i;
    s.where = b_.g.where[at(i)];
    s.type = b_.at(n.in[0]).type;
    s.axis = static_cast<int>(n.at.v[0]);
    s.kind = n.op == id_of<gather_>        ? step_kind::gather
             : n.op == id_of<scatter_add_> ? step_kind::scatter_add
             : n.op == id_of<arg_max_>     ? step_kind::arg_max
             : n.op == id_of<arg_min_>     ? step_kind::arg_min
                                           : step_kind::sum_to;
    const bool indexed = s.kind == step_kind::gather || s.kind == step_kind::scatter_add;
    const shape_of& loops = s.kind == step_kind::gather ? n.shape : from;
    for (int d = 0; d < loops.rank; ++d) s.extent[d] = loops.d[d];
    s.rank = s.kind == step_kind::scatter_add ? n.shape.rank : from.rank;
    add_whole(n.in[0], from.rank);
    if (indexed) {
      s.extent[max_loops - 1] = s.kind == step_kind::gather ? from.d[s.axis] : n.shape.d[s.axis];
      s.index_rank = b_.at(n.in[1]).shape.rank;
      s.index_type = b_.at(n.in[1]).type;
      s.labels = n.at.v[1] != 0;
      add_whole(n.in[1], s.index_rank);
    }
    add_whole(i, n.shape.rank);
    if (s.kind == step_kind::sum_to) {
      access& to = p_.accesses.back();
      index_t own[max_rank]{};
      maps_.row_major(n.shape, own);
      for (int d = 0; d < from.rank; ++d) {
        const int e = d - (from.rank - n.shape.rank);
        to.stride[d] = 0;
        if (e < 0 || n.shape.d[e] == 1) continue;
        to.stride[d] = is_symbol(n.shape.d[e])
                           ? b_.extent(extent_kind::unless_one, n.shape.d[e], own[e])
                           : own[e];
      }
    }
    finish(s);
  }

  /// A constant that a step reads as memory needs memory: one element, which repeats.
  constexpr void fill_constant(int source) {
    if (b_.at(source).op == id_of<constant_> && buffer_of_[at(source)] < 0)
      copy_into(source, source, 0, 0, 1);
  }

  /// A kernel that writes operand x, or zeros where x is -1, to a part of node i.
  constexpr void copy_into(int i, int x, int axis, index_t start, index_t by) {
    const node& n = b_.at(i);
    group q{group_kind::kernel, x < 0 ? n.shape : b_.at(x).shape, 0, 0, {}, {}, 0};
    int innermost = -1;
    for (int d = 0; d < q.domain.rank; ++d)
      if (q.domain.d[d] != 1) innermost = d;
    window to{i, 0, {}};
    maps_.row_major(n.shape, to.stride);
    if (x >= 0) {
      to.offset = b_.multiply(start, unit_stride(b_, n.shape, axis));
      to.stride[axis] = b_.multiply(by, unit_stride(b_, n.shape, axis));
    }
    kernel k;
    sequence<window> all;
    kernel_node v;
    auto kind_of = [&](const window& w) {
      if (innermost < 0 || w.stride[innermost] == 0) return stride_kind::none;
      return w.stride[innermost] == 1 ? stride_kind::unit : stride_kind::strided;
    };
    const bool constant = x < 0 || b_.at(maps_[x].source).op == id_of<constant_>;
    v.type = constant ? computed_in(n.type) : n.type;
    if (constant) {
      v.op = id_of<constant_>;
      v.at = level::row;
      v.bits = x < 0 ? 0 : b_.at(maps_[x].source).at.v[0];
    } else {
      window from{maps_[x].source, maps_[x].offset, {}};
      for (int d = 0; d < q.domain.rank; ++d)
        from.stride[d] = q.domain.d[d] == 1 ? 0 : maps_[x].stride[d];
      v.op = b_.at(from.source).op == id_of<iota_> ? id_of<iota_> : id_of<argument_>;
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
    s.where = b_.g.where[at(i)];
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
  const grouping* groups_ = nullptr;
  sequence<char> stored_, sink_, again_, wanted_;
  sequence<std::uint32_t> hashes_;
  sequence<int> buffer_of_, output_of_;
  body_builder::places places_;
  plan p_;
};

constexpr plan make_plan(const graph& g, fusion_notes* notes = nullptr) {
  return planner(g, notes).take();
}

}  // namespace weft::detail
