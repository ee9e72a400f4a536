// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/array/dtype.hpp>
#include <weft/array/operators.hpp>
#include <weft/base/fixed_string.hpp>
#include <weft/base/report.hpp>
#include <weft/base/type_list.hpp>
#include <weft/op/attributes.hpp>

#include <source_location>
#include <string_view>
#include <tuple>

namespace weft::detail {

/// Like application, for an op that carries attributes.
template <class Op, attributes At, class... X>
struct application_with;

/// How a node of an op is computed, and so what a plan may do with it.
enum class op_kind : std::uint8_t {
  leaf,
  identity,
  pointwise,
  reduction,
  view,
  matmul,
  other,
  control  ///< bodies and calls of the host, their operands and results: see op/control.hpp
};

/// Which dtypes the operands may have, and which the result has.
enum class typing : std::uint8_t {
  floating,  ///< any floating dtype, all operands alike; result alike
  numeric,   ///< any but bool, all alike; result alike
  integral,  ///< integers, all alike; result alike
  logical,   ///< integers or bool, all alike; result alike
  any,       ///< all alike; result alike
  compare,   ///< all alike; result bool
  boolean,   ///< bool; result bool
  select,    ///< bool, then two alike; result like these
  special    ///< the op's own rule, in graph/infer.hpp
};

/// In a vjp's result: an operand that receives no gradient.
struct no_gradient {};

/// The vjp of an op whose derivative is zero or undefined everywhere: gradients stop there
/// silently.
struct non_differentiable {};

/// Applies an op that carries attributes, which an expression keeps in its type.
template <class Op, attributes At, class... X>
constexpr auto apply_with(std::source_location where, const X&... x) {
  return application_with<Op, At, X...>::run(where, x...);
}

/// What every op definition has: a name, and operator() for symbols, expressions and tensors.
template <class Derived, fixed_string Name, int Arity>
struct callable;

template <class Derived, fixed_string Name>
struct callable<Derived, Name, 1> {
  static constexpr std::string_view name = Name.view();
  static constexpr int arity = 1;
  template <class X>
    requires(operand<std::remove_cvref_t<X>>)
  constexpr auto operator()(X&& x,
                            std::source_location where = std::source_location::current()) const {
    using done = application<Derived, std::remove_cvref_t<X>>;
    if constexpr (takes_parts<done>)
      return done::run(where, temporaries<X>(), x);
    else
      return done::run(where, x);
  }
};

template <class Derived, fixed_string Name>
struct callable<Derived, Name, 2> {
  static constexpr std::string_view name = Name.view();
  static constexpr int arity = 2;
  template <class X, class Y>
    requires(operand<std::remove_cvref_t<X>>&& operand<std::remove_cvref_t<Y>>)
  constexpr auto operator()(X&& x, Y&& y,
                            std::source_location where = std::source_location::current()) const {
    using done = application<Derived, std::remove_cvref_t<X>, std::remove_cvref_t<Y>>;
    if constexpr (takes_parts<done>)
      return done::run(where, temporaries<X, Y>(), x, y);
    else
      return done::run(where, x, y);
  }
};

template <class Derived, fixed_string Name>
struct callable<Derived, Name, 3> {
  static constexpr std::string_view name = Name.view();
  static constexpr int arity = 3;
  template <class X, class Y, class Z>
    requires(operand<std::remove_cvref_t<X>>&& operand<std::remove_cvref_t<Y>>&&
                 operand<std::remove_cvref_t<Z>>)
  constexpr auto operator()(X&& x, Y&& y, Z&& z,
                            std::source_location where = std::source_location::current()) const {
    using done = application<Derived, std::remove_cvref_t<X>, std::remove_cvref_t<Y>,
                             std::remove_cvref_t<Z>>;
    if constexpr (takes_parts<done>)
      return done::run(where, temporaries<X, Y, Z>(), x, y, z);
    else
      return done::run(where, x, y, z);
  }
};

/// The name and arity of an op whose definition has its own operator() (axes, shapes and the like).
template <fixed_string Name, int Arity>
struct named_op {
  static constexpr std::string_view name = Name.view();
  static constexpr int arity = Arity;
};

struct primitive_tag {};

/// What a definition has not given.
struct missing_part {};
struct derived_tag {};

}  // namespace weft::detail

