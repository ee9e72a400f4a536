// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/interpret_ops.hpp>

// Chains of simple ops: each takes what the one before it made. Eight vectors go through all of a
// chain in registers before the next eight do, so that what lies between the ops is neither stored
// nor loaded; one function for each op and kind of operand, and each calls the next.
namespace weft::detail {

inline constexpr int chain_vectors = 8;

template <class T, class A>
struct chain_step {
  using L = simd::lane<T, simd::native_width<T, A>, A>;
  using V = typename L::data_type;
  using function = void (*)(const chain_step* s, index_t at, V, V, V, V, V, V, V, V);
  static constexpr index_t bytes = static_cast<index_t>(sizeof(V));

  function run;
  const std::byte* operand[2];  ///< tiles, or splats
};

/// Where an operand of a step comes from.
enum class chain_operand : std::uint8_t { chain, tile, splat };

/// Op on operands from these places. Those that are not the chain are operand[0], operand[1].
template <class Op, class T, class A, chain_operand... From>
struct chain_op {
  using step = chain_step<T, A>;
  using L = typename step::L;
  using V = typename step::V;

  /// The number of an operand among those that lie in memory.
  static constexpr int place(int j) {
    constexpr chain_operand all[]{From...};
    int n = 0;
    for (int i = 0; i < j; ++i) n += all[i] != chain_operand::chain;
    return n;
  }
  template <chain_operand F>
  [[gnu::always_inline]] static L value(const std::byte* p, index_t at, V x) {
    if constexpr (F == chain_operand::chain)
      return L(x);
    else if constexpr (F == chain_operand::tile)
      return simd::load<L>(reinterpret_cast<const T*>(p + at));
    else
      return simd::load<L>(reinterpret_cast<const T*>(p));
  }
  template <std::size_t... J>
  [[gnu::always_inline]] static V one(const step* s, index_t at, V x, std::index_sequence<J...>) {
    return L(Op::cpu(value<From>(s->operand[place(J)], at, x)...)).v;
  }
  static void run(const step* s, index_t at, V a, V b, V c, V d, V e, V f, V g, V h) {
    constexpr std::make_index_sequence<sizeof...(From)> all{};
    constexpr index_t w = step::bytes;
    a = one(s, at, a, all);
    b = one(s, at + w, b, all);
    c = one(s, at + 2 * w, c, all);
    d = one(s, at + 3 * w, d, all);
    e = one(s, at + 4 * w, e, all);
    f = one(s, at + 5 * w, f, all);
    g = one(s, at + 6 * w, g, all);
    h = one(s, at + 7 * w, h, all);
    return s[1].run(s + 1, at, a, b, c, d, e, f, g, h);
  }
};

/// How chains begin, leave values behind, and end.
template <class T, class A>
struct chain_memory {
  using step = chain_step<T, A>;
  using L = typename step::L;
  using V = typename step::V;
  static constexpr index_t w = step::bytes;

  [[gnu::always_inline]] static V load(const step* s, index_t at) {
    return simd::load<L>(reinterpret_cast<const T*>(s->operand[0] + at)).v;
  }
  [[gnu::always_inline]] static void put(const step* s, index_t at, V x) {
    simd::store(reinterpret_cast<T*>(const_cast<std::byte*>(s->operand[0]) + at), L(x));
  }
  static void begin(const step* s, index_t at, V, V, V, V, V, V, V, V) {
    return s[1].run(s + 1, at, load(s, at), load(s, at + w), load(s, at + 2 * w),
                    load(s, at + 3 * w), load(s, at + 4 * w), load(s, at + 5 * w),
                    load(s, at + 6 * w), load(s, at + 7 * w));
  }
  static void store(const step* s, index_t at, V a, V b, V c, V d, V e, V f, V g, V h) {
    put(s, at, a), put(s, at + w, b), put(s, at + 2 * w, c), put(s, at + 3 * w, d);
    put(s, at + 4 * w, e), put(s, at + 5 * w, f), put(s, at + 6 * w, g), put(s, at + 7 * w, h);
    return s[1].run(s + 1, at, a, b, c, d, e, f, g, h);
  }
  static void end(const step*, index_t, V, V, V, V, V, V, V, V) {}
};

/// The functions of ops that chains are made of.
template <class T, class A>
struct chain_table {
  using function = typename chain_step<T, A>::function;
  using simple = type_list<add_, subtract_, multiply_, divide_, maximum_, minimum_, mul_zero_,
                           negative_, abs_, relu_, fma_>;

  /// Operand j's place is digit j, base 3.
  static constexpr int forms = 27;
  struct row {
    function of[forms];
  };
  struct rows {
    row of[static_cast<std::size_t>(simple::size)];
  };
  static constexpr chain_operand digit(int form, int j) {
    for (; j > 0; --j) form /= 3;
    return static_cast<chain_operand>(form % 3);
  }
  template <class Op, int Form, std::size_t... J>
  static constexpr function one(std::index_sequence<J...>) {
    // Two splats for an fma that adds the chain would not be steady ops; splats alone neither.
    constexpr int chains = ((digit(Form, static_cast<int>(J)) == chain_operand::chain) + ...);
    if constexpr (chains == 0 || (Op::arity == 3 && chains != 1))
      return nullptr;
    else
      return &chain_op<Op, T, A, digit(Form, static_cast<int>(J))...>::run;
  }
  template <class Op, int Form>
  static constexpr function form() {
    constexpr int digits = Op::arity == 1 ? 3 : Op::arity == 2 ? 9 : 27;
    if constexpr (Form >= digits)
      return nullptr;
    else
      return one<Op, Form>(std::make_index_sequence<static_cast<std::size_t>(Op::arity)>{});
  }
  template <class Op, int... Form>
  static constexpr row row_of(std::integer_sequence<int, Form...>) {
    return {{form<Op, Form>()...}};
  }
  template <class... Op>
  static constexpr rows all_rows(type_list<Op...>) {
    return {{row_of<Op>(std::make_integer_sequence<int, forms>{})...}};
  }
  static constexpr rows table = all_rows(simple{});

  template <class... Op>
  static constexpr int index_in(op_id op, type_list<Op...>) {
    int at = -1, i = 0;
    ((at = id_of<Op> == op ? i : at, ++i), ...);
    return at;
  }
  /// The place of an op in the table, -1 for none.
  static constexpr int index(op_id op) { return index_in(op, simple{}); }
};

}  // namespace weft::detail
