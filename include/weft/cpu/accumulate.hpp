// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/body.hpp>
#include <weft/cpu/lane_reduce.hpp>

#include <limits>

// Sums, maxima and minima: how lanes combine, and the fixed order in which blocks and chunks of
// rows do.
namespace weft::detail {

/// Elements of a sum's block: short enough that a float sum stays exact to a few ulp, a fixed part
/// of the sum's order.
inline constexpr index_t block_elements = 1024;
/// Rows that a column sums in its own dtype before it adds them to its total.
inline constexpr index_t column_rows = 256;

constexpr std::size_t rounded_up(std::size_t bytes) {
  return (bytes + 63) / 64 * 64;
}

/// Sums of many floats run in double from block to block.
template <op_id Op, class T>
using total_type =
    std::conditional_t<std::is_same_v<T, float> && Op == id_of<reduce_sum_>, double, T>;

template <op_id Op, class T>
constexpr T neutral_of() {
  using limits = std::numeric_limits<T>;
  if constexpr (Op == id_of<reduce_sum_>)
    return T(0);
  else if constexpr (Op == id_of<reduce_max_>)
    return limits::has_infinity ? -limits::infinity() : limits::lowest();
  else
    return limits::has_infinity ? limits::infinity() : limits::max();
}

/// Two lanes, or two numbers.
template <op_id Op, class L>
[[gnu::always_inline]] inline L combined(L a, L b) {
  if constexpr (simd::is_lane<L>) {
    if constexpr (Op == id_of<reduce_sum_>)
      return a + b;
    else if constexpr (Op == id_of<reduce_max_>)
      return simd::maximum(a, b);
    else
      return simd::minimum(a, b);
  } else if constexpr (Op == id_of<reduce_sum_>) {
    if constexpr (std::is_integral_v<L>)
      return static_cast<L>(static_cast<std::make_unsigned_t<L>>(a) +
                            static_cast<std::make_unsigned_t<L>>(b));
    else
      return a + b;
  } else {
    constexpr bool most = Op == id_of<reduce_max_>;
    if constexpr (std::is_floating_point_v<L>) {
      if (a != a) return a;
      if (a == b) return std::signbit(a) == most ? b : a;  // +0 is the greater zero
      return (most ? b < a : a < b) ? a : b;               // b, if that is NaN
    } else {
      return (most ? b < a : a < b) ? a : b;
    }
  }
}

/// Accumulators of a block: register r of it goes to number r % 4, in every kernel, so that a sum
/// depends on nothing else that its kernel computes.
inline constexpr int accumulators_of_block = 4;

/// The accumulators of one reduction of a row: registers within a block, a total across blocks.
/// Number 0 is the next one's: they move along behind the vectors that a loop's body adds.
template <class L, class T, op_id Op>
struct accumulator {
  using total_t = total_type<Op, T>;
  static constexpr int registers =
      static_cast<int>((L::width + simd::native_width<T, typename L::arch> - 1) /
                       simd::native_width<T, typename L::arch>);
  using register_t =
      simd::lane<T, L::width / static_cast<std::size_t>(registers), typename L::arch>;
  register_t of[accumulators_of_block];
  total_t total;

  [[gnu::always_inline]] static L neutral() { return L(neutral_of<Op, T>()); }
  /// Adds the registers of vector V of a body.
  template <int V>
  [[gnu::always_inline]] void add(L x) {
    add_register<V * registers>(x);
  }
  /// Behind V vectors.
  template <int V>
  [[gnu::always_inline]] void move_on() {
    constexpr int by = V * registers % accumulators_of_block;
    if constexpr (by != 0) {
      const register_t a = of[by], b = of[(by + 1) % 4], c = of[(by + 2) % 4], d = of[(by + 3) % 4];
      of[0] = a, of[1] = b, of[2] = c, of[3] = d;
    }
  }
  [[gnu::always_inline]] void open_total() { total = neutral_of<Op, total_t>(); }
  [[gnu::always_inline]] void open() {
    open_total();
    clear();
  }
  /// Adds a block of so many vectors to the total, in a tree.
  [[gnu::always_inline]] void fold(index_t vectors) {
    for (index_t r = vectors * registers; r % accumulators_of_block != 0; ++r) {
      const register_t next = of[0];
      of[0] = of[1], of[1] = of[2], of[2] = of[3], of[3] = next;
    }
    const register_t x = combined<Op>(combined<Op>(of[0], of[1]), combined<Op>(of[2], of[3]));
    if constexpr (std::is_same_v<total_t, double> && std::is_same_v<T, float>)
      total = total + simd::reduce_add_double(x);
    else if constexpr (Op == id_of<reduce_sum_>)
      total = combined<Op>(total, simd::reduce_add(x));
    else if constexpr (Op == id_of<reduce_max_>)
      total = combined<Op>(total, simd::reduce_max(x));
    else
      total = combined<Op>(total, simd::reduce_min(x));
    clear();
  }

 private:
  template <int R, class X>
  [[gnu::always_inline]] void add_register(X x) {
    if constexpr (std::is_same_v<X, register_t>) {
      register_t& to = of[R % accumulators_of_block];
      to = combined<Op>(to, x);
    } else {
      add_register<R>(x.lo);
      add_register<R + registers / 2>(x.hi);
    }
  }
  [[gnu::always_inline]] void clear() {
    const register_t none(neutral_of<Op, T>());
    of[0] = none, of[1] = none, of[2] = none, of[3] = none;
  }
};

// The sums of a column kernel: a row of them for the chunk of rows at hand, and a row of totals.

template <class T, class A>
[[gnu::noinline]] void fill_columns(T* to, index_t n, T value) {
  for (index_t i = 0; i < n; ++i) to[i] = value;
}
template <op_id Op, class T, class A>
[[gnu::noinline]] void add_columns(total_type<Op, T>* totals, const T* sums, index_t n) {
  for (index_t i = 0; i < n; ++i)
    totals[i] = combined<Op>(totals[i], static_cast<total_type<Op, T>>(sums[i]));
}
template <class T, class From, class A>
[[gnu::noinline]] void write_columns(T* to, index_t step, const From* from, index_t n) {
  for (index_t i = 0; i < n; ++i) to[i * step] = static_cast<T>(from[i]);
}

}  // namespace weft::detail
