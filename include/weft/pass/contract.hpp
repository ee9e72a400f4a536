// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/pass/rewrite.hpp>

namespace weft::detail {

/// Makes a product with one use that feeds an addition one FMA: a*b + c, a*b - c, c - a*b; never
/// where both sides are products (conventions: contraction).
constexpr graph contract(const graph& g) {
  sequence<int> uses(g.nodes.size(), 0);  // by live nodes: simplification leaves dead ones
  for (int o : g.outputs) ++uses[static_cast<std::size_t>(o)];
  if (g.effect >= 0) ++uses[static_cast<std::size_t>(g.effect)];
  for (std::size_t i = g.nodes.size(); i-- > 0;)
    for (int x : g.nodes[i].in)
      if (x >= 0 && uses[i] > 0) ++uses[static_cast<std::size_t>(x)];
  auto is_product = [&](int i) {
    return g.nodes[static_cast<std::size_t>(i)].op == id_of<multiply_>;
  };
  /// Which operand of a sum or difference becomes part of it; -1 for none.
  auto side_of = [&](const node& n) {
    if ((n.op != id_of<add_> && n.op != id_of<subtract_>) || !is_floating(n.type)) return -1;
    const bool left = is_product(n.in[0]), right = is_product(n.in[1]);
    if (left == right) return -1;
    return uses[static_cast<std::size_t>(n.in[left ? 0 : 1])] == 1 ? (left ? 0 : 1) : -1;
  };
  sequence<char> merged(g.nodes.size(), 0);  // products that only live on in an FMA
  for (std::size_t i = 0, end = g.nodes.size(); i < end; ++i) {
    const int side = uses[i] > 0 ? side_of(g.nodes[i]) : -1;
    if (side >= 0) merged[static_cast<std::size_t>(g.nodes[i].in[side])] = 1;
  }
  // Operands of merged products, by product, in the new graph.
  sequence<int> left_of(g.nodes.size(), -1), right_of(g.nodes.size(), -1);
  return rewrite(g, [&](builder& b, const node& n, int i) {
    if (merged[static_cast<std::size_t>(i)]) {
      left_of[static_cast<std::size_t>(i)] = n.in[0];
      right_of[static_cast<std::size_t>(i)] = n.in[1];
      return n.in[0];  // stands in for the product, which nothing else uses
    }
    const node& old = g.nodes[static_cast<std::size_t>(i)];
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
    const std::size_t product = static_cast<std::size_t>(old.in[side]);
    node f = n;
    f.op = id_of<fma_>;
    f.in[0] = left_of[product];
    f.in[1] = right_of[product];
    f.in[2] = n.in[1 - side];
    if (n.op == id_of<subtract_>) f.in[side == 0 ? 2 : 0] = negated(f.in[side == 0 ? 2 : 0]);
    return b.add(f);
  });
}

}  // namespace weft::detail
