// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/graph/builder.hpp>

namespace weft::detail {

/// Copies the live part of a graph into a new one, operands first and in operand order from the
/// outputs, through a rule that may return another node. The order makes the result canonical; the
/// builder's hashing makes equal nodes one.
template <class Rule>
constexpr graph rewrite(const graph& g, Rule&& rule) {
  builder b;
  b.g.extents = g.extents;
  b.adopt_extents();
  b.g.guards = g.guards;
  b.g.arguments = g.arguments;
  b.g.error = g.error;
  b.g.hosts = g.hosts;
  sequence<int> made_by(g.nodes.size(), -1), waiting;
  waiting.reserve(3 * g.nodes.size() + 1);
  int* made = made_by.first;
  int* work = waiting.first;  // a stack: a node lies in it at most once for each operand that it is
  const node* nodes = g.nodes.first;
  b.expect(g.nodes.size());
  const bool bodies = !g.bodies.empty();
  const int roots = static_cast<int>(g.outputs.size());
  for (int r = -1; r < roots; ++r) {  // calls of the host first: they come where they were written
    const int o = r >= 0 ? g.outputs.first[r] : g.effect;
    if (o < 0) continue;
    int depth = 0;
    work[depth++] = o;
    while (depth > 0) {
      const int i = work[depth - 1];
      if (made[i] >= 0) {
        --depth;
        continue;
      }
      const node& n = nodes[i];
      const int x = n.in[0], y = n.in[1], z = n.in[2], before = depth;
      if (z >= 0 && made[z] < 0) work[depth++] = z;
      if (y >= 0 && made[y] < 0) work[depth++] = y;
      if (x >= 0 && made[x] < 0) work[depth++] = x;
      if (depth != before) continue;
      node m = n;
      if (x >= 0) m.in[0] = made[x];
      if (y >= 0) m.in[1] = made[y];
      if (z >= 0) m.in[2] = made[z];
      for (int k = 0, end = bodies ? body_count(n.op) : 0; k < end; ++k) {
        b.g.bodies.push_back(g.bodies.first[n.at.v[k]]);
        m.at.v[k] = static_cast<index_t>(b.g.bodies.size()) - 1;
      }
      b.here(g.where.first[i]);
      made[i] = rule(b, m, i);
      --depth;
    }
    if (r >= 0)
      b.g.outputs.push_back(made[o]);
    else
      b.g.effect = made[o];
  }
  return std::move(b.g);
}

/// Dead code and duplicates go, nothing else changes.
constexpr graph canonical(const graph& g) {
  return rewrite(g, [](builder& b, const node& n, int) { return b.add(n); });
}

}  // namespace weft::detail
