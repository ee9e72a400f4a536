// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/graph/graph.hpp>

namespace weft::detail {

struct graph_sizes {
  int nodes = 0, extents = 0, guards = 0, outputs = 0, arguments = 0;
  message error{};
};
constexpr graph_sizes sizes_of(const graph& g) {
  auto n = [](const auto& v) { return static_cast<int>(v.size()); };
  return {n(g.nodes), n(g.extents), n(g.guards), n(g.outputs), g.arguments, g.error};
}

/// A graph in arrays of just its sizes: what a program keeps as a static constexpr member.
template <int N, int E, int G, int O> struct fixed_graph {
  node nodes[static_cast<std::size_t>(N + 1)]{};
  location where[static_cast<std::size_t>(N + 1)]{};
  extent_expr extents[static_cast<std::size_t>(E + 1)]{};
  guard guards[static_cast<std::size_t>(G + 1)]{};
  int outputs[static_cast<std::size_t>(O + 1)]{};
  static constexpr int node_count = N, extent_count = E, guard_count = G, output_count = O;
  int arguments = 0;
  message error{};
};

template <int N, int E, int G, int O> constexpr fixed_graph<N, E, G, O> frozen(const graph& g) {
  fixed_graph<N, E, G, O> r;
  r.error = g.error;
  r.arguments = g.arguments;
  auto copy = [](const auto& from, auto* to) {
    for (const auto& x : from) *to++ = x;
  };
  copy(g.nodes, r.nodes);
  copy(g.where, r.where);
  copy(g.extents, r.extents);
  copy(g.guards, r.guards);
  copy(g.outputs, r.outputs);
  return r;
}

template <int N, int E, int G, int O> constexpr graph thawed(const fixed_graph<N, E, G, O>& f) {
  graph g;
  g.nodes.assign(f.nodes, f.nodes + N);
  g.where.assign(f.where, f.where + N);
  g.extents.assign(f.extents, f.extents + E);
  g.guards.assign(f.guards, f.guards + G);
  g.outputs.assign(f.outputs, f.outputs + O);
  g.arguments = f.arguments;
  g.error = f.error;
  return g;
}

}  // namespace weft::detail
