// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/interpret_ops.hpp>

#include <bit>

// Chains of simple ops: each takes what the one before it made. Eight vectors go through all of a
// chain in registers before the next eight do, so that what lies between the ops is neither stored
// nor loaded; one function for each op and kind of operand, and each calls the next. Truth values
// within a chain are vectors of all ones or zeros, as wide as what was compared.
namespace weft::detail {

inline constexpr int chain_vectors = 8;

template <class T, class A>
struct chain_step {
  using L = simd::lane<T, simd::native_width<T, A>, A>;
  using V = typename L::data_type;
  using function = void (*)(const chain_step* s, index_t at, V, V, V, V, V, V, V, V);
  static constexpr index_t bytes = static_cast<index_t>(sizeof(V));

  /// Eight vectors in memory, at bytes & mask: in a tile, in a page that is used again and again,
  /// or, for a splat, always the same.
  struct place {
    const std::byte* from;
    index_t mask;
  };
  function run;
  place operand[4];

  /// Operand J where it lies. Bit j of Chain: operand j is the chain, and lies nowhere.
  template <unsigned Chain, std::size_t J>
  [[gnu::always_inline]] const std::byte* at(index_t bytes) const {
    if constexpr ((Chain >> J & 1) != 0) {
      return nullptr;
    } else {
      const std::byte* p = operand[J].from + (bytes & operand[J].mask);
      // g++ would work out several of them in a vector register, which takes longer.
      asm("" : "+r"(p));
      return p;
    }
  }
  /// Its vector k; `chain` is that of the chain.
  template <unsigned Chain, std::size_t J>
  [[gnu::always_inline]] static L value(const std::byte* p, int k, V chain) {
    if constexpr ((Chain >> J & 1) != 0)
      return L(chain);
    else
      return simd::load<L>(reinterpret_cast<const T*>(p + k * bytes));
  }
};

/// Whether operand j of an op is a truth value in a chain of T.
template <class Op, class T>
constexpr bool chain_takes_mask(int j) {
  if constexpr (Op::types == typing::select)
    return j == 0;
  else
    return Op::types == typing::boolean ||
           (Op::types == typing::logical && std::is_floating_point_v<T>);
}

/// Op on operands of which bit j of Chain says whether operand j is the chain; without it among
/// them the op begins one.
template <class Op, class T, class A, unsigned Chain>
struct chain_op {
  using step = chain_step<T, A>;
  using L = typename step::L;
  using V = typename step::V;
  using M = typename L::mask_type;

  template <std::size_t J>
  [[gnu::always_inline]] static auto value(const std::byte* p, int k, V chain) {
    const L x = step::template value<Chain, J>(p, k, chain);
    if constexpr (chain_takes_mask<Op, T>(static_cast<int>(J)))
      return simd::reg::gather_bits<M>(simd::reg::bits_as<simd::reg::sint_vec<V>>(x.v));
    else
      return x;
  }
  [[gnu::always_inline]] static V result(L x) { return x.v; }
  [[gnu::always_inline]] static V result(M x) {
    return simd::reg::bits_as<V>(simd::reg::spread(x));
  }
  template <std::size_t... J>
  [[gnu::always_inline]] static void all(const step* s, index_t at, V* x,
                                         std::index_sequence<J...>) {
    const std::byte* const p[]{s->template at<Chain, J>(at)...};
    for (int k = 0; k < chain_vectors; ++k) x[k] = result(Op::cpu(value<J>(p[J], k, x[k])...));
  }
  static void run(const step* s, index_t at, V a, V b, V c, V d, V e, V f, V g, V h) {
    V x[]{a, b, c, d, e, f, g, h};
    all(s, at, x, std::make_index_sequence<static_cast<std::size_t>(Op::arity)>{});
    return s[1].run(s + 1, at, x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]);
  }
};

/// A comparison and the selection by it: operand 2 where operand 0 < operand 1 (or the like), else
/// operand 3. Bit j of Chain: operand j is the chain.
template <class Compare, class T, class A, unsigned Chain>
struct chain_select {
  using step = chain_step<T, A>;
  using L = typename step::L;
  using V = typename step::V;

