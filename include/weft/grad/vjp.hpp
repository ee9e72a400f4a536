// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/capture/pointwise.hpp>

#include <tuple>

namespace weft::detail {

/// Places a vjp's result, one symbol or a tuple, in an array; id -1 where an operand receives
/// nothing.
constexpr void place(symbol* out, const symbol& s) {
  out[0] = s;
}
template <class... T>
constexpr void place(symbol* out, const std::tuple<T...>& parts) {
  auto one = [&](int i, const auto& p) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(p)>, symbol>)
      out[i] = p;
    else
      out[i] = symbol{};
  };
  std::apply(
      [&](const auto&... p) {
        int i = 0;
        (one(i++, p), ...);
      },
      parts);
}

/// Whether an op has a rule; otherwise its `vjp` is a `non_differentiable`, the only form that has
/// a size.
template <class Op>
concept differentiable = !requires {
  sizeof(Op::vjp);
};

/// Cotangents of a node's operands from the cotangent g of its result r.
template <class Op>
constexpr void vjp_of(builder& b, symbol g, int r, symbol* out) {
  const node n = b.at(r);
  const symbol y{&b, r};
  const auto x = [&](int i) { return symbol{&b, n.in[i]}; };
  if constexpr (Op::kind == op_kind::leaf) {
    (void)out;
  } else if constexpr (Op::kind == op_kind::identity) {
    out[0] = g;
  } else if constexpr (requires { sizeof(Op::vjp); }) {
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(Op::vjp)>, non_differentiable>);
  } else if constexpr (Op::arity == 1) {
    place(out, Op::vjp(g, x(0), y));
  } else if constexpr (Op::arity == 2) {
    place(out, Op::vjp(g, x(0), x(1), y));
  } else {
    place(out, Op::vjp(g, x(0), x(1), x(2), y));
  }
}

using vjp_function = void (*)(builder&, symbol, int, symbol*);
template <class List>
struct vjp_table;
template <class... Op>
struct vjp_table<type_list<Op...>> {
  static constexpr vjp_function value[sizeof...(Op)]{&vjp_of<Op>...};
};

/// The number a node is known to be in every element, looking through broadcasts.
struct known_number {
  bool known = false;
  double value = 0;
};
constexpr known_number known_number_of(const builder& b, int i) {
  while (b.at(i).op == id_of<broadcast_>) i = b.at(i).in[0];
  const node& n = b.at(i);
  if (n.op != id_of<constant_>) return {};
  if (is_floating(n.type))
    return {true, std::bit_cast<double>(static_cast<std::uint64_t>(n.at.v[0]))};
  return {true, static_cast<double>(n.at.v[0])};
}

/// g * d, and 0 where g is 0 even if d is not finite (conventions: zero cotangent).
constexpr symbol times_derivative(symbol g, symbol d) {
  builder& b = g.builder();
  const known_number k = known_number_of(b, g.id());
  if (k.known && k.value != 0) return k.value == 1 ? d : g * d;
  if (k.known) return g;
  symbol x[]{g, d};
  return pointwise(b, id_of<mul_zero_>, x, 2);
}

/// The cotangents of a node's operands by its op's rule; the derivative of a singular op is taken
/// apart from g, so that a cotangent of 0 gives 0.
constexpr void pull_back(builder& b, symbol g, int r, symbol* out) {
  const op_id op = b.at(r).op;
  const vjp_function rule = vjp_table<primitives>::value[op];
  if (!op_table[op].singular) {
    rule(b, g, r, out);
    return;
  }
  const symbol one = symbol{&b, r}.number(1).broadcast_to(symbol{&b, r});
  rule(b, one, r, out);
  for (int i = 0; i < op_table[op].arity; ++i)
    if (out[i].id() >= 0) out[i] = times_derivative(g, out[i]);
}

}  // namespace weft::detail
