// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/kernel_call.hpp>

#include <cstdint>
#include <tuple>

// The pointwise ops of the catalogue on tiles: runs of at most 1,024 elements, which stay in the
// first cache. Each is the op's own SIMD form, which kernels inline, in a loop of its own; so a
// value has the same bits whichever of the two computes it. Tiles hold the dtypes of lanes.
namespace weft::detail {

/// A tile is a block of a sum.
inline constexpr index_t tile_elements = block_elements;

/// One op on n elements. Bit j of `fixed`: operand j is a splat, the same value in every place of a
/// vector, and no tile. Whole vectors are read and written: tiles have room for them.
using tile_function = void (*)(std::byte* to, const std::byte* const* from, unsigned fixed,
                               index_t n);

/// Lanes that hold X where a vector is as wide as a register of N.
template <class X, class N, class A>
struct tile_lane {
  using type = simd::lane<X, simd::native_width<N, A>, A>;
};
template <class N, class A>
struct tile_lane<bool, N, A> {
  using type = simd::mask<N, simd::native_width<N, A>, A>;
};

/// An operand in a loop: a tile, a splat that is loaded before it, or either.
enum class operand_place : std::uint8_t { tile, splat, either };
template <class L, class X, operand_place P>
struct tile_operand {
  const X* from;
  tile_operand(const std::byte* p, bool) : from(reinterpret_cast<const X*>(p)) {}
  [[gnu::always_inline]] L at(index_t i) const { return simd::load<L>(from + i); }
};
template <class L, class X>
struct tile_operand<L, X, operand_place::splat> {
  L value;
  tile_operand(const std::byte* p, bool) : value(simd::load<L>(reinterpret_cast<const X*>(p))) {}
  [[gnu::always_inline]] L at(index_t) const { return value; }
};
template <class L, class X>
struct tile_operand<L, X, operand_place::either> {
  const X* from;
  index_t mask;
  tile_operand(const std::byte* p, bool fixed)
      : from(reinterpret_cast<const X*>(p)), mask(fixed ? 0 : -1) {}
  [[gnu::always_inline]] L at(index_t i) const { return simd::load<L>(from + (i & mask)); }
};

/// Op from X... to R in vectors as wide as a register of N.
template <class Op, class A, class N, class R, class... X>
struct tile_op {
  template <class V>
  using lane = typename tile_lane<V, N, A>::type;
  /// 16-bit values are floats in tiles, rounded.
  using stored = computed_type<R>;
  using to_lane = lane<stored>;
  static constexpr index_t W = static_cast<index_t>(to_lane::width);