  template <std::size_t... J>
  [[gnu::always_inline]] static void all(const step* s, index_t at, V* x,
                                         std::index_sequence<J...>) {
    const std::byte* const p[]{s->template at<Chain, J>(at)...};
    for (int k = 0; k < chain_vectors; ++k) {
      const L of[]{step::template value<Chain, J>(p[J], k, x[k])...};
      x[k] = where_::cpu(Compare::cpu(of[0], of[1]), of[2], of[3]).v;
    }
  }
  static void run(const step* s, index_t at, V a, V b, V c, V d, V e, V f, V g, V h) {
    V x[]{a, b, c, d, e, f, g, h};
    all(s, at, x, std::make_index_sequence<4>{});
    return s[1].run(s + 1, at, x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]);
  }
};

/// How chains leave values behind, and end.
template <class T, class A>
struct chain_memory {
  using step = chain_step<T, A>;
  using L = typename step::L;
  using V = typename step::V;

  [[gnu::always_inline]] static void put(const step* s, index_t at, V a, V b, V c, V d, V e, V f,
                                         V g, V h) {
    T* to = reinterpret_cast<T*>(const_cast<std::byte*>(s->template at<0, 0>(at)));
    constexpr auto w = static_cast<index_t>(L::width);
    simd::store(to, L(a)), simd::store(to + w, L(b));
    simd::store(to + 2 * w, L(c)), simd::store(to + 3 * w, L(d));
    simd::store(to + 4 * w, L(e)), simd::store(to + 5 * w, L(f));
    simd::store(to + 6 * w, L(g)), simd::store(to + 7 * w, L(h));
  }
  static void store(const step* s, index_t at, V a, V b, V c, V d, V e, V f, V g, V h) {
    put(s, at, a, b, c, d, e, f, g, h);
    return s[1].run(s + 1, at, a, b, c, d, e, f, g, h);
  }
  static void last(const step* s, index_t at, V a, V b, V c, V d, V e, V f, V g, V h) {
    put(s, at, a, b, c, d, e, f, g, h);
  }
  /// The value of a splat, of a truth value in its own form, eight times.
  static void repeat(std::byte* to, const std::byte* from, bool truth_value) {
    V x = simd::load<L>(reinterpret_cast<const T*>(from)).v;
    if (truth_value) {
      using S = simd::reg::sint_vec<V>;
      const bool v = *reinterpret_cast<const bool*>(from);
      x = simd::reg::bits_as<V>(v ? S{} - 1 : S{});
    }
    const step s{nullptr, {{to, -1}}};
    put(&s, 0, x, x, x, x, x, x, x, x);
  }
};

/// Calls f with a value of a chain's dtype; without one for others.
constexpr auto with_chain_type(dtype t, auto&& f) {
  return t == dtype::float32   ? f(float{})
         : t == dtype::float64 ? f(double{})
         : t == dtype::int32   ? f(std::int32_t{})
         : t == dtype::int64   ? f(std::int64_t{})
                               : f();
}

/// Ops that chains are made of.
using chain_ops =
    type_list<add_, subtract_, multiply_, divide_, maximum_, minimum_, mul_zero_, negative_, abs_,
              relu_, sqrt_, floor_, fma_, equal_, not_equal_, less_, less_equal_, greater_,
              greater_equal_, logical_not_, bitwise_and_, bitwise_or_, bitwise_xor_, where_>;

/// z - x * y, and x * y - z: fma with an operand that is negative first.
template <bool Product>
struct negative_fma {
  static constexpr int arity = 3;
  static constexpr typing types = fma_::types;
  template <class L>
  [[gnu::always_inline]] static L cpu(L x, L y, L z) {
    if constexpr (Product)
      return fma_::cpu(negative_::cpu(x), y, z);
    else
      return fma_::cpu(x, y, negative_::cpu(z));
  }
};

using all_chains = std::make_integer_sequence<unsigned, 8>;

/// The functions of these ops, by the operands that are the chain.
template <class T, class A>
struct chain_table {
  using function = typename chain_step<T, A>::function;

