// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/graph/graph.hpp>

namespace weft::detail {

/// A graph in arrays, with a capacity in its type: what a program keeps as a static constexpr member.
template <int C> struct fixed_graph {
  node nodes[static_cast<std::size_t>(C)]{};
  location where[static_cast<std::size_t>(C)]{};
  extent_expr extents[static_cast<std::size_t>(2 * C)]{};
  guard guards[static_cast<std::size_t>(2 * C)]{};
  int outputs[static_cast<std::size_t>(C)]{};
  int node_count = 0, extent_count = 0, guard_count = 0, output_count = 0, arguments = 0;
  bool fits = false;
  message error{};
};

template <int C> constexpr fixed_graph<C> frozen(const graph& g) {
  fixed_graph<C> r;
  r.error = g.error;
  r.arguments = g.arguments;
  r.fits = g.nodes.size() <= C && g.extents.size() <= 2 * C && g.guards.size() <= 2 * C && g.outputs.size() <= C;
  if (!r.fits) return r;
  auto copy = [](const auto& from, auto* to) {
    for (const auto& x : from) *to++ = x;
    return static_cast<int>(from.size());
  };
  r.node_count = copy(g.nodes, r.nodes);
  copy(g.where, r.where);
  r.extent_count = copy(g.extents, r.extents);
  r.guard_count = copy(g.guards, r.guards);
  r.output_count = copy(g.outputs, r.outputs);
  return r;
}

template <int C> constexpr graph thawed(const fixed_graph<C>& f) {
  graph g;
  g.nodes.assign(f.nodes, f.nodes + f.node_count);
  g.where.assign(f.where, f.where + f.node_count);
  g.extents.assign(f.extents, f.extents + f.extent_count);
  g.guards.assign(f.guards, f.guards + f.guard_count);
  g.outputs.assign(f.outputs, f.outputs + f.output_count);
  g.arguments = f.arguments;
  g.error = f.error;
  return g;
}

}  // namespace weft::detail
