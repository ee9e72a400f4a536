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
  r.n[0].in[0] = 0;
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
template <class All, class... B>
constexpr auto places_of(std::tuple<B...>*, int first_new) {
  std::array<int, sizeof...(B) + 1> r{};
  int i = 0, next = first_new;
  [&]<class... A>(std::tuple<A...>*) {
    ((r[static_cast<std::size_t>(i)] = known_place<B, A...>(),
      // A name found at or behind the next new place is this very leaf, which goes there.
      r[static_cast<std::size_t>(i)] < 0 || r[static_cast<std::size_t>(i)] >= next
          ? void(r[static_cast<std::size_t>(i)] = next++)
          : void(),
      ++i),
     ...);
  }(static_cast<All*>(nullptr));
  return r;
}

template <class All, class Part, int First>
inline constexpr auto places = places_of<All>(static_cast<Part*>(nullptr), First);

template <class All, int First, class... B>
void put_leaves(All& all, const std::tuple<B...>& part) {
  constexpr auto place = places<All, std::tuple<B...>, First>;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (
        [&] {
          auto& to = std::get<static_cast<std::size_t>(place[I])>(all);
          const auto& from = std::get<I>(part);
          if constexpr (place[I] < First) {
            if (!to.same_as(from)) to.conflict = true;
            to.conflict = to.conflict || from.conflict;
          } else {
            to = from;
          }
        }(),
        ...);
  }
  (std::index_sequence_for<B...>{});
}

/// Places of the steps of up to three operands in a merged recipe, with its steps.
template <int Capacity>
struct merge_result {
  recipe_node n[static_cast<std::size_t>(Capacity)]{};
  short origin[static_cast<std::size_t>(
      Capacity)]{};  ///< operand * 4096 + its step; -1 for the new step
  int size = 0;
};

/// What an op gives for operands of these specs, or its error; worked out once for all places that
/// ask.
template <const step_op* Op, attributes At, bool Grad, value_spec... S>
inline constexpr inferred step_result = [] {
  const value_spec specs[]{S...};
  return infer(Op, At, specs, static_cast<int>(sizeof...(S)), Grad);
}();

template <const step_op* Op, attributes At, class All, class E0, class... E>
constexpr auto merge_recipes() {
  constexpr int capacity = (E0::recipe.size + ... + E::recipe.size) + 1;
  merge_result<capacity> r;
  merged_steps m;
  recipe_node last;
  last.op = Op;
  last.at = At;
  int operand = 0;
  constexpr int first = std::tuple_size_v<decltype(E0::leaves)>;
  std::vector<int> origin;
  auto add = [&](const auto& rec, const auto& place) {
    const std::vector<int> at = m.add(rec, place.data());
    last.in[operand] = static_cast<short>(at.back());
    origin.resize(m.n.size(), -1);
    for (std::size_t i = 0; i < at.size(); ++i)
      if (origin[static_cast<std::size_t>(at[i])] < 0)
        origin[static_cast<std::size_t>(at[i])] = operand * 4096 + static_cast<int>(i);
    ++operand;
  };
  std::array<int, static_cast<std::size_t>(first) + 1> own{};
  for (int i = 0; i < first; ++i) own[static_cast<std::size_t>(i)] = i;
  add(E0::recipe, own);
  if constexpr (sizeof...(E) == 1) {
    (add(E::recipe, places<All, decltype(E::leaves), first>), ...);
  } else if constexpr (sizeof...(E) == 2) {
    []<class E1, class E2>(auto& put, std::type_identity<E1>, std::type_identity<E2>) {
      constexpr int f1 = std::tuple_size_v<decltype(E0::leaves)>;
      using two = typename united<decltype(E0::leaves), decltype(E1::leaves)>::type;
      constexpr int f2 = std::tuple_size_v<two>;
      put(E1::recipe, places<All, decltype(E1::leaves), f1>);
      put(E2::recipe, places<All, decltype(E2::leaves), f2>);
    }(add, std::type_identity<E>{}...);
  }
  m.step(last);
  origin.resize(m.n.size(), -1);
  r.size = static_cast<int>(m.n.size());
  for (int i = 0; i < r.size; ++i) {
    r.n[i] = m.n[static_cast<std::size_t>(i)];
    r.origin[i] = static_cast<short>(origin[static_cast<std::size_t>(i)]);
  }
  return r;
}

template <class A, class... B>
struct united_all {
  using type = A;
};
template <class A, class B, class... C>
struct united_all<A, B, C...> {
  using type = typename united_all<typename united<A, B>::type, C...>::type;
};

/// What a merge gives: the recipe for the compiler alone, and what a running program needs of it.
/// Apart, since a recipe in a binary would bring the code of all its ops' captures along.
template <const step_op* Op, attributes At, bool Grad, class All, class E0, class... E>
struct merged_recipe {
  static constexpr auto merged = merge_recipes<Op, At, All, E0, E...>();
  static constexpr int size = merged.size;
  static constexpr auto value = [] {
    recipe<size> r;
    for (int i = 0; i < size; ++i) r.n[i] = merged.n[i];
    r.result = step_result<Op, At, Grad, E0::spec, E::spec...>.result;
    return r;
  }();
  struct origin_list {
    short of[static_cast<std::size_t>(size)]{};
  };
  static constexpr origin_list origins = [] {
    origin_list r;
    for (int i = 0; i < size; ++i) r.of[i] = merged.origin[i];
    return r;
  }();
};

/// The expression of an op applied to expressions.
template <const step_op* Op, attributes At, bool Grad = false, class E0, class... E>
auto apply_step(std::source_location where, const E0& e0, const E&... e) {
  using All = typename united_all<decltype(E0::leaves), decltype(E::leaves)...>::type;
  using merge = merged_recipe<Op, At, Grad, All, E0, E...>;
  auto result = [&]<class... L>(std::tuple<L...>*) {
    return expr<merge::value, L...>{};
  }(static_cast<All*>(nullptr));
  [&]<std::size_t... I>(std::index_sequence<I...>, const auto& first) {
    ((std::get<I>(result.leaves) = std::get<I>(first)), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<decltype(E0::leaves)>>{}, e0.leaves);
  if constexpr (sizeof...(E) == 1) {
    (put_leaves<All, std::tuple_size_v<decltype(E0::leaves)>>(result.leaves, e.leaves), ...);
  } else if constexpr (sizeof...(E) == 2) {
    [&](const auto& e1, const auto& e2) {
      using L1 = std::remove_cvref_t<decltype(e1.leaves)>;
      put_leaves<All, std::tuple_size_v<decltype(E0::leaves)>>(result.leaves, e1.leaves);
      put_leaves<All, std::tuple_size_v<typename united<decltype(E0::leaves), L1>::type>>(
          result.leaves, e2.leaves);
    }(e...);
  }
  const std::source_location* from[]{e0.where, e.where...};
  for (int i = 0; i < merge::size; ++i) {
    const short origin = merge::origins.of[i];
    result.where[i] = origin < 0 ? where : from[origin / 4096][origin % 4096];
  }
  return result;
}

}  // namespace detail
}  // namespace weft
