// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/capture/shapes.hpp>

#include <tuple>
#include <utility>

// Derived ops: a body in terms of other ops, with a gradient of their own where they give one.
namespace weft::detail {

/// Calls a body, which has the attributes first where the op carries any.
template <class Op, std::size_t... I>
constexpr symbol call_body(const attributes& a, const symbol* x, std::index_sequence<I...>) {
  if constexpr (requires { Op::body(a, x[I]...); })
    return Op::body(a, x[I]...);
  else
    return Op::body(x[I]...);
}

template <class Op, std::size_t... I>
constexpr auto call_vjp(const attributes& a, symbol g, const symbol* x, symbol y,
                        std::index_sequence<I...>) {
  if constexpr (requires { Op::vjp(a, g, x[I]..., y); })
    return Op::vjp(a, g, x[I]..., y);
  else
    return Op::vjp(g, x[I]..., y);
}

/// Whether a derived op stops gradients: `vjp` is a `non_differentiable`.
template <class Op>
inline constexpr bool stops_gradient = requires {
  sizeof(Op::vjp);
};

template <class Op, std::size_t... I>
constexpr bool gives_vjp(std::index_sequence<I...>) {
  return requires(const attributes& a, symbol s, const symbol* x) {
    Op::vjp(a, s, x[I]..., s);
  }
  || requires(symbol s, const symbol* x) {
    Op::vjp(s, x[I]..., s);
  };
}
template <class Op>
inline constexpr bool has_own_gradient = stops_gradient<Op> ||
                                         gives_vjp<Op>(std::make_index_sequence<Op::arity>{});

/// Puts the parts of a rule's result, one symbol or a tuple, in their places; each is summed to the
/// shape of its operand, which the op may have broadcast.
constexpr void place_parts(symbol* out, const symbol* x, const symbol& part) {
  out[0] = part.sum_to(x[0]);
}
template <class... P>
constexpr void place_parts(symbol* out, const symbol* x, const std::tuple<P...>& parts) {
  auto one = [&](std::size_t i, const auto& p) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(p)>, symbol>) out[i] = p.sum_to(x[i]);
  };
  std::apply(
      [&](const auto&... p) {
        std::size_t i = 0;
        (one(i++, p), ...);
      },
      parts);
}
constexpr void place_parts(symbol*, const symbol*, no_gradient) {}

/// The rule of a node that with_rule made: word 0 of its attributes is its number, the op's own
/// follow.
template <class Op>
constexpr void run_rule(builder& b, symbol g, const int* inputs, int result, symbol* out) {
  attributes a;
  for (int k = 0; k + 1 < max_rank; ++k) a.v[k] = b.at(result).at.v[k + 1];
  symbol x[Op::arity];
  for (int k = 0; k < Op::arity; ++k) x[k] = {&b, inputs[k]};
  place_parts(out, x, call_vjp<Op>(a, g, x, {&b, result}, std::make_index_sequence<Op::arity>{}));
}

constexpr void run_no_rule(builder&, symbol, const int*, int, symbol*) {}

/// Marks a value whose gradient a rule gives: n operands, or none where gradients stop.
constexpr symbol with_rule(symbol y, decltype(custom_rule::apply) rule, const symbol* x, int n,
                           const attributes& a) {
  builder& b = y.builder();
  custom_rule made;
  made.apply = rule;
  made.count = n;
  for (int k = 0; k < n; ++k) made.inputs[k] = x[k].id();
  std::size_t number = 0;
  for (; number < b.rules.size(); ++number) {
    const custom_rule& r = b.rules[number];
    bool same = r.apply == made.apply && r.count == n;
    for (int k = 0; same && k < n; ++k) same = r.inputs[k] == made.inputs[k];
    if (same) break;
  }
  if (number == b.rules.size()) b.rules.push_back(made);
  attributes with{{static_cast<index_t>(number)}};
  for (int k = 0; k + 1 < max_rank; ++k) with.v[k + 1] = a.v[k];
  return make_node<custom_>(b, y.type(), y.shape(), with, y);
}

/// A derived op on symbols: its body, under its own rule where it has one.
template <class Op>
constexpr symbol expand_derived(const attributes& a, const symbol* x) {
  constexpr auto operands = std::make_index_sequence<Op::arity>{};
  const symbol y = call_body<Op>(a, x, operands);
  if constexpr (has_own_gradient<Op>) {
    if (y.builder().failed()) return y;
    if constexpr (stops_gradient<Op>)
      return with_rule(y, &run_no_rule, x, 0, {});
    else
      return with_rule(y, &run_rule<Op>, x, Op::arity, a);
  } else {
    return y;
  }
}

}  // namespace weft::detail
