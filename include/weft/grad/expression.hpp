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

}  // namespace detail

/// The gradient of a rank-0 expression with respect to a variable in it: an expression of the
/// variable's shape. With several variables, a tuple. A variable that the expression does not use
/// is a compile error: mostly its use was inside a function that was called, and so evaluated, at
/// once.
template <auto R, class... L, auto V, class Leaf>
auto grad(const expr<R, L...>& e, const expr<V, Leaf>& v,
          std::source_location where = std::source_location::current()) {
  static_assert(
      R.result.rank == 0 && is_floating(R.result.type),
      "weft: grad(e, v): e must be one floating value (rank 0): take its sum or mean first");
  static_assert(V.size == 1 && !Leaf::name.empty(),
                "weft: grad(e, v): v must be a variable: auto v = variable<\"v\">(tensor)");
  static_assert((std::is_same_v<L, Leaf> || ...),
                "weft: grad(e, v): e does not use v. Functions from compile, grad and their like "
                "are evaluated when they are called, and leave a tensor in e: differentiate a "
                "function of v instead, grad(f)(tensor)");
  return detail::apply_step<&detail::grad_step, detail::attributes{}, true>(where, e, v);
}
template <auto R, class... L, class V, class W, class... More>
auto grad(const expr<R, L...>& e, const V& v, const W& w, const More&... more) {
  return std::tuple{grad(e, v), grad(e, w), grad(e, more)...};
}

}  // namespace weft
