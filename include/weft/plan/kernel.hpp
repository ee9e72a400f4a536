// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/graph/graph.hpp>

namespace weft::detail {

/// How an access moves along the innermost loop.
enum class stride_kind : std::uint8_t {
  none,    ///< the same element throughout
  unit,    ///< the next element
  strided  ///< a step known at the call
};

/// Where a value of a kernel lives: one for every element of the domain, or one for a whole row.
enum class level : std::uint8_t { element, row };

/// One value of a kernel's body. Loads are `argument_` (memory) or `iota_` (positions), numbered in
/// order; a reduction stands at row level, its operand at element level.
struct kernel_node {
  op_id op = 0;
  dtype type{};  ///< 16-bit types only of loads, whose lanes are floats, and of casts, which round
  dtype lane{};  ///< for bool: the dtype of the lanes that its mask belongs to; else the type
  signed char in[3]{-1, -1, -1};
  signed char load = -1;  ///< number of the access, for a load
  level at{};
  std::uint8_t phase = 0;  ///< element: the pass over the row that first computes it; row: the pass
                           ///< before which it is known
  bool kept = false;       ///< element: written to scratch in its phase and read back in later ones
  bool uniform = false;    ///< row: the same for all rows of a call
  stride_kind stride{};
  index_t bits = 0;  ///< of a constant
  constexpr bool operator==(const kernel_node&) const = default;
};

enum class store_kind : std::uint8_t {
  element,  ///< every element
  row,      ///< one a row
  column    ///< accumulated over rows
};

struct kernel_store {
  signed char node = -1;
  store_kind kind{};
  op_id reduce = 0;  ///< for a column: how rows combine
  dtype type{};
  std::uint8_t phase = 0;
  stride_kind stride{};
  constexpr bool operator==(const kernel_store&) const = default;
};

/// Loops of a step: the axes of a domain, and the summed one of a product.
inline constexpr int max_loops = max_rank + 1;

inline constexpr int max_kernel_nodes = 80;
inline constexpr int max_kernel_stores = 16;
inline constexpr int max_kernel_loads = 28;

/// A loop nest as a value: rows, in each row one pass (phase) after another over its elements. It
/// names no buffers and no extents, so that equal work anywhere in a program is one kernel.
/// Structural, with a capacity in its type.
template <int N, int S>
struct basic_kernel {
  kernel_node nodes[static_cast<std::size_t>(N > 0 ? N : 1)]{};
  kernel_store stores[static_cast<std::size_t>(S > 0 ? S : 1)]{};
  int size = 0, store_count = 0, loads = 0, phases = 1;
};

/// The same while it is made and printed.
struct kernel {
  sequence<kernel_node> nodes;
  sequence<kernel_store> stores;
  int size = 0, store_count = 0, loads = 0, phases = 1;

  constexpr int add(const kernel_node& n) {
    nodes.push_back(n);
    return size++;
  }
  constexpr void add(const kernel_store& s) {
    stores.push_back(s);
    ++store_count;
  }
  constexpr bool operator==(const kernel& o) const {
    if (size != o.size || store_count != o.store_count || loads != o.loads || phases != o.phases)
      return false;
    for (int i = 0; i < size; ++i)
      if (!(nodes.data()[i] == o.nodes.data()[i])) return false;
    for (int i = 0; i < store_count; ++i)
      if (!(stores.data()[i] == o.stores.data()[i])) return false;
    return true;
  }
};

/// A kernel as words: what it is compared by and kept as. Words is a sequence, or fixed_words.
template <class Words>
constexpr void encode_kernel(const kernel& k, Words& words) {
  const auto byte = [](index_t v, int at) { return (v & 255) << at; };
  index_t* to = words.room_for(static_cast<std::size_t>(1 + 2 * k.size + k.store_count));
  *to++ = k.size | static_cast<index_t>(k.store_count) << 8 | static_cast<index_t>(k.loads) << 16 |
          static_cast<index_t>(k.phases) << 24;
  const kernel_node* n = k.nodes.first;
  for (int i = 0; i < k.size; ++i, ++n, to += 2) {
    to[0] = n->op | static_cast<index_t>(n->in[0] + 1) << 8 |
            static_cast<index_t>(n->in[1] + 1) << 16 | static_cast<index_t>(n->in[2] + 1) << 24 |
            static_cast<index_t>(n->load + 1) << 32 | static_cast<index_t>(n->phase) << 40 |
            static_cast<index_t>(n->type) << 48 | static_cast<index_t>(n->lane) << 52 |
            static_cast<index_t>(n->at) << 56 | static_cast<index_t>(n->kept) << 57 |
            static_cast<index_t>(n->uniform) << 58 | static_cast<index_t>(n->stride) << 59;
    to[1] = n->bits;
  }
  const kernel_store* s = k.stores.first;
  for (int i = 0; i < k.store_count; ++i, ++s)
    *to++ = byte(s->node, 0) | byte(static_cast<int>(s->kind), 8) | byte(s->reduce, 16) |
            byte(static_cast<int>(s->type), 24) | byte(s->phase, 32) |
            byte(static_cast<int>(s->stride), 40);
  words.written_to(to);
}

constexpr bool is_reduction(op_id op) {
  return op_table[op].kind == op_kind::reduction;
}

}  // namespace weft::detail
