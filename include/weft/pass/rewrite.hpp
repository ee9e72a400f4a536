// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/graph/builder.hpp>

#include <vector>

namespace weft::detail {

/// Copies the live part of a graph into a new one, operands first and in operand order from the outputs, through a rule
/// that may return another node. The order makes the result canonical; the builder's hashing makes equal nodes one.
template <class Rule> constexpr graph rewrite(const graph& g, Rule&& rule) {
  builder b;
  b.g.extents = g.extents;
  b.adopt_extents();
  b.g.guards = g.guards;
  b.g.arguments = g.arguments;
  b.g.error = g.error;
  std::vector<int> made(g.nodes.size(), -1), work;
  for (int o : g.outputs) {
    work.push_back(o);
    while (!work.empty()) {
      const int i = work.back();
      if (made[static_cast<std::size_t>(i)] >= 0) {
        work.pop_back();
        continue;
      }
      const node& n = g.nodes[static_cast<std::size_t>(i)];
      bool waits = false;
      for (int k = 3; k-- > 0;)
        if (n.in[k] >= 0 && made[static_cast<std::size_t>(n.in[k])] < 0) work.push_back(n.in[k]), waits = true;
      if (waits) continue;
      node m = n;
      for (int k = 0; k < 3; ++k)
        if (m.in[k] >= 0) m.in[k] = made[static_cast<std::size_t>(m.in[k])];
      b.here(g.where[static_cast<std::size_t>(i)]);
      made[static_cast<std::size_t>(i)] = rule(b, m, i);
      work.pop_back();
    }
    b.g.outputs.push_back(made[static_cast<std::size_t>(o)]);
  }
  return std::move(b.g);
}

/// Dead code and duplicates go, nothing else changes.
constexpr graph canonical(const graph& g) {
  return rewrite(g, [](builder& b, const node& n, int) { return b.add(n); });
}

}  // namespace weft::detail
