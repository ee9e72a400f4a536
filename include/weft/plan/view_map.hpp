// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/graph/builder.hpp>

namespace weft::detail {

/// A node as a window on the node that holds its elements: source, and for each axis its stride
/// there.
struct view_map {
  int source = -1;
  index_t offset = 0;
  index_t stride[max_rank]{};
  int axis[max_rank]{-1, -1, -1,
                     -1, -1, -1};  ///< the source's axis, or -1 for a repeated or unit axis
  bool aligned = true;             ///< every axis is a whole axis of the source or repeated
};

/// Maps every node of a graph to its source. Extents of products are made in the builder, which
/// holds the graph.
class view_maps {
 public:
  sequence<view_map> of;  ///< by node

  explicit constexpr view_maps(builder& b) : b_(b) {
    of.reserve(static_cast<std::size_t>(b.g.size()) + 8);
    extend();
  }
  /// Maps the nodes that the builder has made since.
  constexpr void extend() {
    const int size = b_.g.size();
    for (int i = static_cast<int>(of.size()); i < size; ++i) of.push_back(map(i));
  }
  constexpr const view_map& operator[](int i) const { return of.first[i]; }

  /// Whether a view's elements lie one after another in row-major order from its offset.
  constexpr bool contiguous(const view_map& m, const shape_of& s) const {
    index_t expected = 1;
    for (int i = s.rank; i-- > 0;) {
      if (s.d[i] == 1) continue;
      if (m.stride[i] != expected) return false;
      expected = b_.multiply(expected, s.d[i]);
    }
    return true;
  }

  constexpr void row_major(const shape_of& s, index_t* stride) const {
    index_t step = 1;
    for (int i = s.rank; i-- > 0;) {
      stride[i] = s.d[i] == 1 ? 0 : step;
      step = b_.multiply(step, s.d[i]);
    }
  }

 private:
  constexpr view_map own(int i) {
    const node& n = b_.g.nodes.first[i];
    const bool positions = n.op == id_of<iota_> && n.at.v[0] >= 0;
    const bool strided = n.op == id_of<argument_> && n.at.v[1] != 0;
    const bool plain = !positions && !strided;
    view_map m;
    if (plain && alike_ >= 0 && b_.g.nodes.first[alike_].shape == n.shape) {
      m = of.first[alike_];
      m.source = i;
      return m;
    }
    m.source = i;
    for (int k = 0; k < n.shape.rank; ++k) m.axis[k] = n.shape.d[k] == 1 ? -1 : k;
    row_major(n.shape, m.stride);
    if (plain) alike_ = i;
    if (strided)
      for (int k = 0; k < n.shape.rank; ++k)
        if (n.shape.d[k] != 1) m.stride[k] = b_.extent(extent_kind::stride, n.at.v[0], k);
    if (positions)
      for (int k = 0; k < n.shape.rank; ++k) m.stride[k] = k == n.at.v[0] ? 1 : 0;
    return m;
  }

  constexpr view_map map(int i) {
    const node& n = b_.g.nodes.first[i];
    if (op_table[n.op].kind != op_kind::view) return own(i);
    const view_map x = of.first[n.in[0]];
    const shape_of from = b_.g.nodes.first[n.in[0]].shape;
    view_map m = x;
    if (n.op == id_of<broadcast_>) {
      const int added = n.shape.rank - from.rank;
      for (int k = 0; k < n.shape.rank; ++k) {
        const int j = k - added;
        m.axis[k] = -1;
        m.stride[k] = 0;
        if (j < 0) continue;
        if (from.d[j] == n.shape.d[k]) {
          m.axis[k] = x.axis[j];
          m.stride[k] = x.stride[j];
        } else if (from.d[j] != 1) {  // known at the call only
          m.stride[k] = b_.extent(extent_kind::unless_one, from.d[j], x.stride[j]);
          m.aligned = false;
        }
      }
    } else if (n.op == id_of<permute_>) {
      for (int k = 0; k < n.shape.rank; ++k) {
        m.axis[k] = x.axis[n.at.v[k]];
        m.stride[k] = x.stride[n.at.v[k]];
      }
    } else if (n.op == id_of<slice_>) {
      const int a = static_cast<int>(n.at.v[0]);
      m.offset = b_.sum(x.offset, b_.multiply(n.at.v[1], x.stride[a]));
      m.stride[a] = b_.multiply(n.at.v[2], x.stride[a]);
      m.aligned = false;
    } else if (n.op != id_of<barrier_> && !reshape(from, n.shape, x, m)) {
      return own(i);  // the plan copies its operand
    }
    return m;
  }

  /// A reshape as a view: unit axes come and go; contiguous elements take any shape.
  constexpr bool reshape(const shape_of& from, const shape_of& to, const view_map& x,
                         view_map& m) const {
    int j = 0, k = 0;
    view_map r = x;
    for (int i = 0; i < max_rank; ++i) r.axis[i] = -1, r.stride[i] = 0;
    while (true) {
      while (j < from.rank && from.d[j] == 1) ++j;
      while (k < to.rank && to.d[k] == 1) ++k;
      if (j == from.rank || k == to.rank || from.d[j] != to.d[k]) break;
      r.axis[k] = x.axis[j];
      r.stride[k++] = x.stride[j++];
    }
    if (j == from.rank && k == to.rank) {
      m = r;
      return true;
    }
    if (!contiguous(x, from)) return false;
    m = x;
    for (int i = 0; i < max_rank; ++i) m.axis[i] = -1;
    m.aligned = false;
    row_major(to, m.stride);
    return true;
  }

  builder& b_;
  int alike_ = -1;  ///< the last node that lies in row-major order: neighbours often do alike
};

}  // namespace weft::detail
