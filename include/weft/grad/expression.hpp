// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/capture/apply.hpp>
#include <weft/grad/reverse.hpp>

#include <tuple>

// Gradients of expressions, which are expressions.
namespace weft {
namespace detail {

/// grad(e, v) as a step: x[1] is the variable's node. It is expanded where the whole recipe becomes
/// a graph.
constexpr symbol expand_grad(builder& b, const attributes&, const symbol* x) {
  if (x[0].rank() != 0 || !is_floating(x[0].type())) {
    message m;
    m.put("weft: grad: the expression must be one floating value (rank 0): got ");
    m.put(name(x[0].type())).put(" ");
    put_shape(m, x[0].shape());
    b.fail(m);
    return x[1];
  }
  return reverse(x[0], x[0].number(1), {x[1].id()})[0];
}

inline constexpr step_op grad_step{&expand_grad};

template <class V>
inline constexpr bool is_variable = false;
template <auto R, class Leaf>
inline constexpr bool is_variable<expr<R, Leaf>> = R.size == 1 && !Leaf::name.empty();

template <class E, class V>
inline constexpr bool uses_variable = false;
template <auto R, class... L, auto S, class Leaf>
inline constexpr bool uses_variable<expr<R, L...>, expr<S, Leaf>> = is_variable<expr<S, Leaf>> &&
                                                                    (std::is_same_v<L, Leaf> ||
                                                                     ...);

template <class E>
inline constexpr message loss_problem = [] {
  message m;
  if (E::rank == 0 && is_floating(E::spec.type)) return m;
  put_spec(m.put("weft: grad(e, v): e must be one floating value (rank 0), and it is "), E::spec);
  return m.put(": take its sum or mean first");
}();
}  // namespace detail

/// The gradient of a rank-0 expression with respect to a variable in it: an expression of the
/// variable's shape. With several variables, a tuple. A variable that the expression does not use
/// is a compile error: mostly its use was inside a function that was called, and so evaluated, at
/// once.
template <auto R, class... L, detail::tensorial V>
auto grad(const expr<R, L...>& e, const V& v,
          std::source_location where = std::source_location::current()) {
  using E = expr<R, L...>;
  static_assert(detail::reported<detail::loss_problem<E>>::nothing);
  static_assert(detail::is_variable<V>,
                "weft: grad(e, v): v must be a variable: auto v = variable<\"v\">(tensor)");
  static_assert(!detail::is_variable<V> || detail::uses_variable<E, V>,
                "weft: grad(e, v): e does not use v. Functions from compile, grad and their like "
                "are evaluated when they are called, and leave a tensor in e: differentiate a "
                "function of v instead, grad(f)(tensor)");
  if constexpr (detail::uses_variable<E, V> && detail::loss_problem<E>.empty())
    return detail::apply_step<&detail::grad_step, detail::attributes{}, true>(where, 0, e, v);
}
template <auto R, class... L, detail::tensorial V, detail::tensorial W, detail::tensorial... More>
auto grad(const expr<R, L...>& e, const V& v, const W& w, const More&... more) {
  return std::tuple{grad(e, v), grad(e, w), grad(e, more)...};
}
template <detail::array E, detail::tensorial... V>
  requires(sizeof...(V) > 0)
void grad(const E&, const V&...) {
  static_assert(sizeof(E) == 0,
                "weft: grad(e, v): e is a tensor, which no longer knows how it was computed: keep "
                "the expression: auto e = ...");
}

}  // namespace weft
