// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/other_steps.hpp>

#include <bit>
#include <cstring>

// What the interpreter does with memory, by dtype: loads, stores and positions, and what sums,
// maxima and minima need.
namespace weft::detail {

/// Places of a splat: as many as any vector has.
template <class A>
inline constexpr index_t splat_places = static_cast<index_t>(simd::native_width<float, A>);

/// A dtype of memory.
struct tile_memory {
  /// n elements to a tile, behind it ones up to a whole vector.
  void (*load)(std::byte* to, const std::byte* from, index_t step, index_t n) = nullptr;
  /// The element at `from` to every place of n, and of the last vector.
  void (*splat)(std::byte* to, const std::byte* from, index_t n) = nullptr;
  /// A tile, or where `fixed` a splat, to memory.
  void (*store)(std::byte* to, index_t step, const std::byte* from, bool fixed,
                index_t n) = nullptr;
  void (*positions)(std::byte* to, std::uintptr_t start, index_t step, index_t i,
                    index_t n) = nullptr;
  void (*constant)(std::byte* to, index_t bits) = nullptr;
};

/// A reduction in a dtype. Totals have 8 bytes.
struct tile_reduction {
  void (*open)(std::byte* total) = nullptr;
  /// Adds a block.
  void (*add)(std::byte* total, const std::byte* from, bool fixed, index_t n) = nullptr;
  void (*splat)(std::byte* to, const std::byte* total) = nullptr;
  /// A row of a column's sums.
  void (*add_row)(std::byte* sums, const std::byte* from, bool fixed, index_t n) = nullptr;
  // Of the loops around rows (nest_rows.hpp); the column's dtype is that of memory.
  const column_functions* column = nullptr;
  void (*fold)(const kernel_part&, int node, int nodes) = nullptr;
};

template <class T, class A>
struct tile_memory_of {
  using C = computed_type<T>;
  static constexpr index_t places = splat_places<A>;

  static C* tile(std::byte* p) { return reinterpret_cast<C*>(p); }
  static const C* tile(const std::byte* p) { return reinterpret_cast<const C*>(p); }
  static index_t whole(index_t n) { return (n + places - 1) / places * places; }

  [[gnu::noinline]] static void load(std::byte* to, const std::byte* from, index_t step,
                                     index_t n) {
    const auto* x = reinterpret_cast<const T*>(from);
    C* out = tile(to);
    if constexpr (is_half_type<T>) {
      widen<T, A>(out, x, n, step);
    } else if (step == 1) {
      std::memcpy(out, x, static_cast<std::size_t>(n) * sizeof(T));
    } else {
      for (index_t i = 0; i < n; ++i) out[i] = x[i * step];
    }
    for (index_t i = n; i < whole(n); ++i) out[i] = C(1);
  }
  [[gnu::noinline]] static void splat(std::byte* to, const std::byte* from, index_t n) {
    const C v = static_cast<C>(*reinterpret_cast<const T*>(from));
    C* out = tile(to);
    for (index_t i = 0; i < whole(n); ++i) out[i] = v;
  }
  [[gnu::noinline]] static void store(std::byte* to, index_t step, const std::byte* from,
                                      bool fixed, index_t n) {
    T* out = reinterpret_cast<T*>(to);
    const C* x = tile(from);
    if (fixed) {
      const T v = T(x[0]);
      for (index_t i = 0; i < n; ++i) out[i * step] = v;
    } else if (step != 1) {
      for (index_t i = 0; i < n; ++i) out[i * step] = T(x[i]);
    } else if constexpr (is_half_type<T>) {
      narrow<T, A>(out, x, n);
    } else {
      std::memcpy(out, x, static_cast<std::size_t>(n) * sizeof(T));
    }
  }
  [[gnu::noinline]] static void positions(std::byte* to, std::uintptr_t start, index_t step,
                                          index_t i, index_t n) {
    if constexpr (!std::is_same_v<T, bool> && !is_half_type<T>) {
      using L =
          simd::lane<T, simd::native_width<std::conditional_t<sizeof(T) == 8, double, float>, A>,
                     A>;
      constexpr auto W = static_cast<index_t>(L::width);
      for (index_t k = 0; k < n; k += W) {
        L x = step == 1 ? simd::iota<L>(static_cast<T>(start + static_cast<std::uint64_t>(i + k)))
                        : L(static_cast<T>(start)) +
                              (simd::iota<L>(static_cast<T>(i + k)) * L(static_cast<T>(step)));
        simd::store(tile(to) + k, x);
      }
    }
  }
  [[gnu::noinline]] static void constant(std::byte* to, index_t bits) {
    C v{};
    if constexpr (std::is_floating_point_v<C>)
      v = static_cast<C>(std::bit_cast<double>(bits));
    else if constexpr (std::is_same_v<T, bool>)
      v = bits != 0;
    else
      v = static_cast<T>(bits);
    for (index_t i = 0; i < places; ++i) tile(to)[i] = v;
  }
  static constexpr tile_memory functions{&load, &splat, &store, &positions, &constant};
};

template <op_id Op, class T, class A>
struct tile_reduction_of {
  using total_t = total_type<Op, T>;
  using L =
      simd::lane<T, simd::native_width<std::conditional_t<sizeof(T) == 8, double, float>, A>, A>;
  static constexpr auto W = static_cast<index_t>(L::width);

