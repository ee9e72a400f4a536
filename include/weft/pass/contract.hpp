// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/pass/rewrite.hpp>

namespace weft::detail {

/// Makes a product with one use that feeds an addition one FMA: a*b + c, a*b - c, c - a*b; never
/// where both sides are products (conventions: contraction).
constexpr graph contract(const graph& g) {
  sequence<int> uses(g.nodes.size(), 0);  // by live nodes: simplification leaves dead ones
  const node* nodes = g.nodes.first;
  int* used = uses.first;
  for (int o : g.outputs) ++used[o];
  if (g.effect >= 0) ++used[g.effect];
  for (int i = g.size(); i-- > 0;) {
    if (used[i] == 0) continue;
    const int x = nodes[i].in[0], y = nodes[i].in[1], z = nodes[i].in[2];
    if (x >= 0) ++used[x];
    if (y >= 0) ++used[y];
    if (z >= 0) ++used[z];
  }
  /// Which operand of a sum or difference becomes part of it; -1 for none.
  auto side_of = [&](const node& n) {
    if ((n.op != id_of<add_> && n.op != id_of<subtract_>) || !is_floating(n.type)) return -1;
    const bool left = nodes[n.in[0]].op == id_of<multiply_>;
    if (left == (nodes[n.in[1]].op == id_of<multiply_>)) return -1;
    return used[n.in[left ? 0 : 1]] == 1 ? (left ? 0 : 1) : -1;
  };
  sequence<char> merged(g.nodes.size(), 0);  // products that only live on in an FMA
  for (int i = 0, end = g.size(); i < end; ++i) {
    const int side = used[i] > 0 ? side_of(nodes[i]) : -1;
    if (side >= 0) merged.first[nodes[i].in[side]] = 1;
  }
  // Operands of merged products, by product, in the new graph.
  sequence<int> left_of, right_of;
  left_of.reserve(g.nodes.size());
  right_of.reserve(g.nodes.size());
  return rewrite(g, [&](builder& b, const node& n, int i) {
    if (merged.first[i]) {
      left_of.first[i] = n.in[0];
      right_of.first[i] = n.in[1];
      return n.in[0];  // stands in for the product, which nothing else uses
    }
    const node& old = nodes[i];
    const int side = side_of(old);
    if (side < 0) return b.add(n);
    auto negated = [&](int x) {
      node m;
      m.op = id_of<negative_>;
      m.type = n.type;
      m.shape = n.shape;
      m.in[0] = x;
      return b.add(m);
    };
    const int product = old.in[side];
    node f = n;
    f.op = id_of<fma_>;
    f.in[0] = left_of.first[product];
    f.in[1] = right_of.first[product];
    f.in[2] = n.in[1 - side];
    if (n.op == id_of<subtract_>) f.in[side == 0 ? 2 : 0] = negated(f.in[side == 0 ? 2 : 0]);
    return b.add(f);
  });
}

}  // namespace weft::detail
