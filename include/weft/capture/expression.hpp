// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/capture/leaf.hpp>
#include <weft/capture/recipe.hpp>

#include <source_location>
#include <tuple>

namespace weft {

namespace detail {

template <class E>
struct evaluator;

template <auto Recipe>
inline constexpr bool is_number_recipe = Recipe.result.rank == 0;

/// Computes a rank-0 expression; defined in compile/.
template <class E>
auto evaluate_item(const E& e);

/// What a rank-0 expression of dtype V becomes only by an explicit conversion.
template <class T, class V, int Rank>
concept other_number = Rank == 0 && std::is_arithmetic_v<T> && !std::is_same_v<T, V> &&
                       !(is_real<V> && std::is_floating_point_v<T> && sizeof(T) >= sizeof(V));

}  // namespace detail

/// A lazy tensor expression. Its type is its program: a flat recipe over leaves, which it holds.
/// Nothing runs until it is assigned to a tensor, converted to a number, or given to eval.
template <auto Recipe, class... Leaves>
class expr : public detail::operators<expr<Recipe, Leaves...>> {
 public:
  using expression_tag = void;
  static constexpr auto recipe = Recipe;
  static constexpr detail::value_spec spec = Recipe.result;
  static constexpr int rank = spec.rank;
  using value_type = ctype<spec.type>;
  static constexpr std::size_t steps = static_cast<std::size_t>(Recipe.size);

  std::tuple<Leaves...> leaves;
  std::source_location where[steps];  ///< of each step

