// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/graph/bodies.hpp>

// Programs with extents that follow from data: cut into parts, each of which knows its extents when
// it begins.
namespace weft::detail {

/// A call of the host between two parts.
struct cut_call {
  int host = -1;           ///< into the program's hosts
  int after = 0;           ///< the part that makes its operands
  sequence<int> operands;  ///< values
  int result = -1;         ///< the value that it makes
};
/// A program in parts. Values that cross from one to another are numbered; in every part value v is
/// argument `arguments + v`. A part's outputs are the values that it makes; the last part's the
/// program's results.
struct cut_program {
  sequence<graph> parts;
  sequence<sequence<int>> made;  ///< by part: the values that are its outputs, in order
  sequence<node> values;         ///< their dtypes and ranks
  sequence<cut_call> calls;
};

class cutter {
 public:
  explicit constexpr cutter(const graph& g) : g_(g) {}

  constexpr cut_program run() {
    find_parts();
    find_values();
    cut_program c;
    c.values = values_;
    c.made.resize(static_cast<std::size_t>(parts_));
    for (std::size_t v = 0; v < values_.size(); ++v)
      if (maker_[v] >= 0) c.made[at(part_.data()[maker_[v]])].push_back(static_cast<int>(v));
    for (int p = 0; p < parts_; ++p) c.parts.push_back(part(p, c.made[at(p)]));
    for (int i = 0; i < g_.size(); ++i) {
      if (!is_cut(i)) continue;
      const node& n = g_.nodes.data()[i];
      cut_call call;
      call.host = static_cast<int>(n.at.v[0]);
      call.after = part_.data()[i];
      for (int x : operands_of(g_.nodes.data(), n)) call.operands.push_back(value_.data()[x]);
      call.result = made_by_[at(i)];
      c.calls.push_back(call);
    }
    return c;
  }

 private:
  static constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }
  /// Whether a node is a call that extents follow from.
  constexpr bool is_cut(int i) const {
    const node& n = g_.nodes.data()[i];
    return n.op == id_of<host_> && n.at.v[3] != 0;
  }
  /// The call between parts that a node is the result of; -1 for none.
  constexpr int call_of(int i) const {
    const node& n = g_.nodes.data()[i];
    return n.op == id_of<result_> && is_cut(n.in[0]) ? n.in[0] : -1;
  }

  /// The first part that knows an extent.
  constexpr int known_in(index_t e) const {
    return is_symbol(e) ? extent_part_.data()[symbol_number(e)] : 0;
  }
  constexpr void find_extents() {
    extent_part_.assign(g_.extents.size(), 0);
    for (std::size_t k = 0; k < g_.extents.size(); ++k) {
      const extent_expr& e = g_.extents.data()[k];
      int p = 0;
      if (e.kind == extent_kind::data) {
        for (int i = 0; i < g_.size(); ++i)
          if (is_cut(i) && g_.nodes.data()[i].at.v[1] == e.a) p = part_.data()[i] + 1;
      } else if (!is_leaf(e.kind)) {
        p = known_in(e.a) > known_in(e.b) ? known_in(e.a) : known_in(e.b);
      }
      extent_part_.data()[k] = p;
    }
  }
  /// The part of each node: the first that knows its operands and extents.
  constexpr void find_parts() {
    part_.assign(g_.nodes.size(), 0);
    for (bool changed = true; changed;) {  // extents follow from parts, and parts from extents
      changed = false;
      find_extents();
      for (int i = 0; i < g_.size(); ++i) {
        const node& n = g_.nodes.data()[i];
        int p = 0;
        for (int x : n.in) {
          if (x < 0) continue;
          const int from = part_.data()[x] + is_cut(x);
          p = from > p ? from : p;
        }
        if (!is_cut(i)) {
          for (int d = 0; d < n.shape.rank; ++d) p = later(p, n.shape.d[d]);
          if (n.op == id_of<extent_>) p = later(p, n.at.v[0]);
          if (n.op == id_of<scan_>) p = later(p, n.at.v[1]);
          if (n.op == id_of<slice_> || n.op == id_of<pad_>) p = later(p, n.at.v[1]);
        }
        changed = changed || p != part_.data()[i];
        part_.data()[i] = p;
      }
    }
    parts_ = 1;
    for (int p : part_) parts_ = p + 1 > parts_ ? p + 1 : parts_;
  }
  constexpr int later(int p, index_t e) const { return known_in(e) > p ? known_in(e) : p; }