namespace weft {

/// A pointwise op of the catalogue. A definition gives: `doc`; `types` (floating by default);
/// `vjp(g, operands..., y)`, a tuple where there are several operands, or `vjp =
/// non_differentiable`; `cpu(lanes...)`; `cuda`, where $0, $1 stand for the operands;
/// `reference(scalars...)`. `singular` marks a derivative that is not finite at some finite
/// operand.
template <class Derived, fixed_string Name, int Arity>
struct primitive : detail::callable<Derived, Name, Arity>, detail::primitive_tag {
  static constexpr detail::missing_part doc{}, vjp{}, cpu{}, cuda{}, reference{};
  static constexpr auto kind = detail::op_kind::pointwise;
  static constexpr auto types = detail::typing::floating;
  static constexpr bool singular = false;
};

/// A primitive that is no pointwise function: its shape rule is in graph/infer.hpp, its code in the
/// back ends.
template <class Derived, fixed_string Name, int Arity, detail::op_kind Kind>
struct structural : detail::named_op<Name, Arity>, detail::primitive_tag {
  static constexpr detail::missing_part vjp{};
  static constexpr auto kind = Kind;
  static constexpr auto types = detail::typing::special;
  static constexpr bool singular = false;
};

/// An op in terms of others: `body(operands...)`, with attributes last where it has them. Shape,
/// gradient and code follow. A definition may give its own `vjp(g, operands..., y)` where that is
/// more accurate or cheaper.
template <class Derived, fixed_string Name, int Arity>
struct derived : detail::callable<Derived, Name, Arity>, detail::derived_tag {};

/// A derived op with its own operator().
template <class Derived, fixed_string Name, int Arity>
struct derived_with : detail::named_op<Name, Arity>, detail::derived_tag {};

namespace detail {

template <class Part>
inline constexpr bool is_missing = std::is_same_v<std::remove_cv_t<Part>, missing_part>;

/// Names the parts that the definition of a primitive lacks. Those that are no pointwise function
/// have code in the back ends instead, and leaves and identities need no rule.
template <class Op>
inline constexpr message lacking = [] {
  message m;
  auto lacks = [&](std::string_view part) {
    if (m.empty())
      m.put("weft: the primitive ").put(Op::name).put(" lacks ");
    else
      m.put(", ");
    m.put(part);
  };
  // A part that is a function has no type to ask for, and so is there.
  if constexpr (requires { requires is_missing<decltype(Op::vjp)>; })
    if (Op::kind != op_kind::leaf && Op::kind != op_kind::identity)
      lacks("its gradient rule (vjp, a function or a non_differentiable)");
  if constexpr (requires { requires is_missing<decltype(Op::cpu)>; }) lacks("its SIMD form (cpu)");
  if constexpr (requires { requires is_missing<decltype(Op::cuda)>; })
    lacks("its CUDA spelling (cuda)");
  if constexpr (requires { requires is_missing<decltype(Op::reference)>; })
    lacks("its reference (reference)");
  if constexpr (requires { requires is_missing<decltype(Op::doc)>; }) lacks("its doc (doc)");
  return m.empty() ? m : m.put("; see docs/add_an_op.md");
}();

/// True for a primitive with all its parts; does not compile for any other.
template <class Op>
inline constexpr bool complete = reported<lacking<Op>>::nothing;

template <class List>
inline constexpr bool all_complete = false;
template <class... Op>
inline constexpr bool all_complete<type_list<Op...>> = (complete<Op> && ...);

}  // namespace detail

}  // namespace weft