  template <class... L>
  [[gnu::always_inline]] static to_lane apply(L... x) {
    if constexpr (std::is_same_v<Op, cast_> && is_half_type<R>)
      return simd::rounded_to<R>(x...);
    else if constexpr (std::is_same_v<Op, cast_>)
      return fitted<to_lane>(simd::convert<R>(x...));
    else if constexpr (std::is_same_v<R, bool>)
      return fitted<to_lane>(Op::cpu(x...));
    else
      return Op::cpu(x...);
  }
  template <operand_place... P, std::size_t... J>
  [[gnu::noinline, gnu::flatten]] static void loop(std::byte* to, const std::byte* const* from,
                                                   [[maybe_unused]] unsigned fixed, index_t n,
                                                   std::index_sequence<J...>) {
    auto* out = reinterpret_cast<stored*>(to);
    const std::tuple operands{tile_operand<lane<X>, X, P>(from[J], fixed >> J & 1)...};
    for (index_t i = 0; i < n; i += W) simd::store(out + i, apply(std::get<J>(operands).at(i)...));
  }
  static void run(std::byte* to, const std::byte* const* from, unsigned fixed, index_t n) {
    using enum operand_place;
    constexpr std::index_sequence_for<X...> all{};
    // What is long has one loop for all kinds of operands.
    constexpr bool is_long = is_expensive(id_of<Op>) || std::is_same_v<Op, divide_>;
    if constexpr (sizeof...(X) == 1) {
      loop<tile>(to, from, fixed, n, all);
    } else if constexpr (sizeof...(X) == 3) {
      if constexpr (!is_long)
        if (fixed == 0) return loop<tile, tile, tile>(to, from, fixed, n, all);
      loop<either, either, either>(to, from, fixed, n, all);
    } else if constexpr (is_long) {
      loop<either, either>(to, from, fixed, n, all);
    } else if (fixed == 0) {
      loop<tile, tile>(to, from, fixed, n, all);
    } else if (fixed == 1) {
      loop<splat, tile>(to, from, fixed, n, all);
    } else {
      loop<tile, splat>(to, from, fixed, n, all);
    }
  }
};

/// Registers of float or double: what a vector's width is counted in.
template <class... X>
using tile_register = std::conditional_t<
    ((sizeof(X) == 8 || std::is_same_v<X, bool>)&&...) && ((sizeof(X) == 8) || ...), double, float>;

/// Whether an op takes operands of T, the dtype of its last one.
template <class Op, class T>
constexpr bool takes() {
  constexpr bool integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;
  switch (Op::types) {
    case typing::floating:
      return std::is_floating_point_v<T>;
    case typing::numeric:
      return !std::is_same_v<T, bool>;
    case typing::integral:
      return integer;
    case typing::logical:
      return integer || std::is_same_v<T, bool>;
    case typing::boolean:
      return std::is_same_v<T, bool>;
    default:
      return true;
  }
}

/// The functions of ops by the dtype of their last operand, and of casts by both dtypes.
template <class A>
struct tile_ops {
  template <class Op, class T>
  static constexpr tile_function of() {
    if constexpr (is_half_type<T> || Op::kind != op_kind::pointwise || std::is_same_v<Op, cast_>) {
      return nullptr;
    } else if constexpr (std::is_same_v<Op, random_word_>) {
      using word = std::uint32_t;
      if constexpr (std::is_same_v<T, std::uint64_t>)
        return &tile_op<Op, A, float, word, word, word, T>::run;
      else
        return nullptr;
    } else if constexpr (!takes<Op, T>()) {
      return nullptr;
    } else {
      using N = tile_register<T>;
      if constexpr (Op::types == typing::select)
        return &tile_op<Op, A, N, T, bool, T, T>::run;
      else if constexpr (Op::types == typing::compare)
        return &tile_op<Op, A, N, bool, T, T>::run;
      else if constexpr (Op::arity == 1)
        return &tile_op<Op, A, N, T, T>::run;
      else if constexpr (Op::arity == 2)
        return &tile_op<Op, A, N, T, T, T>::run;
      else
        return &tile_op<Op, A, N, T, T, T, T>::run;
    }
  }
  template <class From, class To>
  static constexpr tile_function cast() {
    if constexpr (is_half_type<From>)
      return nullptr;
    else
      return &tile_op<cast_, A, tile_register<From, computed_type<To>>, To, From>::run;
  }

  using row = tile_function[dtype_count];
  struct op_table {
    row of[static_cast<std::size_t>(primitives::size)];
  };
  struct cast_table {
    row of[dtype_count];
  };
  template <class Op, int... D>
  static constexpr void fill(row& r, std::integer_sequence<int, D...>) {
    ((r[D] = of<Op, ctype<static_cast<dtype>(D)>>()), ...);
  }
  template <class From, int... D>
  static constexpr void fill_casts(row& r, std::integer_sequence<int, D...>) {
    ((r[D] = cast<From, ctype<static_cast<dtype>(D)>>()), ...);
  }
  using all_dtypes = std::make_integer_sequence<int, dtype_count>;
  template <class... Op>
  static constexpr op_table ops(type_list<Op...>) {
    op_table t{};
    (fill<Op>(t.of[id_of<Op>], all_dtypes{}), ...);
    return t;
  }
  template <int... D>
  static constexpr cast_table casts(std::integer_sequence<int, D...>) {
    cast_table t{};
    (fill_casts<ctype<static_cast<dtype>(D)>>(t.of[D], all_dtypes{}), ...);
    return t;
  }

  static constexpr op_table by_operand = ops(primitives{});
  static constexpr cast_table by_cast = casts(all_dtypes{});
};

}  // namespace weft::detail
