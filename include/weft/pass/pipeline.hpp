// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/pass/contract.hpp>
#include <weft/pass/materialize.hpp>
#include <weft/pass/simplify.hpp>
#include <weft/pass/trim.hpp>

#include <utility>

namespace weft::detail {

struct pass {
  std::string_view name;
  graph (*run)(const graph&);
  bool for_control = false;  ///< of use where there are control nodes only
};

constexpr graph optimised(graph g);

/// Trims control nodes, and runs the pipeline on their bodies.
constexpr graph optimise_bodies(const graph& g) {
  graph r = trimming(g).run();
  for (graph& body : r.bodies) body = optimised(std::move(body));
  return r;
}

/// The passes, in order. Each takes a graph and returns one; simplification also removes duplicates
/// and dead nodes, since every rewriting does.
inline constexpr pass pipeline[] = {
    {"simplify", simplify},              // marks of transforms, exact identities, views of views
    {"contract", contract},              // FMA where the graph says so
    {"bodies", optimise_bodies, true},   // what control nodes need, and the same for their bodies
    {"materialize", materialize, true},  // operands of control nodes are whole
};

constexpr bool has_control(const graph& g) {
  for (const node& n : g.nodes)
    if (is_control(n.op)) return true;
  return false;
}

constexpr graph optimised(graph g) {
  const bool control = has_control(g);  // no pass brings any in
  for (const pass& p : pipeline) {
    if (!g.error.empty()) break;
    if (!p.for_control || (control && has_control(g))) g = p.run(g);
  }
  return g;
}

}  // namespace weft::detail
