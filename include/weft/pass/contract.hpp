// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/pass/rewrite.hpp>

namespace weft::detail {

/// Makes a product with one use that feeds an addition one FMA: a*b + c, a*b - c, c - a*b; never where both sides are
/// products (conventions: contraction).
constexpr graph contract(const graph& g) {
  std::vector<int> uses(g.nodes.size(), 0);  // by live nodes: simplification leaves dead ones
  for (int o : g.outputs) ++uses[static_cast<std::size_t>(o)];
  for (std::size_t i = g.nodes.size(); i-- > 0;)
    for (int x : g.nodes[i].in)
      if (x >= 0 && uses[i] > 0) ++uses[static_cast<std::size_t>(x)];
  auto is_product = [&](int i) {
    return g.nodes[static_cast<std::size_t>(i)].op == id_of<multiply_>;
  };
  return rewrite(g, [&](builder& b, const node& n, int i) {
    const bool sum = n.op == id_of<add_>, difference = n.op == id_of<subtract_>;
    if ((!sum && !difference) || !is_floating(n.type)) return b.add(n);
    const node& old = g.nodes[static_cast<std::size_t>(i)];
    const bool left = is_product(old.in[0]), right = is_product(old.in[1]);
    if (left == right) return b.add(n);
    const int side = left ? 0 : 1;
    if (uses[static_cast<std::size_t>(old.in[side])] != 1) return b.add(n);
    auto negated = [&](int x) {
      node m;
      m.op = id_of<negative_>;
      m.type = n.type;
      m.shape = n.shape;
      m.in[0] = x;
      return b.add(m);
    };
    const node product = b.at(n.in[side]);
    if (product.op != id_of<multiply_>) return b.add(n);
    node f = n;
    f.op = id_of<fma_>;
    f.in[0] = product.in[0];
    f.in[1] = product.in[1];
    f.in[2] = n.in[1 - side];
    if (difference && left) f.in[2] = negated(f.in[2]);
    if (difference && right) f.in[0] = negated(f.in[0]);
    return b.add(f);
  });
}

}  // namespace weft::detail
