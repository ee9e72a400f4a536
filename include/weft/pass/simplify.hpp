// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/pass/rewrite.hpp>

namespace weft::detail {

/// A constant that every element of a node equals.
constexpr const node* constant_of(const builder& b, int i) {
  const node* n = b.g.nodes.first + i;
  while (n->op == id_of<broadcast_> || n->op == id_of<reshape_>) n = b.g.nodes.first + n->in[0];
  return n->op == id_of<constant_> ? n : nullptr;
}
constexpr bool is_constant(const builder& b, int i, double v) {
  const node* c = constant_of(b, i);
  if (!c) return false;
  if (is_floating(c->type))
    return static_cast<std::uint64_t>(c->at.v[0]) == std::bit_cast<std::uint64_t>(v);
  return c->at.v[0] == static_cast<index_t>(v);
}

/// The same view of a view made one node, where one suffices.
constexpr int merged_view(builder& b, node n) {
  const node x = b.at(n.in[0]);
  if (n.op == x.op && (n.op == id_of<reshape_> || n.op == id_of<broadcast_>)) {
    n.in[0] = x.in[0];
  } else if (n.op == id_of<permute_> && x.op == id_of<permute_>) {
    for (int k = 0; k < n.shape.rank; ++k) n.at.v[k] = x.at.v[n.at.v[k]];
    n.in[0] = x.in[0];
  } else if (n.op == id_of<reshape_> && x.op == id_of<broadcast_> &&
             b.at(x.in[0]).op == id_of<constant_>) {
    n.op = id_of<broadcast_>;
    n.in[0] = x.in[0];
  }
  const node& y = b.at(n.in[0]);
  if (n.op == id_of<permute_>) {
    for (int k = 0; k < n.shape.rank; ++k)
      if (n.at.v[k] != k) return b.add(n);
    return n.in[0];
  }
  return n.shape == y.shape ? n.in[0] : b.add(n);
}

/// Exact arithmetic on two constants of a floating dtype, as the kernel would round it.
constexpr bool folded(op_id op, dtype t, double x, double y, double& r) {
  if (op == id_of<add_>)
    r = x + y;
  else if (op == id_of<subtract_>)
    r = x - y;
  else if (op == id_of<multiply_>)
    r = x * y;
  else if (op == id_of<divide_> && y != 0)
    r = x / y;
  else
    return false;
  // Every float operation is exact enough in double to round once more to the same float.
  if (computed_in(t) == dtype::float32) {
    if (!(r <= 3.4e38 && r >= -3.4e38)) return false;
    r = static_cast<double>(static_cast<float>(r));
  }
  return r == r && r <= 1.7e308 && r >= -1.7e308;
}

/// What comparing two numbers of a floating dtype gives.
constexpr bool compared(op_id op, double x, double y) {
  return op == id_of<equal_>        ? x == y
         : op == id_of<not_equal_>  ? x != y
         : op == id_of<less_>       ? x < y
         : op == id_of<less_equal_> ? x <= y
         : op == id_of<greater_>    ? x > y
                                    : x >= y;
}

/// Rewritings that are exact for every IEEE input: identities of marks, x * 1, x - 0, x + (-0), x /
/// 1, x | 0, -(-x), a cotangent that is a known number, empty reductions, views of views, ops on
/// numbers that are spread over a shape.
constexpr int simplified(builder& b, const node& n, int) {
  if (op_table[n.op].kind == op_kind::identity) return n.in[0];
  if (op_table[n.op].kind == op_kind::view && n.op != id_of<slice_> && n.op != id_of<barrier_>)
    return merged_view(b, n);
  const bool integer = !is_floating(n.type);
  if (n.op == id_of<multiply_>) {
    if (is_constant(b, n.in[1], 1)) return n.in[0];
    if (is_constant(b, n.in[0], 1)) return n.in[1];
  } else if (n.op == id_of<divide_>) {
    if (is_constant(b, n.in[1], 1)) return n.in[0];
  } else if (n.op == id_of<subtract_>) {
    if (is_constant(b, n.in[1], 0.0)) return n.in[0];
  } else if (n.op == id_of<add_>) {
    if (is_constant(b, n.in[1], integer ? 0.0 : -0.0)) return n.in[0];
    if (is_constant(b, n.in[0], integer ? 0.0 : -0.0)) return n.in[1];
  } else if (n.op == id_of<bitwise_or_>) {
    if (is_constant(b, n.in[1], 0)) return n.in[0];
    if (is_constant(b, n.in[0], 0)) return n.in[1];
  } else if (n.op == id_of<negative_>) {
    if (b.at(n.in[0]).op == id_of<negative_>) return b.at(n.in[0]).in[0];
  } else if (n.op == id_of<cast_>) {
    if (b.at(n.in[0]).type == n.type && computed_in(n.type) == n.type) return n.in[0];
  } else if (n.op == id_of<mul_zero_>) {
    if (is_constant(b, n.in[0], 1)) return n.in[1];
    if (is_constant(b, n.in[0], 0)) return n.in[0];
    const node* c = constant_of(b, n.in[0]);
    const node* d = constant_of(b, n.in[1]);
    // A finite derivative needs no protection, and neither does a cotangent that is a number other
    // than 0 (of either sign: -0 stays for mul_zero to judge).
    if ((c && !is_constant(b, n.in[0], -0.0)) ||
        (d && std::bit_cast<double>(static_cast<std::uint64_t>(d->at.v[0])) -
                      std::bit_cast<double>(static_cast<std::uint64_t>(d->at.v[0])) ==
                  0)) {
      node m = n;
      m.op = id_of<multiply_>;
      return b.add(m);
    }
  } else if (op_table[n.op].kind == op_kind::reduction) {
    bool empty = true;  // only unit axes: nothing to combine
    for (int k = 0; k < n.shape.rank; ++k)
      if ((n.at.v[0] >> k & 1) && b.at(n.in[0]).shape.d[k] != 1) empty = false;
    if (empty && (n.op != id_of<reduce_sum_> || !is_floating(n.type))) return n.in[0];
    if (empty) {  // a sum begins with 0, so one element of -0 gives 0
      node zero, spread = n, sum = n;
      zero.op = id_of<constant_>;
      zero.type = n.type;
      spread.op = id_of<broadcast_>;
      spread.at = {};
      spread.in[0] = b.add(zero);
      sum.op = id_of<add_>;
      sum.at = {};
      sum.in[1] = n.shape.rank > 0 ? b.add(spread) : spread.in[0];
      return b.add(sum);
    }
  }
  if (op_table[n.op].kind == op_kind::pointwise && n.shape.rank > 0) {
    // Of numbers spread over a shape: the number is computed, then spread, so that whatever reads
    // it can compute it too.
    bool numbers = true;
    for (int k = 0; k < op_table[n.op].arity; ++k) {
      const node& x = b.at(n.in[k]);
      numbers = numbers && x.op == id_of<broadcast_> && b.at(x.in[0]).shape.rank == 0;
    }
    if (numbers) {
      node m = n, spread;
      for (int k = 0; k < op_table[n.op].arity; ++k) m.in[k] = b.at(n.in[k]).in[0];
      m.shape = {};
      spread.op = id_of<broadcast_>;
      spread.type = n.type;
      spread.shape = n.shape;
      spread.in[0] = simplified(b, m, 0);
      return b.add(spread);
    }
  }
  if (op_table[n.op].kind == op_kind::pointwise && op_table[n.op].arity == 2 &&
      is_floating(b.at(n.in[0]).type)) {
    const node* x = constant_of(b, n.in[0]);
    const node* y = constant_of(b, n.in[1]);
    node c;
    c.op = id_of<constant_>;
    c.type = n.type;
    bool known = x && y;
    if (known) {
      const double u = std::bit_cast<double>(static_cast<std::uint64_t>(x->at.v[0]));
      const double v = std::bit_cast<double>(static_cast<std::uint64_t>(y->at.v[0]));
      double r = 0;
      if (op_table[n.op].types == typing::compare) {
        c.at.v[0] = compared(n.op, u, v);
      } else {
        known = folded(n.op, n.type, u, v, r);
        c.at.v[0] = static_cast<index_t>(std::bit_cast<std::uint64_t>(r));
      }
    }
    if (known) {
      const int made = b.add(c);
      if (n.shape.rank == 0) return made;
      node w;
      w.op = id_of<broadcast_>;
      w.type = n.type;
      w.shape = n.shape;
      w.in[0] = made;
      return b.add(w);
    }
  }
  return b.add(n);
}

constexpr graph simplify(const graph& g) {
  return rewrite(g, simplified);
}

}  // namespace weft::detail