  /// A rank-0 expression is its value where a number of its dtype, or of a wider floating one, is
  /// wanted: one function that is no template, so that overloads such as those of std::sqrt see how
  /// far each of them is.
  operator value_type() const requires(rank == 0) { return detail::evaluate_item(*this); }
  operator float() const requires(rank == 0 && detail::is_half_type<value_type>) {
    return detail::evaluate_item(*this);
  }
  /// Other numbers only when asked for: static_cast<int>(e).
  template <class T>
    requires detail::other_number<T, value_type, rank>
  operator T() const = delete;
  template <class T>
    requires detail::other_number<T, value_type, rank> && std::is_arithmetic_v<T>
  explicit operator T() const { return static_cast<T>(detail::evaluate_item(*this)); }
};

namespace detail {

/// Expressions of rank 0 convert to numbers.
template <auto Recipe, class... Leaves>
  requires is_number_recipe<Recipe>
struct operators<expr<Recipe, Leaves...>> : plain_operators<expr<Recipe, Leaves...>> {
};

template <class X>
inline constexpr bool is_expr = false;
template <auto R, class... L>
inline constexpr bool is_expr<expr<R, L...>> = true;

/// The recipe of a single leaf.
template <value_spec Spec>
inline constexpr auto leaf_recipe = [] {
  recipe<1> r;
  r.n[0].in = as_operand(0, 0);
  r.result = Spec;
  r.result.strided = false;
  return r;
}();

template <class Leaf>
auto leaf_expression(Leaf l, std::source_location where = {}) {
  return expr<leaf_recipe<Leaf::spec>, Leaf>{{}, {std::move(l)}, {where}};
}

template <auto R, class... L>
const expr<R, L...>& as_expression(const expr<R, L...>& e) {
  return e;
}
template <class T, index_t... E>
auto as_expression(const tensor<T, E...>& x) {
  return leaf_expression(make_leaf<leaf_name{}>(x));
}
template <class T, int Rank>
auto as_expression(const view<T, Rank>& x) {
  return leaf_expression(make_leaf<leaf_name{}>(x));
}

/// The place of a leaf type in a list of leaves if it is named and there already, else -1; one name
/// for two types of tensor is an error.
template <class Leaf, class... Known>
constexpr int known_place() {
  if constexpr (Leaf::name.empty()) {
    return -1;
  } else {
    static_assert(((!(Known::name == Leaf::name) || std::is_same_v<Known, Leaf>)&&...),
                  "weft: one variable name stands for two tensors of different types in an "
                  "expression: give each "
                  "tensor a name of its own");
    int at = 0, found = -1;
    ((std::is_same_v<Known, Leaf> && found < 0 ? void(found = at) : void(), ++at), ...);
    return found;
  }
}

/// Appends the leaves of one more operand; fills in where each of its leaves went.
template <class Known, class More>
struct united;
template <class... A>
struct united<std::tuple<A...>, std::tuple<>> {
  using type = std::tuple<A...>;
};
template <class... A, class B, class... Bs>
struct united<std::tuple<A...>, std::tuple<B, Bs...>> {
  using type = typename std::conditional_t<(known_place<B, A...>() >= 0),
                                           united<std::tuple<A...>, std::tuple<Bs...>>,
                                           united<std::tuple<A..., B>, std::tuple<Bs...>>>::type;
};
template <class All>
struct leaf_places;
template <class... A>
struct leaf_places<std::tuple<A...>> {
  template <class... B>
  static constexpr auto of(std::tuple<B...>*, int first_new) {
    std::array<int, sizeof...(B) + 1> r{known_place<B, A...>()...};
    int next = first_new;
    // A name found at or behind the next new place is this very leaf, which goes there.
    for (std::size_t i = 0; i < sizeof...(B); ++i)
      if (r[i] < 0 || r[i] >= next) r[i] = next++;
    return r;
  }
};
template <class All, class Part, int First>
inline constexpr auto places = leaf_places<All>::of(static_cast<Part*>(nullptr), First);

/// A leaf of an operand. That of a temporary is moved, so that owners are not counted once more for
/// each op above it.
template <bool Known, class Leaf>
void put_leaf(Leaf& to, const Leaf& from, [[maybe_unused]] bool temporary) {
  if constexpr (Known) {
    if (!to.same_as(from)) to.conflict = true;
    to.conflict = to.conflict || from.conflict;
  } else if (temporary) {
    to = std::move(const_cast<Leaf&>(from));
  } else {
    to = from;
  }
}
template <class All, int First, class Part, std::size_t... I>
void put_leaves(All& all, const Part& part, [[maybe_unused]] bool temporary,
                std::index_sequence<I...>) {
  [[maybe_unused]] constexpr auto place = places<All, Part, First>;
  (put_leaf<(place[I] < First)>(std::get<static_cast<std::size_t>(place[I])>(all),
                                std::get<I>(part), temporary),
   ...);
}
template <class All, std::size_t First, class... B>
void put_leaves(All& all, const std::tuple<B...>& part, bool temporary) {
  put_leaves<All, static_cast<int>(First)>(all, part, temporary, std::index_sequence_for<B...>{});
}
/// What an op gives for operands of these specs, or its error; worked out once for all places that
/// ask.
template <const step_op* Op, attributes At, bool Grad, value_spec... S>
inline constexpr inferred step_result = [] {
  const value_spec specs[]{S...};
  return infer(Op, At, specs, static_cast<int>(sizeof...(S)), Grad);
}();

/// What a merge gives: the recipe for the compiler alone, and what a running program needs of it.
/// Apart, since a recipe in a binary would bring the code of all its ops' captures along.
template <const step_op* Op, attributes At, bool Grad, class All, class E0, class... E>
struct merged_recipe {
  static constexpr int own = E0::recipe.size;
  static constexpr auto merged = [] {
    merged_steps<(E::recipe.size + ... + 1)> m;
    m.first = E0::recipe.n;
    m.own = own;
    std::int64_t last = as_operand(0, own - 1);
    constexpr int leaves = std::tuple_size_v<decltype(E0::leaves)>;
    if constexpr (sizeof...(E) > 0) {
      using E1 = type_at<type_list<E...>, 0>;
      last |= as_operand(1, m.add(E1::recipe, places<All, decltype(E1::leaves), leaves>.data(), 1));
      if constexpr (sizeof...(E) > 1) {
        using E2 = type_at<type_list<E...>, 1>;
        using two = typename united<decltype(E0::leaves), decltype(E1::leaves)>::type;
        constexpr int behind = std::tuple_size_v<two>;
        last |=
            as_operand(2, m.add(E2::recipe, places<All, decltype(E2::leaves), behind>.data(), 2));
      }
    }
    m.more[m.count++].in = last;
    return m;
  }();
  static constexpr int size = own + merged.count;
  static_assert(size < 4095,
                "weft: an expression has too many steps: assign a part of it to a tensor");
  static constexpr auto value = [] {
    recipe<size> r;
    for (int i = 0; i < own; ++i) r.n[i] = E0::recipe.n[i];
    for (int i = own; i < size; ++i) {
      const auto& a = merged.more[i - own];
      r.n[i] = a.from ? recipe_node{a.from->op, a.in, a.from->at} : recipe_node{Op, a.in, At};
    }
    r.result = step_result<Op, At, Grad, E0::spec, E::spec...>.result;
    return r;
  }();
  /// Where the steps behind the first operand's come from.
  struct origin_list {
    short of[static_cast<std::size_t>(size - own)]{};
  };
  static constexpr origin_list origins = [] {
    origin_list r;
    for (int i = own; i < size; ++i) r.of[i - own] = merged.more[i - own].origin;
    return r;
  }();
};

template <class A, class... B>
struct united_all {
  using type = A;
};
template <class A, class B, class... C>
struct united_all<A, B, C...> {
  using type = typename united_all<typename united<A, B>::type, C...>::type;
};

template <class To, class From, std::size_t... I>
void first_leaves(To& to, const From& from, [[maybe_unused]] bool temporary,
                  std::index_sequence<I...>) {
  (put_leaf<false>(std::get<I>(to), std::get<I>(from), temporary), ...);
}
/// The leaves of all operands; see apply_step for `temporary`.
template <class All, class First>
void unite(All& to, unsigned temporary, const First& first) {
  first_leaves(to, first, temporary & 1, std::make_index_sequence<std::tuple_size_v<First>>{});
}
template <class All, class First, class Second>
void unite(All& to, unsigned temporary, const First& first, const Second& second) {
  unite(to, temporary, first);
  put_leaves<All, std::tuple_size_v<First>>(to, second, temporary & 2);
}
template <class All, class First, class Second, class Third>
void unite(All& to, unsigned temporary, const First& first, const Second& second,
           const Third& third) {
  unite(to, temporary, first, second);
  put_leaves<All, std::tuple_size_v<typename united<First, Second>::type>>(to, third,
                                                                           temporary & 4);
}
template <class All, class... Part>
[[gnu::noinline]] void unite_shared(All& to, unsigned temporary, const Part&... part) {
  unite(to, temporary, part...);
}

template <auto Recipe, class All>
struct expression_over;
template <auto Recipe, class... L>
struct expression_over<Recipe, std::tuple<L...>> {
  using type = expr<Recipe, L...>;
};

/// The places of an op's steps: its first operand's, then those of the steps behind them, from the
/// operand and the step in `origins`, or -1 for the op's own.
inline void place_steps(std::source_location* to, int own, int size, const short* origins,
                        const std::source_location* const* from, std::source_location where) {
  for (int i = 0; i < own; ++i) to[i] = from[0][i];
  for (int i = own; i < size; ++i) {
    const short origin = origins[i - own];
    to[i] = origin < 0 ? where : from[origin / 4096][origin % 4096];
  }
}
[[gnu::noinline]] inline void place_many_steps(std::source_location* to, int own, int size,
                                               const short* origins,
                                               const std::source_location* const* from,
                                               std::source_location where) {
  place_steps(to, own, size, origins, from, where);
}

/// The expression of an op applied to expressions; bit k of `temporary` says that operand k is one,
/// which nothing else reads.
template <const step_op* Op, attributes At, bool Grad = false, class E0, class... E>
auto apply_step(std::source_location where, unsigned temporary, const E0& e0, const E&... e) {
  using First = decltype(E0::leaves);
  using All = typename united_all<First, decltype(E::leaves)...>::type;
  using merge = merged_recipe<Op, At, Grad, All, E0, E...>;
  typename expression_over<merge::value, All>::type result{};
  // Long expressions call code that all of them over the same leaves share.
  const std::source_location* from[]{e0.where, e.where...};
  if constexpr (merge::size > 8) {
    unite_shared(result.leaves, temporary, e0.leaves, e.leaves...);
    place_many_steps(result.where, merge::own, merge::size, merge::origins.of, from, where);
  } else {
    unite(result.leaves, temporary, e0.leaves, e.leaves...);
    place_steps(result.where, merge::own, merge::size, merge::origins.of, from, where);
  }
  return result;
}

}  // namespace detail
}  // namespace weft
