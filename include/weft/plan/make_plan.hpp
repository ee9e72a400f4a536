// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/plan/in_place.hpp>
#include <weft/plan/memory.hpp>
#include <weft/plan/merge_groups.hpp>
#include <weft/plan/plan_maker.hpp>
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
class planner : plan_maker {
 public:
  constexpr planner(graph&& g, target t, fusion_notes* notes = nullptr,
                    int most_members = grouping::usual_members)
      : plan_maker(std::move(g)), places_(b_.g.nodes.size() + b_.g.outputs.size()) {
    copy_outputs();
    const bool small = most_members < grouping::usual_members;
    grouping groups(b_, maps_, notes, most_members);
    if (!small) group_merger(b_, maps_, groups, notes);
    groups_ = &groups;
    homes_.find(groups);
    find_stored();
    wanted_.assign(b_.g.nodes.size(), 0);
    if (small)
      again_.assign(b_.g.nodes.size(), 0);
    else
      again_ = recomputation(b_, maps_, groups, stored_, sink_, t).again;
    homes_.settle(groups, sink_);
    buffer_of_.assign(b_.g.nodes.size(), -1);
    output_of_.assign(b_.g.nodes.size(), -1);
    for (std::size_t j = 0; j < b_.g.outputs.size(); ++j)
      output_of_.first[maps_.of.first[b_.g.outputs[j]].source] = static_cast<int>(j);
    p_.steps.reserve(groups.groups.size());
    p_.buffers.reserve(2 * groups.groups.size());
    p_.accesses.reserve(5 * groups.groups.size());
    for (int g_ : order()) emit(g_);
    for (const graph& body : b_.g.bodies) {
      graph copy = body;
      p_.bodies.push_back(planner(std::move(copy), t, nullptr, most_members).take());
      if (p_.error.empty()) p_.error = p_.bodies.back().error;
    }
    if (notes) notes->keep(groups, maps_, again_);
    assign_slots(p_, b_);
    find_in_place(p_, b_.g.outputs.size(), b_.g.arguments);
    p_.extents = b_.g.extents;
    groups_ = nullptr;
  }
  constexpr plan take() { return std::move(p_); }
  /// The graph, where outputs that are copied are nodes of their own.
  constexpr graph take_graph() { return std::move(b_.g); }

 private:
  /// An output that is a leaf, a window or a second name is copied to memory of its own.
  constexpr void copy_outputs() {
    sequence<char> taken(b_.g.nodes.size(), 0);
    for (std::size_t j = 0; j < b_.g.outputs.size(); ++j) {
      const int o = b_.g.outputs[j];
      const view_map& m = maps_.of.first[o];
      const node n = b_.g.nodes.first[o];
      if (n.op == id_of<undefined_>) continue;  // nothing to write
      bool direct = op_table[b_.g.nodes.first[m.source].op].kind != op_kind::leaf &&
                    m.offset == 0 && maps_.contiguous(m, n.shape);
      direct = direct && b_.count(n.shape) == b_.count(b_.g.nodes.first[m.source].shape);
      direct = direct && !taken.first[m.source];
      // A number may be computed anew in several kernels, so as an output it needs a place of its
      // own.
      direct = direct && b_.count(b_.g.nodes.first[m.source].shape) != 1;
      if (direct) {
        taken.first[m.source] = 1;
        continue;
      }
      b_.g.outputs[j] = make_copy(o);
      maps_.extend();
    }
  }
  constexpr int make_copy(int o) {
    node c;
    c.op = id_of<fresh_>;
    c.type = b_.g.nodes.first[o].type;
    c.shape = b_.g.nodes.first[o].shape;
    c.in[0] = o;
    c.at.v[0] = -1 - b_.g.size();
    b_.here(b_.g.where.first[o]);
    return b_.append(c);
  }

  constexpr void find_stored() {
    stored_.assign(b_.g.nodes.size(), 0);
    sink_.assign(groups_->groups.size(), 1);
    for (int o : b_.g.outputs) stored_.first[maps_.of.first[o].source] = 1;
    for (int i = 0, end = b_.g.size(); i < end; ++i) {
      if (!groups_->computed.first[i]) continue;
      const node& n = b_.g.nodes.first[i];
      const op_kind kind = op_table[n.op].kind;
      if (is_control(n.op)) sink_.first[groups_->group_of.first[i]] = 0;  // in their order
      const bool needs_memory =
          kind == op_kind::matmul || kind == op_kind::other || kind == op_kind::control;
      for (int k = 0; k < 3; ++k) {
        const int x = n.in[k];
        if (x < 0) continue;
        const int s = maps_.of.first[x].source, from = groups_->group_of.first[s];
        if (from < 0) continue;
        const bool elsewhere =
            groups_->inlined.first[s]
                ? needs_memory
                : needs_memory || groups_->inlined.first[i] || groups_->group_of.first[i] != from;
        if (!elsewhere) continue;
        stored_.first[s] = 1;
        if (homes_.into.first[s] < 0) sink_.first[from] = 0;
      }
    }
  }

