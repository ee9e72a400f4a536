// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/grad/vjp.hpp>

namespace weft::detail {

/// The sum of two cotangents that lie side by side along an axis of one shape, as gradients of
/// slices do: their concatenation, padded where they do not fill the axis. -1 for any others.
/// Unlike a sum of pads it keeps a -0.
constexpr int joined_parts(builder& b, int x, int y) {
  if (b.at(x).op != id_of<pad_> || b.at(y).op != id_of<pad_>) return -1;
  if (!(b.at(x).shape == b.at(y).shape) || b.at(x).at.v[0] != b.at(y).at.v[0]) return -1;
  if (b.at(x).at.v[2] != 1 || b.at(y).at.v[2] != 1) return -1;
  const int axis = static_cast<int>(b.at(x).at.v[0]);
  auto extent = [&](int pad) { return b.find(b.at(b.at(pad).in[0]).shape.d[axis]); };
  auto end = [&](int pad) { return b.sum(b.find(b.at(pad).at.v[1]), extent(pad)); };
  if (end(x) != b.find(b.at(y).at.v[1])) {
    const int swapped = x;
    x = y;
    y = swapped;
    if (end(x) != b.find(b.at(y).at.v[1])) return -1;
  }
  const node first = b.at(x);
  node joined;
  joined.op = id_of<concat_>;
  joined.type = first.type;
  joined.shape = b.at(first.in[0]).shape;
  joined.in[0] = first.in[0];
  joined.in[1] = b.at(y).in[0];
  joined.at.v[0] = axis;
  const index_t whole = b.find(first.shape.d[axis]), left = extent(x), right = extent(y);
  const index_t both = b.sum(left, right);
  bool fills = both == whole;
  if (!fills && is_symbol(right)) {  // what remains: max(whole - left, 0), and left fits
    const extent_expr e = b.g.extents[static_cast<std::size_t>(symbol_number(right))];
    fills = e.kind == extent_kind::excess && b.find(e.a) == whole && b.find(e.b) == left;
  }
  fills = fills && first.at.v[1] == 0;
  joined.shape.d[axis] = fills ? whole : both;
  const int made = b.add(joined);
  if (fills) return made;
  node pad = first;
  pad.in[0] = made;
  return b.add(pad);
}

}  // namespace weft::detail
