// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/interpret_ops.hpp>

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

  function run;
  const std::byte* operand[4];  ///< tiles, or splats
  unsigned fixed;               ///< of a selection, bit j: operand j is a splat
};

/// Where an operand of a step comes from.
enum class chain_operand : std::uint8_t { chain, tile, splat };

/// Whether operand j of an op is a truth value in a chain of T.
template <class Op, class T>
constexpr bool chain_takes_mask(int j) {
  if constexpr (Op::types == typing::select)
    return j == 0;
  else
    return Op::types == typing::boolean ||
           (Op::types == typing::logical && std::is_floating_point_v<T>);
}

/// Op on operands from these places; without the chain among them it begins one. Those that are not
/// the chain are operand[0] and so on.
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
  using M = typename L::mask_type;
  /// Operand j as the op takes it. A splat of truth values has the form that they have in memory.
  template <chain_operand F, std::size_t J>
  [[gnu::always_inline]] static auto value(const step* s, index_t at, V x) {
    constexpr bool takes_mask = chain_takes_mask<Op, T>(static_cast<int>(J));
    const std::byte* p = nullptr;
    if constexpr (F != chain_operand::chain) p = s->operand[place(static_cast<int>(J))];
    if constexpr (F == chain_operand::splat && takes_mask) {
      return simd::load<M>(reinterpret_cast<const bool*>(p));
    } else {
      if constexpr (F == chain_operand::tile) p += at;
      if constexpr (F != chain_operand::chain) x = simd::load<L>(reinterpret_cast<const T*>(p)).v;
      if constexpr (takes_mask)
        return simd::reg::gather_bits<M>(simd::reg::bits_as<simd::reg::sint_vec<V>>(x));
      else
        return L(x);
    }
  }
  [[gnu::always_inline]] static V result(L x) { return x.v; }
  [[gnu::always_inline]] static V result(M x) {
    return simd::reg::bits_as<V>(simd::reg::spread(x));
  }
  template <std::size_t... J>
  [[gnu::always_inline]] static V one(const step* s, index_t at, V x, std::index_sequence<J...>) {
    return result(Op::cpu(value<From, J>(s, at, x)...));
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

/// Operands of a step: eight vectors that follow each other in memory, or a splat eight times.
template <class T, class A>
struct eight_vectors {
  using step = chain_step<T, A>;
  using L = typename step::L;

  eight_vectors(const step* s, index_t at, unsigned j) : along(step::bytes) {
    first = s->operand[j] + at;
    if (s->fixed >> j & 1) first = s->operand[j], along = 0;
    // g++ would work out the places of several operands in a vector register, which takes longer.
    asm("" : "+r"(first), "+r"(along));
    fourth = first + 3 * along;
    asm("" : "+r"(fourth));
    seventh = fourth + 3 * along;
  }
  template <int K>
  [[gnu::always_inline]] L get(typename step::V) const {
    const std::byte* p = K < 3 ? first : K < 6 ? fourth : seventh;
    return simd::load<L>(reinterpret_cast<const T*>(p + K % 3 * along));
  }

  const std::byte *first, *fourth, *seventh;
  index_t along;
};
/// The chain as an operand.
template <class T, class A>
struct chain_itself {
  using step = chain_step<T, A>;
  chain_itself(const step*, index_t, unsigned) {}
  template <int>
  [[gnu::always_inline]] typename step::L get(typename step::V chain) const {
    return typename step::L(chain);
  }
};

/// A comparison and the selection by it: operand 2 where operand 0 < operand 1 (or the like), else
/// operand 3. Bit j of Chain: operand j is the chain.
template <class Compare, class T, class A, unsigned Chain>
struct chain_select {
  using step = chain_step<T, A>;
  using L = typename step::L;
  using V = typename step::V;

  template <unsigned J>
  using operand =
      std::conditional_t<(Chain >> J & 1) != 0, chain_itself<T, A>, eight_vectors<T, A>>;

  struct all {
    operand<0> left;
    operand<1> right;
    operand<2> yes;
    operand<3> no;
    template <int K>
    [[gnu::always_inline]] V one(V v) const {
      const auto which = Compare::cpu(left.template get<K>(v), right.template get<K>(v));
      return where_::cpu(which, yes.template get<K>(v), no.template get<K>(v)).v;
    }
  };
  static void run(const step* s, index_t at, V a, V b, V c, V d, V e, V f, V g, V h) {
    const all x{{s, at, 0}, {s, at, 1}, {s, at, 2}, {s, at, 3}};
    a = x.template one<0>(a);
    b = x.template one<1>(b);
    c = x.template one<2>(c);
    d = x.template one<3>(d);
    e = x.template one<4>(e);
    f = x.template one<5>(f);
    g = x.template one<6>(g);
    h = x.template one<7>(h);
    return s[1].run(s + 1, at, a, b, c, d, e, f, g, h);
  }
};

/// How chains leave values behind, and end.
template <class T, class A>
struct chain_memory {
  using step = chain_step<T, A>;
  using L = typename step::L;
  using V = typename step::V;

  [[gnu::always_inline]] static void put(const step* s, index_t at, V x) {
    simd::store(reinterpret_cast<T*>(const_cast<std::byte*>(s->operand[0]) + at), L(x));
  }
  [[gnu::always_inline]] static void put_all(const step* s, index_t at, V a, V b, V c, V d, V e,
                                             V f, V g, V h) {
    constexpr index_t w = step::bytes;
    put(s, at, a), put(s, at + w, b), put(s, at + 2 * w, c), put(s, at + 3 * w, d);
    put(s, at + 4 * w, e), put(s, at + 5 * w, f), put(s, at + 6 * w, g), put(s, at + 7 * w, h);
  }
  static void store(const step* s, index_t at, V a, V b, V c, V d, V e, V f, V g, V h) {
    put_all(s, at, a, b, c, d, e, f, g, h);
    return s[1].run(s + 1, at, a, b, c, d, e, f, g, h);
  }
  static void last(const step* s, index_t at, V a, V b, V c, V d, V e, V f, V g, V h) {
    put_all(s, at, a, b, c, d, e, f, g, h);
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

/// Where the operands of an op come from: the place of operand j is digit j, base 3.
inline constexpr int chain_forms = 27;

/// The functions of these ops.
template <class T, class A>
struct chain_table {
  using function = typename chain_step<T, A>::function;

  struct row {
    function of[chain_forms];
  };
  struct rows {
    row of[static_cast<std::size_t>(chain_ops::size)];
  };
  static constexpr chain_operand digit(int form, int j) {
    for (; j > 0; --j) form /= 3;
    return static_cast<chain_operand>(form % 3);
  }
  template <class Op>
  static constexpr bool has = takes<Op, T>() ||
                              (std::is_floating_point_v<T> && chain_takes_mask<Op, T>(0));
  template <class Op, int Form, std::size_t... J>
  static constexpr function one(std::index_sequence<J...>) {
    auto count = [](chain_operand what) {
      return ((digit(Form, static_cast<int>(J)) == what) + ...);
    };
    constexpr int chains = count(chain_operand::chain);
    constexpr int splats = count(chain_operand::splat);
    // Splats alone are no op of a chain, and neither is one of three operands that has it twice.
    if constexpr (splats == Op::arity || (Op::arity == 3 && chains > 1))
      return nullptr;
    else
      return &chain_op<Op, T, A, digit(Form, static_cast<int>(J))...>::run;
  }
  template <class Op, int Form>
  static constexpr function form() {
    constexpr int digits = Op::arity == 1 ? 3 : Op::arity == 2 ? 9 : 27;
    if constexpr (Form >= digits || !has<Op>)
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
    return {{row_of<Op>(std::make_integer_sequence<int, chain_forms>{})...}};
  }
  static constexpr rows table = all_rows(chain_ops{});
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
  /// Op on operands from the places that are the digits of `form`; none where there is none.
  static chain_function of(dtype t, op_id op, int form) {
    const int i = place(op, chain_ops{});
    if (i < 0) return nullptr;
    return with_chain_type(t, [&]<class... T>(T...) {
      chain_function f = nullptr;
      ((f = reinterpret_cast<chain_function>(chain_table<T, A>::table.of[i].of[form])), ...);
      return f;
    });
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
    return with_chain_type(t, [&]<class... T>(T...) {
      chain_function f = nullptr;
      ((f = reinterpret_cast<chain_function>(select_table<T, A>::table.of[i].of[chain])), ...);
      return f;
    });
  }
  static chain_function store(dtype t, bool last) {
    return with_chain_type(t, [&]<class... T>(T...) {
      chain_function f = nullptr;
      ((f = reinterpret_cast<chain_function>(last ? &chain_memory<T, A>::last
                                                  : &chain_memory<T, A>::store)),
       ...);
      return f;
    });
  }

 private:
  template <class... Op>
  static constexpr int place(op_id op, type_list<Op...>) {
    int at = -1, i = 0;
    ((at = id_of<Op> == op ? i : at, ++i), ...);
    return at;
  }
};

}  // namespace weft::detail