  /// Groups that only make outputs run last, those that can fail before the others: an argument
  /// that shares memory with an output has been read by then, and nothing is written before an
  /// error.
  constexpr sequence<int> order() const {
    sequence<int> r;
    const int n = static_cast<int>(groups_->groups.size());
    sequence<int> failing, last;
    for (int g = 0; g < n; ++g) {
      const group& q = groups_->groups.first[g];
      if (q.members.empty()) continue;
      if (!sink_.first[g])
        r.push_back(g);
      else
        (q.kind == group_kind::other ? failing : last).push_back(g);
    }
    r.append(failing.begin(), failing.end());
    r.append(last.begin(), last.end());
    return r;
  }

  constexpr void emit(int g) {
    const group& q = groups_->groups.first[g];
    if (q.kind == group_kind::other) {
      if (op_table[b_.g.nodes.first[q.members[0]].op].kind == op_kind::control)
        emit_control(q);
      else
        emit_other(q.members[0]);
      return;
    }
    if (q.kind == group_kind::product)
      for (int side = 0; side < 2; ++side)
        fill_operand(maps_.of.first[b_.g.nodes.first[q.members[0]].in[side]].source);
    body_builder body(b_, maps_, *groups_, stored_, again_, homes_, g, places_);
    step s;
    s.first_access = static_cast<int>(p_.accesses.size());
    s.node = q.members[0];
    s.where = b_.g.where.first[s.node];
    s.type = b_.g.nodes.first[s.node].type;
    const bool product = q.kind == group_kind::product;
    if (product) body.add_tile(q.members[0]);
    const std::size_t first = product;
    // Members whose readers all compute them again are left out, and what only they need.
    for (std::size_t i = q.members.size(); i-- > first;) {
      const int m = q.members.first[i];
      if (!stored_.first[m] && !wanted_.first[m]) continue;
      wanted_.first[m] = 1;
      const node& n = b_.g.nodes.first[m];
      const int x = n.in[0], y = n.in[1], z = n.in[2];
      if (x >= 0) wanted_.first[maps_.of.first[x].source] = 1;
      if (y >= 0) wanted_.first[maps_.of.first[y].source] = 1;
      if (z >= 0) wanted_.first[maps_.of.first[z].source] = 1;
    }
    for (std::size_t i = first; i < q.members.size(); ++i)
      if (wanted_.first[q.members.first[i]]) body.add(q.members.first[i]);
    if (body.too_large() && p_.error.empty())
      p_.error.put("weft: internal: a kernel has more values than it can hold");
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
    const node& n = b_.g.nodes.first[i];
    const int batch = n.shape.rank - 2;
    s.kind = step_kind::product;
    s.rows = batch;
    for (int d = 0; d < n.shape.rank; ++d) s.extent[d] = n.shape.d[d];
    s.extent[batch + 2] = b_.g.nodes.first[n.in[0]].shape.d[batch + 1];
    for (int side = 0; side < 2; ++side) {
      const view_map& m = maps_.of.first[n.in[side]];
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
    for (int d = 0; d < n.shape.rank && d < max_loops; ++d)  // a bound that g++ 12 sees
      loops.axis[d] = static_cast<signed char>(d);
    if (stored_.first[i])
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
    const node& n = b_.g.nodes.first[i];
    if (n.op == id_of<concat_>) {
      const index_t start[2]{0, b_.g.nodes.first[n.in[0]].shape.d[n.at.v[0]]};
      for (int k = 0; k < 2; ++k)
        if (homes_.into.first[n.in[k]] != i)
          copy_into(i, n.in[k], static_cast<int>(n.at.v[0]), start[k], 1);
      return;
    }
    if (n.op == id_of<pad_>) {
      copy_into(i, -1, 0, 0, 1);
      copy_into(i, n.in[0], static_cast<int>(n.at.v[0]), n.at.v[1], n.at.v[2]);
      return;
    }
    step s;
    const shape_of from = b_.g.nodes.first[n.in[0]].shape;
    fill_constant(maps_.of.first[n.in[0]].source);
    const bool of_places = n.op == id_of<gather_> && n.type == dtype::uint64;  // is known to gather
    for (int k = of_places; k < 2; ++k)
      if (n.in[k] >= 0) fill_operand(maps_.of.first[n.in[k]].source);
    s.first_access = static_cast<int>(p_.accesses.size());
    s.node = i;
    s.where = b_.g.where.first[i];
    s.type = b_.g.nodes.first[n.in[0]].type;
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
      s.index_rank = b_.g.nodes.first[n.in[1]].shape.rank;
      s.index_type = b_.g.nodes.first[n.in[1]].type;
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

  /// A step that runs bodies or calls the host.
  constexpr void emit_control(const group& q) {
    const int i = q.members[0];
    const node& n = b_.g.nodes.first[i];
    control c;
    c.op = n.op;
    for (int k = 0; k < body_count(n.op); ++k) c.body[k] = static_cast<int>(n.at.v[k]);
    if (n.op == id_of<host_>) c.host = static_cast<int>(n.at.v[0]);
    if (n.op == id_of<cond_>) c.on_host = n.at.v[2] != 0;
    if (n.op == id_of<scan_>) {
      c.steps = n.at.v[1];
      c.slices = static_cast<int>(n.at.v[3]);
      c.reverse = n.at.v[4] != 0;
    }
    if (n.op == id_of<scan_> || n.op == id_of<while_>) c.carries = static_cast<int>(n.at.v[2]);
    step s;
    s.kind = step_kind::control;
    s.axis = static_cast<int>(p_.controls.size());
    s.node = i;
    s.where = b_.g.where.first[i];
    const sequence<int> operands = operands_of(b_.g.nodes.data(), n);
    for (int x : operands) fill_operand(maps_.of.first[x].source);
    s.first_access = static_cast<int>(p_.accesses.size());
    for (int x : operands) {
      const bool sliced =
          n.op == id_of<scan_> && c.operands >= c.carries && c.operands < c.carries + c.slices;
      put_piece(c, buffer_of(maps_.of.first[x].source), maps_.of.first[x].offset,
                b_.g.nodes.first[x].shape, sliced);
      ++c.operands;
    }
    // All results have a place, be they read or not.
    sequence<int> made;
    if (n.op == id_of<host_>) made.assign(static_cast<std::size_t>(n.at.v[2]), -1);
    const graph* body =
        has_bodies(n.op) ? &b_.g.bodies.first[c.body[n.op == id_of<while_> ? 1 : 0]] : nullptr;
    if (body) made.assign(body->outputs.size(), -1);
    for (int m : q.members)
      if (b_.g.nodes.first[m].op == id_of<result_>)
        made.first[static_cast<int>(b_.g.nodes.first[m].at.v[0])] = m;
    for (std::size_t k = 0; k < made.size(); ++k) {
      const bool stacked = n.op == id_of<scan_> && static_cast<int>(k) >= c.carries;
      node like = body ? body->nodes.first[body->outputs[k]] : n;
      if (stacked) {
        for (int d = like.shape.rank++; d > 0; --d) like.shape.d[d] = like.shape.d[d - 1];
        like.shape.d[0] = c.steps;
      }
      int place = made[k] >= 0 ? buffer_of(made[k]) : -1;
      if (place < 0) {
        p_.buffers.push_back({buffer_kind::arena, 0, like.type, b_.count(like.shape), -1});
        place = static_cast<int>(p_.buffers.size()) - 1;
      }
      put_piece(c, place, 0, like.shape, stacked);
      ++c.results;
    }
    p_.controls.push_back(c);
    finish(s);
  }
  constexpr void put_piece(control& c, int buffer, index_t offset, shape_of shape, bool sliced) {
    if (sliced) shape.d[0] = 1;
    access a;
    a.buffer = buffer;
    a.offset = offset;
    if (c.host >= 0) {
      c.ranks |= static_cast<index_t>(shape.rank) << 4 * (c.operands + c.results);
      for (int d = 0; d < shape.rank; ++d) a.stride[d] = shape.d[d];
    } else {
      a.stride[0] = b_.count(shape);
    }
    p_.accesses.push_back(a);
  }

  const grouping* groups_ = nullptr;
  sequence<char> stored_, sink_, again_, wanted_;
  body_builder::places places_;
};

/// A plan and the graph that it was made of.
struct planned {
  plan p;
  graph g;
};
/// `get` returns the graph, which is planned in place.
template <class Get>
constexpr planned planned_from(Get get, target t, fusion_notes* notes = nullptr) {
  planned r;
  {
    planner usual(get(), t, notes);
    r.p = usual.take();
    r.g = usual.take_graph();
  }
  if (r.p.error.empty()) return r;
  // Values that many groups read may be more than one kernel can store: then in smaller groups.
  planner small(get(), t, notes, max_kernel_stores);
  r.p = small.take();
  r.g = small.take_graph();
  return r;
}

constexpr plan make_plan(const graph& g, target t = target::cpu, fusion_notes* notes = nullptr) {
  const auto copy = [&] { return g; };
  return planned_from(copy, t, notes).p;
}

}  // namespace weft::detail
