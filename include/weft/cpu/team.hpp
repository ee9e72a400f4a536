// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/nest.hpp>
#include <weft/cpu/threads.hpp>

#include <algorithm>

// How a team of threads shares one kernel call. The parts are such that every
// sum has the order that one thread gives it: rows and elements are divided
// freely, the blocks of a long row and the chunks of rows of a column leave
// their sums in memory, and one thread adds them up in order.
namespace weft::detail {

using kernel_function = void (*)(const kernel_call&);

/// Work of a thread that is worth waking it for, in simple operations on an
/// element.
inline constexpr index_t least_share = index_t{1} << 20;
/// Elements below which a call is never shared, and its cost not even looked
/// at.
inline constexpr index_t least_shared = 8192;

/// What a kernel's plan says about sharing it.
struct kernel_traits {
  index_t cost = 0;  ///< of an element
  int columns = 0;
  bool reduces = false, row_stores = false;
  int column_access = -1;
};
/// A call, the sizes of what it reads and writes, and memory for its team.
struct shared_call {
  kernel_function run = nullptr;
  const kernel* k = nullptr;
  kernel_call call;
  const int* sizes = nullptr;  ///< bytes of each access's elements
  int accesses = 0;
  int team = 1;
  std::size_t scratch = 0;      ///< bytes for each thread
  std::byte* common = nullptr;  ///< memory of shared_bytes
};

/// The decisions and the loops of a team; compiled for one architecture, as all
/// code is.
template <class A>
struct team {
  [[gnu::cold, gnu::noinline]] static kernel_traits traits_of(const kernel& k) {
    kernel_traits t;
    for (int i = 0; i < k.size; ++i) {
      const kernel_node& n = k.nodes[i];
      t.reduces = t.reduces || is_reduction(n.op);
      if (n.at == level::element)
        t.cost += is_expensive(n.op) ? 12 : n.op == id_of<divide_> || n.op == id_of<sqrt_> ? 4 : 1;
    }
    for (int s = 0; s < k.store_count; ++s) {
      t.cost += 1;
      t.row_stores = t.row_stores || k.stores[s].kind == store_kind::row;
      if (k.stores[s].kind != store_kind::column) continue;
      if (t.columns++ == 0) t.column_access = k.loads + s;
    }
    return t;
  }

  static index_t turns(const kernel_call& c, int first, int last) {
    index_t n = 1;
    for (int l = first; l < last; ++l) n *= c.extent[l];
    return n;
  }
  static index_t blocks_of(index_t inner) { return (inner + block_elements - 1) / block_elements; }

  /// How many threads to use for a kernel of so many elements.
  static int size_for(const kernel& k, index_t elements, int threads) {
    if (threads <= 1 || elements < least_shared) return 1;
    return static_cast<int>(std::min<index_t>(threads, elements * traits_of(k).cost / least_share));
  }

  /// Bytes, for a team, of what a call leaves for one thread to add up.
  static std::size_t shared_bytes(const kernel& k, int rows, const index_t* extent, index_t inner) {
    const kernel_traits t = traits_of(k);
    const auto nodes = static_cast<std::size_t>(8 * k.size);
    std::size_t bytes =
        rounded_up(nodes) + rounded_up(nodes * static_cast<std::size_t>(blocks_of(inner)));
    if (t.columns) {
      index_t all = 1;
      for (int l = 0; l < rows; ++l) all *= extent[l];
      bytes += static_cast<std::size_t>((all / column_rows + 1) * t.columns) * row_bytes(inner);
    }
    return bytes;
  }

  /// An address some bytes on; of positions it is a number, so this is no pointer arithmetic.
  static std::byte* moved(std::byte* base, index_t bytes) {
    return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(base) +
                                        static_cast<std::uintptr_t>(bytes));
  }

  /// Part `t` of a call whose loop l is divided, at multiples of `grain`.
  [[gnu::cold, gnu::noinline]] static void run_slice(const shared_call& s, int l, int t,
                                                     index_t grain,
                                                     const kernel_part* part = nullptr,
                                                     bool own_scratch = true) {
    const index_t grains = (s.call.extent[l] + grain - 1) / grain;
    const index_t first = std::min(s.call.extent[l], grains * t / s.team * grain);
    const index_t end = std::min(s.call.extent[l], grains * (t + 1) / s.team * grain);
    if (first >= end) return;
    index_t extent[max_loops];
    std::copy(s.call.extent, s.call.extent + s.call.rows + s.call.segments + 1, extent);
    extent[l] = end - first;
    std::byte* base[max_kernel_loads + max_kernel_stores];
    for (int a = 0; a < s.accesses; ++a)
      base[a] = moved(s.call.base[a], first * s.call.stride[a][l] * s.sizes[a]);
    kernel_call c = s.call;
    c.extent = extent;
    c.base = base;
    if (own_scratch) c.scratch += static_cast<std::size_t>(t) * s.scratch;
    kernel_part p;
    if (part) {
      p = *part;
      p.first = first;
      p.partial += first / grain * 8 * s.k->size;
      c.part = &p;
    }
    s.run(c);
  }
  static void divide(const shared_call& s, int l, index_t grain) {
    in_parallel(s.team, [&](int t) { run_slice(s, l, t, grain); });
  }