  static total_t& total_at(std::byte* p) { return *reinterpret_cast<total_t*>(p); }

  static void open(std::byte* total) { total_at(total) = neutral_of<Op, total_t>(); }
  /// Register r of the block goes to accumulator r % 4, as in every kernel.
  [[gnu::noinline]] static void add(std::byte* total, const std::byte* from, bool fixed,
                                    index_t n) {
    const T* x = reinterpret_cast<const T*>(from);
    accumulator<L, T, Op> a;
    a.open();
    a.total = total_at(total);
    index_t i = 0, vectors = 0;
    if (!fixed)
      for (; i + 4 * W <= n; i += 4 * W, vectors += 4) {
        a.template add<0>(simd::load<L>(x + i));
        a.template add<1>(simd::load<L>(x + i + W));
        a.template add<2>(simd::load<L>(x + i + 2 * W));
        a.template add<3>(simd::load<L>(x + i + 3 * W));
      }
    for (; i < n; i += W, ++vectors) {
      const tail_part part{static_cast<std::size_t>(n - i < W ? n - i : W)};
      const L v = fixed ? simd::load<L>(x) : part.template load<L>(x + i);
      a.template add<0>(part.keep(v, a.neutral()));
      a.template move_on<1>();
    }
    a.fold(vectors);
    total_at(total) = a.total;
  }
  static void splat(std::byte* to, const std::byte* total) {
    const T v = static_cast<T>(*reinterpret_cast<const total_t*>(total));
    for (index_t i = 0; i < splat_places<A>; ++i) reinterpret_cast<T*>(to)[i] = v;
  }
  [[gnu::noinline]] static void add_row(std::byte* sums, const std::byte* from, bool fixed,
                                        index_t n) {
    T* s = reinterpret_cast<T*>(sums);
    const T* x = reinterpret_cast<const T*>(from);
    const index_t mask = fixed ? 0 : -1;
    for (index_t i = 0; i < n; i += W)
      simd::store(s + i, combined<Op>(simd::load<L>(s + i), simd::load<L>(x + (i & mask))));
  }
  static constexpr tile_reduction functions{
      &open, &add, &splat, &add_row, &column_code<Op, T, A>::value, &fold_blocks<Op, T, A>};
};

/// Both by dtype.
template <class A>
struct tile_data {
  struct memory_table {
    tile_memory of[dtype_count];
  };
  struct reduction_table {
    tile_reduction of[3][dtype_count];
  };
  template <int... D>
  static constexpr memory_table memories(std::integer_sequence<int, D...>) {
    return {{tile_memory_of<ctype<static_cast<dtype>(D)>, A>::functions...}};
  }
  template <op_id Op, dtype D>
  static constexpr tile_reduction reduction() {
    using T = ctype<D>;
    if constexpr (std::is_same_v<T, bool>)
      return {};
    else if constexpr (is_half_type<T>)  // columns are written as such, and summed as floats
      return {.column = &column_code<Op, T, A>::value};
    else
      return tile_reduction_of<Op, T, A>::functions;
  }
  template <op_id Op, int... D>
  static constexpr void fill(tile_reduction* to, std::integer_sequence<int, D...>) {
    ((to[D] = reduction<Op, static_cast<dtype>(D)>()), ...);
  }
  static constexpr memory_table memory = memories(std::make_integer_sequence<int, dtype_count>{});
  static constexpr reduction_table reductions = [] {
    constexpr auto all = std::make_integer_sequence<int, dtype_count>{};
    reduction_table t{};
    fill<id_of<reduce_sum_>>(t.of[0], all);
    fill<id_of<reduce_max_>>(t.of[1], all);
    fill<id_of<reduce_min_>>(t.of[2], all);
    return t;
  }();
  static constexpr const tile_reduction& reduction_of(op_id op, dtype t) {
    return reductions.of[op == id_of<reduce_sum_>   ? 0
                         : op == id_of<reduce_max_> ? 1
                                                    : 2][static_cast<int>(t)];
  }
};

}  // namespace weft::detail