  /// Nodes that every part makes for itself.
  constexpr bool everywhere(int i) const {
    const op_id op = g_.nodes.data()[i].op;
    return op == id_of<argument_> || op == id_of<constant_> || op == id_of<extent_> ||
           op == id_of<iota_> || op == id_of<undefined_>;
  }
  /// Nodes that a part makes again where it needs them: views and operands of control nodes.
  constexpr bool copied(int i) const {
    const node& n = g_.nodes.data()[i];
    return everywhere(i) || n.op == id_of<link_> || info(n.op).kind == op_kind::view;
  }
  constexpr int add_value(dtype type, const shape_of& shape, int maker) {
    node n;
    n.type = type;
    n.shape = shape;
    values_.push_back(n);
    maker_.push_back(maker);
    return static_cast<int>(values_.size()) - 1;
  }
  constexpr void value(int i) {
    if (value_.data()[i] < 0)
      value_.data()[i] = add_value(g_.nodes.data()[i].type, g_.nodes.data()[i].shape, i);
  }
  /// Values that a part needs of earlier ones, through what it makes again.
  constexpr void need(int i, int in_part) {
    if (everywhere(i) || call_of(i) >= 0) return;
    if (copied(i)) {
      for (int x : g_.nodes.data()[i].in)
        if (x >= 0) need(x, in_part);
    } else if (part_.data()[i] < in_part) {
      value(i);
    }
  }
  constexpr void find_values() {
    value_.assign(g_.nodes.size(), -1);
    made_by_.assign(g_.nodes.size(), -1);
    for (int i = 0; i < g_.size(); ++i) {
      const node& n = g_.nodes.data()[i];
      if (is_cut(i)) {
        for (int x : operands_of(g_.nodes.data(), n)) value(x);
        made_by_[at(i)] = add_value(n.type, n.shape, -1);
      } else if (const int call = call_of(i); call >= 0) {
        value_.data()[i] = made_by_[at(call)];
      } else if (!copied(i)) {
        for (int x : n.in)
          if (x >= 0 && !is_control(g_.nodes.data()[x].op)) need(x, part_.data()[i]);
      }
    }
    for (int o : g_.outputs) need(o, parts_ - 1);
  }

  constexpr graph part(int p, const sequence<int>& made) const {
    graph to;
    to.arguments = g_.arguments + static_cast<int>(values_.size());
    to.bodies = g_.bodies;
    to.hosts = g_.hosts;
    to.texts = g_.texts;
    for (std::size_t k = 0; k < g_.extents.size(); ++k) {
      extent_expr e = g_.extents.data()[k];
      if (e.kind == extent_kind::data && extent_part_.data()[k] <= p) {
        for (int call = 0; call < g_.size(); ++call) {
          const node& n = g_.nodes.data()[call];
          if (n.op != id_of<host_> || !is_cut(call) || n.at.v[1] != e.a) continue;
          const index_t argument = g_.arguments + made_by_[at(call)];
          e = e.b < 0 ? extent_expr{extent_kind::number, argument, static_cast<index_t>(n.type)}
                      : extent_expr{extent_kind::argument, argument, e.b};
          break;
        }
      } else if (extent_part_.data()[k] > p) {
        e = {extent_kind::data, 0, 0};
      }
      to.extents.push_back(e);
    }
    share_extents(to, to.extents);
    for (guard q : g_.guards) {
      const int known = known_in(q.a) > known_in(q.b) ? known_in(q.a) : known_in(q.b);
      if (known != p) continue;
      if (q.kind == guard_kind::broadcast) q.kind = guard_kind::equal;  // parts have one plan
      to.guards.push_back(q);
    }
    sequence<int> copy(g_.nodes.size(), -1);
    for (int v : made) to.outputs.push_back(place(to, copy, maker_[at(v)], p));
    if (p == parts_ - 1)
      for (int o : g_.outputs) to.outputs.push_back(place(to, copy, o, p));
    for (int e = g_.effect; e >= 0; e = g_.nodes.data()[e].in[1])
      if (part_.data()[e] == p && !is_cut(e)) {
        to.effect = place(to, copy, e, p);
        break;
      }
    return to;
  }
  /// Node i in part p: made there, or a value that is an argument of it.
  constexpr int place(graph& to, sequence<int>& copy, int root, int p) const {
    sequence<int> work{root};
    while (!work.empty()) {
      const int i = work.back();
      if (copy.data()[i] >= 0) {
        work.pop_back();
        continue;
      }
      node n = g_.nodes.data()[i];
      const int v = value_.data()[i];
      if (v >= 0 && (call_of(i) >= 0 || part_.data()[i] < p)) {
        node a;
        a.op = id_of<argument_>;
        a.type = n.type;
        a.shape = n.shape;
        a.at.v[0] = g_.arguments + v;
        n = a;
      }
      if (n.op == id_of<host_> || has_bodies(n.op)) {  // calls of an earlier part have happened
        while (n.in[1] >= 0 && (part_.data()[n.in[1]] != p || is_cut(n.in[1])))
          n.in[1] = g_.nodes.data()[n.in[1]].in[1];
      }
      const std::size_t before = work.size();
      for (int k = 3; k-- > 0;)
        if (n.in[k] >= 0 && copy.data()[n.in[k]] < 0) work.push_back(n.in[k]);
      if (work.size() != before) continue;
      work.pop_back();
      for (int& x : n.in)
        if (x >= 0) x = copy.data()[x];
      copy.data()[i] = to.size();
      to.nodes.push_back(n);
      to.where.push_back(g_.where.empty() ? location{} : g_.where.data()[i]);
    }
    return copy.data()[root];
  }

  const graph& g_;
  int parts_ = 1;
  sequence<int> part_, extent_part_;
  sequence<int> value_;    ///< by node
  sequence<int> made_by_;  ///< by call between parts: the value that it makes
  sequence<node> values_;
  sequence<int> maker_;  ///< by value: a node; -1 for what is made between parts
};

constexpr cut_program cut(const graph& g) {
  return cutter(g).run();
}

}  // namespace weft::detail
