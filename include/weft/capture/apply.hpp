// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/capture/expression.hpp>
#include <weft/op/literal.hpp>

// Ops on tensors, views and expressions: one more step of a recipe.
namespace weft {
namespace detail {

template <class... X>
inline constexpr bool lazy = ((!is_symbol_type<X> && operand<X>)&&...) && (tensorial<X> || ...);

template <class X>
struct peer_type {
  using type = X;  // a number stands for itself where no tensor says more
};
template <class X>
  requires tensorial<X>
struct peer_type<X> {
  using type = std::remove_const_t<typename X::value_type>;
};
template <constant C>
struct peer_type<literal<C>> {
  using type = std::conditional_t<C.floating, float, std::int64_t>;
};

template <bool Select, class... X>
constexpr int first_tensor() {
  constexpr bool tensors[]{tensorial<X>...};
  for (int i = Select ? 1 : 0; i < static_cast<int>(sizeof...(X)); ++i)
    if (tensors[i]) return i;
  return Select ? 1 : 0;
}
/// The C++ type that numbers beside these operands take: that of the first tensor, a where's
/// condition apart.
template <bool Select, class... X>
constexpr auto peer_of_types() {
  using T = typename peer_type<type_at<type_list<X...>, first_tensor<Select, X...>()>>::type;
  if constexpr (element<T>)
    return T{};
  else if constexpr (std::is_floating_point_v<T>)
    return double{};
  else
    return std::int64_t{};
}

template <std::uint64_t Bits, dtype D>
inline constexpr auto constant_recipe = [] {
  recipe<1> r;
  r.n[0].at = {{static_cast<index_t>(Bits), static_cast<index_t>(D)}};
  r.result.type = D;
  return r;
}();

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_scalar(std::string_view op,
                                                                const std::string& value, dtype d,
                                                                std::source_location where) {
  message m;
  m.put("weft: ").put(op).put(": the scalar ").put(value).put(" is outside dtype ").put(name(d));
  m.put(": convert the tensor with cast<T>");
  put_location(m, {where.file_name(), where.line()});
  throw value_error(std::string(m.view()));
}

/// An expression stays where it is, all else becomes one.
template <class T, class X>
decltype(auto) lazy_operand(const X& x, std::string_view op, std::source_location where) {
  if constexpr (tensorial<X>) {
    return as_expression(x);
  } else if constexpr (is_literal<X>) {
    constexpr auto bits = is_real<T>
                              ? std::bit_cast<std::uint64_t>(
                                    static_cast<double>(static_cast<computed_type<T>>(X::value())))
                              : static_cast<std::uint64_t>(static_cast<std::int64_t>(X::value()));
    expr<constant_recipe<bits, dtype_of<T>>> e;
    e.where[0] = std::source_location{};
    return e;
  } else {
    leaf<number_spec(dtype_of<T>), leaf_name{}> l;
    if constexpr (std::is_integral_v<X>)
      if (!scalar_fits<T>(x)) throw_scalar(op, std::to_string(widened(x)), dtype_of<T>, where);
    l.value = static_cast<T>(x);
    return leaf_expression(l);
  }
}

template <class Op>
constexpr bool selects() {
  if constexpr (requires { Op::types; })
    return Op::types == typing::select;
  else
    return false;
}

/// The spec of an operand as it enters an expression; numbers have dtype T.
template <class T, class X>
struct operand_spec {
  static constexpr value_spec value = number_spec(dtype_of<T>);
};
template <class T, class U, index_t... E>
struct operand_spec<T, tensor<U, E...>> {
  static constexpr value_spec value = leaf_recipe<tensor_spec<U, E...>()>.result;
};
template <class T, class U, int Rank>
struct operand_spec<T, view<U, Rank>> {
  static constexpr value_spec value = leaf_recipe<view_spec<U, Rank>()>.result;
};
template <class T, auto R, class... L>
struct operand_spec<T, expr<R, L...>> {
  static constexpr value_spec value = R.result;
};

/// Why a number of type X cannot stand beside a tensor of dtype T, as far as its type says.
template <class T, class X>
constexpr message number_problem(std::string_view op) {
  if constexpr (is_literal<X>) {
    builder b;
    (void)lift(b, X::value(), dtype_of<T>, op);
    return b.g.error;
  } else if constexpr (is_real<X>) {
    builder b;
    (void)lift(b, X{}, dtype_of<T>, op);
    return b.g.error;
  } else {
    return {};
  }
}

/// Variables of two types with one name, in two lists of leaves.
template <class A, class B>
inline constexpr bool clash = !std::is_same_v<A, B> && !A::name.empty() && A::name == B::name;
template <class L, class M>
inline constexpr bool leaves_clash = false;
template <class A, class... B>
inline constexpr bool leaf_clashes = (clash<A, B> || ...);
template <class... A, class... B>
inline constexpr bool leaves_clash<std::tuple<A...>, std::tuple<B...>> = (leaf_clashes<A, B...> ||
                                                                          ...);
template <class X>
struct leaves_of {
  using type = std::tuple<>;
};
template <auto R, class... L>
struct leaves_of<expr<R, L...>> {
  using type = std::tuple<L...>;
};
template <class... X>
inline constexpr bool names_clash = false;
template <class X, class Y>
inline constexpr bool names_clash<X, Y> =
    leaves_clash<typename leaves_of<X>::type, typename leaves_of<Y>::type>;
template <class X, class Y, class Z>
inline constexpr bool names_clash<X, Y, Z> =
    names_clash<X, Y> || names_clash<X, Z> || names_clash<Y, Z>;

/// One variable name for tensors of different types.
template <class... L>
constexpr message name_problem(std::string_view op, std::tuple<L...>*) {
  const leaf_name names[]{L::name...};
  const value_spec specs[]{L::spec...};
  message m;
  for (std::size_t i = 0; i < sizeof...(L); ++i)
    for (std::size_t j = 0; j < i && m.empty(); ++j) {
      if (names[i].empty() || !(names[i] == names[j]) || specs[i] == specs[j]) continue;
      m.put("weft: ").put(op).put(": one variable name, ").put(names[i].text);
      m.put(", stands for tensors of different types: ");
      put_spec(m, specs[j]);
      put_spec(m.put(" and "), specs[i]);
      m.put(": give each tensor a name of its own");
    }
  return m;
}
template <class Op, class... X>
using peer_t = decltype(peer_of_types<selects<Op>(), X...>());

/// What is wrong with the names and numbers among the operands of an op.
template <class Op, class... X>
inline constexpr message operand_problem = [] {
  using T = peer_t<Op, X...>;
  message m;
  if constexpr (names_clash<X...>)
    m = name_problem(
        Op::name,
        static_cast<decltype(std::tuple_cat(std::declval<typename leaves_of<X>::type>()...))*>(
            nullptr));
  ((m.empty() ? void(m = number_problem<T, X>(Op::name)) : void()), ...);
  return m;
}();

/// Why an op does not take operands of these types; empty where it does. Most have no numbers among
/// them and no names that clash: then the message is that of their specs, which places share.
template <class Op, attributes At, class... X>
constexpr const message* problem_at() {
  constexpr bool asks = names_clash<X...> || !(tensorial<X> && ...);
  if constexpr (asks)
    if (!operand_problem<Op, X...>.empty()) return &operand_problem<Op, X...>;
  return &step_result<&step_for<Op>, At, false, operand_spec<peer_t<Op, X...>, X>::value...>.error;
}
template <class Op, attributes At, class... X>
inline constexpr const message& problem = *problem_at<Op, At, X...>();

/// The operands that become expressions only for an op: tensors, views and numbers.
template <class... X>
inline constexpr unsigned made_here = [] {
  unsigned bits = 0, bit = 1;
  ((bits |= is_expr<X> ? 0 : bit, bit *= 2), ...);
  return bits;
}();

template <class Op, attributes At, class X, class... Y>
auto apply_lazily(std::source_location where, unsigned temporary, const X& x, const Y&... y) {
  using T = peer_t<Op, X, Y...>;
  if constexpr (problem<Op, At, X, Y...>.empty())
    return apply_step<&step_for<Op>, At>(where, temporary | made_here<X, Y...>,
                                         lazy_operand<T>(x, Op::name, where),
                                         lazy_operand<T>(y, Op::name, where)...);
  else if constexpr (tensorial<X>)
    return as_expression(x);  // the error has been said
  else
    return apply_lazily<Op, At>(where, 0, y...);
}

// The assertions stand here and not where steps are made: few layers lie between them and the
// user's line.
template <class Op, class... X>
  requires(lazy<X...>)
struct application<Op, X...> {
  static_assert(reported<problem<Op, attributes{}, X...>>::nothing);
  static constexpr bool takes_parts = true;
  static auto run(std::source_location where, unsigned temporary, const X&... x) {
    return apply_lazily<Op, attributes{}>(where, temporary, x...);
  }
  static auto run(std::source_location where, const X&... x) { return run(where, 0, x...); }
};

template <class Op, attributes At, class... X>
  requires(lazy<X...>)
struct application_with<Op, At, X...> {
  static_assert(reported<problem<Op, At, X...>>::nothing);
  static auto run(std::source_location where, const X&... x) {
    return apply_lazily<Op, At>(where, 0, x...);
  }
};

}  // namespace detail

/// Names a tensor in expressions, so that `grad` can ask for it and its uses are one:
/// `auto m = variable<"m">(M)`. The expression shares M's storage.
template <fixed_string Name, class X>
  requires(detail::is_tensor<X> || detail::is_view<X>)
auto variable(const X& x, std::source_location where = std::source_location::current()) {
  return detail::leaf_expression(detail::make_leaf<detail::make_name(Name)>(x), where);
}

/// Names a subexpression, so that its uses in one expression are computed once.
template <fixed_string Name, auto R, class... L>
auto let(const expr<R, L...>& e) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    auto one = [&]<std::size_t K>(std::integral_constant<std::size_t, K>) {
      using Leaf = std::tuple_element_t<K, std::tuple<L...>>;
      if constexpr (Leaf::name.empty())
        return detail::renamed<Leaf, detail::make_name(Name, static_cast<int>(K) + 1)>(
            std::get<K>(e.leaves));
      else
        return std::get<K>(e.leaves);
    };
    auto leaves = std::tuple{one(std::integral_constant<std::size_t, I>{})...};
    return [&]<class... M>(std::tuple<M...>& l) {
      expr<R, M...> r;
      r.leaves = std::move(l);
      for (std::size_t i = 0; i < r.steps; ++i) r.where[i] = e.where[i];
      return r;
    }(leaves);
  }
  (std::index_sequence_for<L...>{});
}

}  // namespace weft
