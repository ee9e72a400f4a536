// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/pass/rewrite.hpp>

namespace weft::detail {

/// Whether a node's elements lie in memory in one piece and in row-major order.
constexpr bool in_one_piece(const builder& b, int i) {
  const node& n = b.at(i);
  const op_kind kind = op_table[n.op].kind;
  if (kind == op_kind::leaf) return n.op == id_of<argument_> && n.at.v[1] == 0;
  if (n.op == id_of<reshape_> || n.op == id_of<barrier_>) return in_one_piece(b, n.in[0]);
  if (n.op == id_of<slice_> && n.at.v[0] == 0 && n.at.v[2] == 1) return in_one_piece(b, n.in[0]);
  return kind != op_kind::view;
}

/// Operands of control nodes that are no memory in one piece (constants, transposed or strided
/// views) get a copy.
constexpr graph materialize(const graph& g) {
  return rewrite(g, [](builder& b, const node& n, int) {
    if (n.op != id_of<link_> || in_one_piece(b, n.in[0])) return b.add(n);
    node copy = n, link = n;
    copy.op = id_of<fresh_>;
    copy.in[1] = -1;
    copy.at.v[0] = -1 - b.g.size();
    link.in[0] = b.add(copy);
    return b.add(link);
  });
}

}  // namespace weft::detail
