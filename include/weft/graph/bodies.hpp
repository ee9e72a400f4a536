// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/graph/builder.hpp>

// Control nodes: their operands and results, and how the bodies that were captured in one builder
// become graphs of their own.
namespace weft::detail {

constexpr bool has_bodies(op_id op) {
  return op == id_of<cond_> || op == id_of<scan_> || op == id_of<while_>;
}
constexpr bool is_control(op_id op) {
  return op == id_of<scan_> || op == id_of<cond_> || op == id_of<while_> || op == id_of<host_>;
}
constexpr int body_count(op_id op) {
  return op == id_of<scan_> ? 1 : has_bodies(op) ? 2 : 0;
}

/// The operands of a control node, first to last.
constexpr sequence<int> operands_of(const node* nodes, const node& control) {
  sequence<int> r;
  for (int link = control.in[0]; link >= 0; link = nodes[link].in[1])
    r.push_back(nodes[link].in[0]);
  for (std::size_t i = 0, j = r.size(); i + 1 < j; ++i) std::swap(r[i], r[--j]);
  return r;
}

/// A control node on these operands, which runs after another one that has effects. `like` has the
/// dtype and shape of a host call's result.
constexpr int make_control(builder& b, op_id op, const attributes& at,
                           const sequence<int>& operands, int after = -1, const node& like = {}) {
  int last = -1;
  for (int x : operands) {
    node n;
    n.op = id_of<link_>;
    n.type = b.at(x).type;
    n.shape = b.at(x).shape;
    n.in[0] = x;
    n.in[1] = last;
    last = b.add(n);
  }
  node n;
  n.op = op;
  n.type = like.type;
  n.shape = like.shape;
  n.at = at;
  n.in[0] = last;
  n.in[1] = after;
  return b.add(n);
}
constexpr int make_result(builder& b, int control, int k, dtype type, const shape_of& shape) {
  node n;
  n.op = id_of<result_>;
  n.type = type;
  n.shape = shape;
  n.at.v[0] = k;
  n.in[0] = control;
  return b.add(n);
}

/// Says that another control node gives the results of `node`.
constexpr void succeed(sequence<succession>& by, int node, const succession& s) {
  if (by.size() <= static_cast<std::size_t>(node))
    by.resize(static_cast<std::size_t>(node) + 1, {});
  by.first[node] = s;
}
/// Turns a result to the control node that gives it now.
constexpr void follow(const sequence<succession>& by, node& result) {
  while (static_cast<std::size_t>(result.in[0]) < by.size()) {
    const succession& s = by.first[result.in[0]];
    if (s.by < 0) return;
    result.in[0] = s.by;
    if (result.at.v[0] >= s.first) result.at.v[0] += s.shift;
  }
}
constexpr int followed(const sequence<succession>& by, int control) {
  node n;
  n.in[0] = control;
  if (control >= 0) follow(by, n);
  return n.in[0];
}
/// Node i, as a result of the control node that gives it now if it is one.
constexpr node current(const builder& b, const sequence<succession>& by, int i) {
  node n = b.at(i);
  if (n.op == id_of<result_>) follow(by, n);
  return n;
}

/// A new input of a body.
constexpr int make_parameter(builder& b, dtype type, const shape_of& shape) {
  node n;
  n.op = id_of<parameter_>;
  n.type = type;
  n.shape = shape;
  n.at.v[0] = b.next_unique();
  return b.add(n);
}

/// Which nodes follow from some others, and which cost nothing to make anywhere.
class dependence {
 public:
  sequence<char> on;        ///< by node
  sequence<char> portable;  ///< by node: constants, extents, positions, and views of them

  constexpr dependence(const builder& b, const sequence<int>& seeds)
      : on(b.g.nodes.size(), 0), portable(b.g.nodes.size(), 0) {
    for (int s : seeds) on.first[s] = 1;
    for (int i = 0; i < b.g.size(); ++i) {
      const node& n = b.at(i);
      const op_kind kind = info(n.op).kind;
      bool movable = kind == op_kind::view || (kind == op_kind::leaf && n.op != id_of<argument_> &&
                                               n.op != id_of<parameter_>);
      for (int x : n.in) {
        if (x < 0) continue;
        if (on.first[x]) on.first[i] = 1;
        movable = movable && portable.first[x];
      }
      portable.first[i] = movable && !on.first[i];
    }
  }
};

/// The nodes that were made for some bodies.
constexpr sequence<char> made_for(const builder& b, const sequence<int>& records) {
  sequence<char> r(b.g.nodes.size(), 0);
  for (int k : records) {
    const sequence<int>& made = b.records[static_cast<std::size_t>(k)].made;
    for (std::size_t m = 0; m + 1 < made.size(); m += 2)
      for (int i = made[m]; i < made[m + 1]; ++i) r.first[i] = 1;
  }
  return r;
}

/// What bodies read beside their own parameters, in the order in which they meet it: values that do
/// not follow from a parameter, or, where they are `whole`, that were not made for them. Constants
/// are made again in the body.
constexpr sequence<int> closed_over(const builder& b, const sequence<int>& records,
                                    bool whole = false) {
  sequence<int> found;
  sequence<char> own;
  if (whole) own = made_for(b, records);
  for (int k : records) {
    const body_record& body = b.records[static_cast<std::size_t>(k)];
    sequence<int> seeds = body.parameters;  // calls of the host belong to the body, too
    for (int e = body.effect; e >= 0; e = b.at(e).in[1]) seeds.push_back(e);
    const dependence depends(b, seeds);
    sequence<char> seen(b.g.nodes.size(), 0);
    for (int p : body.parameters) seen.first[p] = 1;
    sequence<int> work;
    if (body.effect >= 0) work.push_back(followed(body.successor, body.effect));
    for (std::size_t r = body.results.size(); r-- > 0;) work.push_back(body.results[r]);
    while (!work.empty()) {
      const int i = work.back();
      work.pop_back();
      if (seen.first[i]) continue;
      seen.first[i] = 1;
      const node n = current(b, body.successor, i);
      const bool inside = depends.on.first[i] || depends.portable.first[i] ||
                          (whole && own.first[i]) || n.op == id_of<link_> || is_control(n.op);
      if (inside) {
        for (int x = 3; x-- > 0;)
          if (n.in[x] >= 0) work.push_back(n.in[x]);
        continue;
      }
      bool known = false;
      for (int f : found) known = known || f == i;
      if (!known) found.push_back(i);
    }
  }
  return found;
}

/// Copies the live part of what a builder holds into graphs: the program, and the bodies in it.
class extractor {
 public:
  explicit constexpr extractor(builder& b) : b_(b) {}

