// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/capture/derived.hpp>
#include <weft/capture/shapes.hpp>
#include <weft/capture/shapes_places.hpp>
#include <weft/capture/shapes_structure.hpp>

namespace weft::detail {

constexpr void put_operands(message& m, const symbol* x, int n) {
  for (int i = 0; i < n; ++i) {
    if (i) m.put(i + 1 == n ? " and " : ", ");
    put_open_shape(m.put(name(x[i].type())).put(" "), x[i].shape());
  }
}

/// Whether operands of these dtypes may meet in an op; the reason goes to the builder.
constexpr bool check_types(builder& b, op_id op, const symbol* x, int n) {
  const op_info& f = op_table[op];
  const int first = f.types == typing::select ? 1 : 0;
  auto fail = [&](std::string_view what) {
    message m;
    m.put("weft: ").put(f.name).put(": ").put(what).put(": got ");
    put_operands(m, x, n);
    b.fail(m);
    return false;
  };
  if (f.types == typing::select && x[0].type() != dtype::boolean)
    return fail("the condition must be bool (compare, or cast<bool>)");
  for (int i = first + 1; i < n; ++i)
    if (x[i].type() != x[first].type())
      return fail("operands of different dtypes do not mix: convert one with cast<T>");
  const dtype t = x[first].type();
  switch (f.types) {
    case typing::floating:
      if (!is_floating(t)) return fail("needs a floating dtype: convert with cast<float>");
      break;
    case typing::numeric:
      if (t == dtype::boolean) return fail("is not defined for bool: convert with cast<T>");
      break;
    case typing::integral:
      if (!is_integer(t)) return fail("needs an integer dtype");
      break;
    case typing::logical:
      if (is_floating(t)) return fail("needs integers or bool");
      break;
    case typing::boolean:
      if (t != dtype::boolean) return fail("needs bool: compare, or cast<bool>");
      break;
    default:
      break;
  }
  return true;
}

/// Appends a pointwise node: dtypes checked, operands broadcast to a common shape.
constexpr symbol pointwise(builder& b, op_id op, symbol* x, int n) {
  if (b.failed()) return x[n - 1];
  const typing types = op_table[op].types;
  const node& first = x[0].node();
  // The common case, and much the cheapest: floats of one shape.
  bool alike = types <= typing::numeric && is_floating(first.type);
  node made{op, first.type, {x[0].id(), -1, -1}, first.shape, {}};
  for (int i = 1; alike && i < n; ++i) {
    const node& other = x[i].node();
    alike = other.type == first.type && other.shape == first.shape;
    made.in[i] = x[i].id();
  }
  if (alike) return {&b, b.add(made)};
  if (!check_types(b, op, x, n)) return x[n - 1];
  made.type = types == typing::compare ? dtype::boolean : x[n - 1].type();
  alike = true;
  for (int i = 1; i < n; ++i) {
    alike = alike && x[i].node().shape == x[0].node().shape;
    made.in[i] = x[i].id();
  }
  if (alike) return {&b, b.add(made)};
  shape_of s = x[0].shape();
  complaint why([&] {
    message m;
    put_operands(m.put("weft: ").put(op_table[op].name).put(": shapes do not broadcast: "), x, n);
    return m;
  });
  for (int i = 1; i < n; ++i)
    if (!b.join(s, x[i].shape(), s, op, why)) return why.fail(b), x[n - 1];
  s = b.find(s);
  made.shape = s;
  for (int i = 0; i < n; ++i) made.in[i] = x[i].broadcast_to(s).id();
  return {&b, b.add(made)};
}

template <class X>
constexpr symbol first_symbol_of(const X& x) {
  if constexpr (is_symbol_type<X>)
    return x;
  else
    return {};
}

/// The symbol whose dtype scalars take: the first that is no condition of a where.
template <class Op, class... X>
constexpr symbol peer_of(const X&... x) {
  const symbol all[]{first_symbol_of(x)...};
  for (int i = Op::types == typing::select ? 1 : 0; i < static_cast<int>(sizeof...(X)); ++i)
    if (all[i].id() >= 0) return all[i];
  return all[0];
}

/// The dtype of a number that stands beside no tensor.
template <class X>
constexpr dtype own_dtype() {
  if constexpr (is_literal<X>)
    return is_real<decltype(X::value())> ? dtype::float32 : dtype::int64;
  else if constexpr (element<X>)
    return dtype_of<X>;
  else
    return std::is_floating_point_v<X> ? dtype::float64 : dtype::int64;
}
/// The dtype that numbers take: the peer's, but between two numbers of a where that of the first.
template <class Op, class... X>
constexpr dtype dtype_of_numbers(symbol peer) {
  if constexpr (Op::types == typing::select) {
    constexpr bool symbols[]{is_symbol_type<X>...};
    constexpr dtype own[]{[] {
      if constexpr (is_symbol_type<X>)
        return dtype{};
      else
        return own_dtype<X>();
    }()...};
    if (!symbols[1] && !symbols[2]) return own[1];
  }
  return peer.type();
}

template <class Op, class X>
constexpr symbol as_symbol(builder& b, const X& x, dtype type, bool condition) {
  if constexpr (is_symbol_type<X>) {
    return x;
  } else if constexpr (is_literal<X>) {
    return as_symbol<Op>(b, x.value(), type, condition);
  } else {
    if (Op::types == typing::select && condition)
      return make_constant(b, dtype::boolean, x != X(0) ? 1 : 0);
    return lift(b, x, type, Op::name);
  }
}

template <class... X>
inline constexpr bool any_symbol = (is_symbol_type<X> || ...);
template <class... X>
inline constexpr bool all_symbolic = ((is_symbol_type<X> || number<X>)&&...) && any_symbol<X...>;

template <class Op, class... X>
constexpr symbol apply_primitive(std::source_location where, const X&... x) {
  if constexpr ((is_symbol_type<X> && ...)) {
    symbol operands[]{x...};
    builder& b = operands[0].builder();
    builder::scope at(b, where);
    return pointwise(b, id_of<Op>, operands, static_cast<int>(sizeof...(X)));
  } else {
    const symbol peer = peer_of<Op>(x...);
    builder& b = peer.builder();
    builder::scope at(b, where);
    int i = 0;
    const dtype type = dtype_of_numbers<Op, X...>(peer);
    symbol operands[]{as_symbol<Op>(b, x, type, i++ == 0)...};
    return pointwise(b, id_of<Op>, operands, static_cast<int>(sizeof...(X)));
  }
}

/// Ops on symbols: a primitive appends its node, a derived op runs its body.
template <class Op, class... X>
  requires(all_symbolic<X...>&& std::is_base_of_v<primitive_tag, Op>)
struct application<Op, X...> {
  static constexpr symbol run(std::source_location where, const X&... x) {
    return apply_primitive<Op>(where, x...);
  }
};

template <class Op, class... X>
  requires(all_symbolic<X...>&& std::is_base_of_v<derived_tag, Op>)
struct application<Op, X...> {
  static constexpr symbol run(std::source_location where, const X&... x) {
    const symbol peer = peer_of_any(x...);
    builder::scope at(peer.builder(), where);
    const symbol operands[]{lifted(peer, x)...};
    return expand_derived<Op>({}, operands);
  }
  static constexpr symbol peer_of_any(const X&... x) {
    const symbol all[]{first_symbol_of(x)...};
    for (const symbol& s : all)
      if (s.id() >= 0) return s;
    return all[0];
  }
  template <class Y>
  static constexpr symbol lifted(symbol peer, const Y& y) {
    if constexpr (is_symbol_type<Y>)
      return y;
    else if constexpr (is_literal<Y>)
      return lift(peer.builder(), y.value(), peer.type(), Op::name);
    else
      return lift(peer.builder(), y, peer.type(), Op::name);
  }
};

template <class Op, attributes At, class... X>
  requires(all_symbolic<X...>)
struct application_with<Op, At, X...> {
  static constexpr symbol run(std::source_location where, const X&... x) {
    using plain = application<Op, X...>;
    const symbol peer = plain::peer_of_any(x...);
    builder::scope at(peer.builder(), where);
    const symbol operands[]{plain::lifted(peer, x)...};
    return expand_derived<Op>(At, operands);
  }
};

/// A conversion, the one pointwise op whose result type is an attribute.
template <attributes At>
struct application_with<cast_, At, symbol> {
  static constexpr symbol run(std::source_location where, const symbol& x) {
    builder::scope at(x.builder(), where);
    return x.rounded_as(static_cast<dtype>(At.v[0]));
  }
};

}  // namespace weft::detail