  struct row {
    function of[8];
  };
  struct rows {
    row of[static_cast<std::size_t>(chain_ops::size)];
  };
  template <class Op>
  static constexpr bool has = takes<Op, T>() ||
                              (std::is_floating_point_v<T> && chain_takes_mask<Op, T>(0));
  template <class Op, unsigned Chain>
  static constexpr function one() {
    // No op of three operands has the chain twice.
    if constexpr (!has<Op> || Chain >> Op::arity != 0 ||
                  (Op::arity == 3 && std::popcount(Chain) > 1))
      return nullptr;
    else
      return &chain_op<Op, T, A, Chain>::run;
  }
  template <class Op, unsigned... Chain>
  static constexpr row row_of(std::integer_sequence<unsigned, Chain...>) {
    return {{one<Op, Chain>()...}};
  }
  template <class... Op>
  static constexpr rows all_rows(type_list<Op...>) {
    return {{row_of<Op>(all_chains{})...}};
  }
  static constexpr rows table = all_rows(chain_ops{});
  /// fma with its last operand negative, and with its product.
  static constexpr row negative[2]{row_of<negative_fma<false>>(all_chains{}),
                                   row_of<negative_fma<true>>(all_chains{})};
  /// Whether chains may have an op in some form.
  static bool knows(int op) {
    for (function f : table.of[op].of)
      if (f) return true;
    return false;
  }
};

/// The functions of selections by a comparison, by the operands that are the chain. What is greater
/// has its operands in the other order.
template <class T, class A>
struct select_table {
  using function = typename chain_step<T, A>::function;
  using comparisons = type_list<less_, less_equal_, equal_, not_equal_>;

  struct row {
    function of[16];
  };
  struct rows {
    row of[static_cast<std::size_t>(comparisons::size)];
  };
  template <class Compare, unsigned Chain>
  static constexpr function one() {
    // The chain is at most one of those that are compared, and one of those that are selected from.
    if constexpr ((Chain & 3) == 3 || Chain >> 2 == 3)
      return nullptr;
    else
      return &chain_select<Compare, T, A, Chain>::run;
  }
  template <class Compare, unsigned... Chain>
  static constexpr row row_of(std::integer_sequence<unsigned, Chain...>) {
    return {{one<Compare, Chain>()...}};
  }
  template <class... Compare>
  static constexpr rows all_rows(type_list<Compare...>) {
    return {{row_of<Compare>(std::make_integer_sequence<unsigned, 16>{})...}};
  }
  static constexpr rows table = all_rows(comparisons{});
};

/// A function of a step, its type left out.
using chain_function = void (*)();
template <class A>
struct chain_functions {
  /// Op; bit j of `chain`: operand j is the chain. None where there is none.
  static chain_function of(dtype t, op_id op, unsigned chain) {
    const int i = place(op, chain_ops{});
    if (i < 0) return nullptr;
    return by_type(t, [&]<class T>(T) { return chain_table<T, A>::table.of[i].of[chain]; });
  }
  /// Whether chains of t may have an op.
  static bool has(dtype t, op_id op) {
    const int i = place(op, chain_ops{});
    return i >= 0 && with_chain_type(
                         t, [&]<class... T>(T...) { return (chain_table<T, A>::knows(i) || ...); });
  }
  /// The selection by a comparison; bit j of `chain`: operand j is the chain. None where there is
  /// none.
  static chain_function select(dtype t, op_id comparison, unsigned chain) {
    const int i = place(comparison, typename select_table<float, A>::comparisons{});
    if (i < 0) return nullptr;
    return by_type(t, [&]<class T>(T) { return select_table<T, A>::table.of[i].of[chain]; });
  }
  /// fma with its product or its last operand negative.
  static chain_function negative(dtype t, bool product, unsigned chain) {
    return by_type(t, [&]<class T>(T) { return chain_table<T, A>::negative[product].of[chain]; });
  }
  static chain_function store(dtype t, bool last) {
    return by_type(t, [&]<class T>(T) {
      return last ? &chain_memory<T, A>::last : &chain_memory<T, A>::store;
    });
  }

 private:
  /// The function that f has for t, its type left out; none for what is no dtype of chains.
  static chain_function by_type(dtype t, auto f) {
    return with_chain_type(t, [&]<class... T>(T... v) {
      chain_function r = nullptr;
      ((r = reinterpret_cast<chain_function>(f(v))), ...);
      return r;
    });
  }
  template <class... Op>
  static constexpr int place(op_id op, type_list<Op...>) {
    int at = -1, i = 0;
    ((at = id_of<Op> == op ? i : at, ++i), ...);
    return at;
  }
};

}  // namespace weft::detail