  /// The graph of the values `results` and the last call of the host, `effect`, where `parameters`
  /// are its arguments; arguments of the program stay what they are if there are no parameters.
  constexpr graph extract(const sequence<int>& parameters, const sequence<int>& results, int effect,
                          const sequence<succession>& by, bool body) {
    graph to;
    to.arguments = body ? static_cast<int>(parameters.size()) : b_.g.arguments;
    sequence<int> made(b_.g.nodes.size(), -1), argument(body ? b_.g.nodes.size() : 0, -1);
    for (std::size_t k = parameters.size(); k-- > 0;)
      argument.first[parameters[k]] = static_cast<int>(k);
    sequence<int> work;
    for (std::size_t r = 0; r <= results.size(); ++r) {
      const bool calls = r == 0;  // of the host: they come where they were written
      const int root = calls ? followed(by, effect) : results[r - 1];
      if (root < 0) continue;
      work.push_back(root);
      while (!work.empty()) {
        const int i = work.back();
        if (made.first[i] >= 0) {
          work.pop_back();
          continue;
        }
        node n = b_.at(i);
        if (body && argument.first[i] >= 0) {
          node a;
          a.op = id_of<argument_>;
          a.type = n.type;
          a.shape = n.shape;
          a.at.v[0] = argument.first[i];
          n = a;
        } else {
          if (n.op == id_of<result_>) follow(by, n);
          if (is_control(n.op)) n.in[1] = followed(by, n.in[1]);
          if (n.op == id_of<parameter_> || (body && n.op == id_of<argument_>)) {
            b_.here(b_.g.where.first[i]);
            b_.fail(message{}.put(
                "weft: a value of a body is used outside of it: return it from the body"));
            n.op = id_of<undefined_>;
          }
        }
        const std::size_t before = work.size();
        for (int k = 3; k-- > 0;)
          if (n.in[k] >= 0 && made.first[n.in[k]] < 0) work.push_back(n.in[k]);
        if (work.size() != before) continue;
        work.pop_back();
        for (int& x : n.in)
          if (x >= 0) x = made.first[x];
        n.shape = b_.find(n.shape);
        if (n.op == id_of<extent_>) n.at.v[0] = b_.find(n.at.v[0]);
        if (n.op == id_of<scan_>) n.at.v[1] = b_.find(n.at.v[1]);
        for (int k = 0; k < body_count(n.op); ++k) {
          const body_record& inner = b_.records[static_cast<std::size_t>(n.at.v[k == 1 ? 1 : 0])];
          to.bodies.push_back(
              extract(inner.parameters, inner.results, inner.effect, inner.successor, true));
          n.at.v[k] = static_cast<index_t>(to.bodies.size()) - 1;
        }
        made.first[i] = to.size();
        to.nodes.push_back(n);
        to.where.push_back(b_.g.where.first[i]);
      }
      if (calls)
        to.effect = made.first[root];
      else
        to.outputs.push_back(made.first[root]);
    }
    return to;
  }

 private:
  builder& b_;
};

/// Every body's table of extents is the program's.
constexpr void share_extents(graph& g, const sequence<extent_expr>& table) {
  for (graph& body : g.bodies) {
    body.extents = table;
    share_extents(body, table);
  }
}

constexpr graph builder::with_bodies() {
  graph to = extractor(*this).extract({}, g.outputs, effect, successor, false);
  to.extents = std::move(g.extents);
  to.guards = std::move(g.guards);
  to.texts = std::move(g.texts);
  to.hosts = std::move(g.hosts);
  to.error = g.error;
  to.error_at = g.error_at;
  share_extents(to, to.extents);
  return to;
}

}  // namespace weft::detail