  /// A single row with reductions, block by block in every pass.
  [[gnu::cold, gnu::noinline]] static void divide_blocks(const shared_call& s) {
    const index_t inner = s.call.extent[0];
    const auto nodes = static_cast<std::size_t>(8 * s.k->size);
    kernel_part part;
    part.row = inner;
    part.totals = s.common;
    std::fill(part.totals, part.totals + nodes, std::byte{});
    kernel_call c = s.call;
    c.part = &part;
    for (int p = 0; p < s.k->phases; ++p) {
      part.what = kernel_part::kind::blocks;
      part.phase = p;
      part.partial = s.common + rounded_up(nodes);
      in_parallel(s.team, [&](int t) { run_slice(s, 0, t, block_elements, &part, false); });
      part.what = kernel_part::kind::finish_blocks;
      part.count = blocks_of(inner);
      s.run(c);
    }
    part.what = kernel_part::kind::finish_row;
    s.run(c);
  }

  /// Columns of many rows, by chunks of rows.
  [[gnu::cold, gnu::noinline]] static void divide_chunks(const shared_call& s, index_t rows) {
    const index_t chunks = (rows + column_rows - 1) / column_rows;
    in_parallel(s.team, [&](int t) {
      kernel_part part;
      part.what = kernel_part::kind::rows;
      part.first = chunks * t / s.team * column_rows;
      part.count = std::min(rows, chunks * (t + 1) / s.team * column_rows) - part.first;
      part.partial = s.common;
      kernel_call c = s.call;
      c.scratch += static_cast<std::size_t>(t) * s.scratch;
      c.part = &part;
      if (part.count > 0) s.run(c);
    });
    kernel_part part;
    part.what = kernel_part::kind::finish_rows;
    part.count = chunks;
    part.partial = s.common;
    kernel_call c = s.call;
    c.part = &part;
    s.run(c);
  }

  /// Runs a kernel call by a team.
  [[gnu::cold, gnu::noinline]] static void run(const shared_call& s) {
    const kernel_traits t = traits_of(*s.k);
    const kernel_call& c = s.call;
    const int inner = c.rows + c.segments;
    int kept = c.rows;
    if (t.columns)
      while (kept > 0 && c.stride[t.column_access][kept - 1] == 0) --kept;
    int widest = -1;
    for (int l = 0; l < kept; ++l)
      if (widest < 0 || c.extent[l] > c.extent[widest]) widest = l;
    if (widest >= 0 && c.extent[widest] >= s.team) return divide(s, widest, 1);
    const bool by_element = !t.reduces && !t.row_stores && c.segments == 0;
    if (by_element && c.extent[inner] >= 256 * s.team) return divide(s, inner, 256);
    if (t.columns) {
      const index_t rows = turns(c, kept, c.rows);
      if (turns(c, 0, kept) == 1 && rows > column_rows) return divide_chunks(s, rows);
    } else if (c.segments == 0 && c.extent[inner] >= 2 * block_elements) {
      // A few long rows: one after the other, each by the whole team.
      const index_t rows = turns(c, 0, c.rows);
      for (index_t r = 0; r < rows; ++r) {
        index_t by[max_kernel_loads + max_kernel_stores],
            stride[max_kernel_loads + max_kernel_stores][max_loops];
        std::byte* base[max_kernel_loads + max_kernel_stores];
        locate<A>(c, 0, c.rows, r, s.accesses, s.sizes, by);
        for (int a = 0; a < s.accesses; ++a)
          base[a] = moved(c.base[a], by[a]), stride[a][0] = c.stride[a][inner];
        shared_call one = s;
        one.call = {0, 0, c.extent + inner, stride, base, c.scratch, nullptr, c.code};
        divide_blocks(one);
      }
      return;
    }
    s.run(c);
  }
};

}  // namespace weft::detail
