// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/array/half.hpp>

#include <concepts>
#include <cstddef>
#include <source_location>
#include <type_traits>

namespace weft {

// Ops that have an operator; defined in op/.
struct add_;
struct subtract_;
struct multiply_;
struct divide_;
struct negative_;
struct equal_;
struct not_equal_;
struct less_;
struct less_equal_;
struct greater_;
struct greater_equal_;
struct logical_not_;
struct bitwise_and_;
struct bitwise_or_;
struct bitwise_xor_;
struct shift_left_;
struct shift_right_;

namespace detail {

template <class Self>
struct operators;

/// Applies an op to operands; the capture room specialises it for symbols and for expressions.
template <class Op, class... X>
struct application;

/// An operand and the place in the user's source where it met its operator.
template <class Self>
struct located {
  const Self& value;
  std::source_location where;
  bool temporary = false;  ///< nothing reads it after the operator, which may take its parts
  constexpr located(const Self& v, std::source_location w = std::source_location::current())
      : value(v), where(w) {}
  constexpr located(Self&& v, std::source_location w = std::source_location::current())
      : value(v), where(w), temporary(true) {}
};

/// Whether an application can take parts of operands that are temporary: bit k of the argument
/// before them stands for operand k.
template <class Application>
concept takes_parts = requires {
  Application::takes_parts;
};

/// The bits of a list of forwarding references.
template <class... X>
constexpr unsigned temporaries() {
  unsigned bits = 0, bit = 1;
  ((bits |= std::is_lvalue_reference_v<X> || std::is_const_v<X> ? 0 : bit, bit *= 2), ...);
  return bits;
}

/// Whether a type is a tensor, view, expression or symbol.
template <class T>
concept tensorial = std::is_base_of_v<operators<T>, T>;

template <class T>
inline constexpr bool is_literal = false;

/// A C++ number, or a `lit<...>`.
template <class T>
concept number = is_number_type<T> || is_literal<T>;

template <class T>
concept operand = tensorial<T> || number<T>;

/// The operators of a tensor, view, expression or symbol, as hidden friends. The first tensorial
/// operand carries the user's line. The conversion that does so would be ambiguous with the
/// built-in operators for a type that converts to a number, so rank-0 types use plain_operators.
template <class Self>
struct located_operators {
#define WEFT_BINARY(symbol, op)                                        \
  template <operand B>                                                 \
  friend constexpr auto operator symbol(located<Self> a, const B& b) { \
    using done = application<op, Self, B>;                             \
    if constexpr (takes_parts<done>)                                   \
      return done::run(a.where, a.temporary, a.value, b);              \
    else                                                               \
      return done::run(a.where, a.value, b);                           \
  }                                                                    \
  template <number A>                                                  \
  friend constexpr auto operator symbol(const A& a, located<Self> b) { \
    using done = application<op, A, Self>;                             \
    if constexpr (takes_parts<done>)                                   \
      return done::run(b.where, b.temporary ? 2 : 0, a, b.value);      \
    else                                                               \
      return done::run(b.where, a, b.value);                           \
  }
#define WEFT_UNARY(symbol, op)                             \
  friend constexpr auto operator symbol(located<Self> a) { \
    using done = application<op, Self>;                    \
    if constexpr (takes_parts<done>)                       \
      return done::run(a.where, a.temporary, a.value);     \
    else                                                   \
      return done::run(a.where, a.value);                  \
  }
#include <weft/array/operator_list.inc>
#undef WEFT_BINARY
#undef WEFT_UNARY
};

template <class Self>
struct plain_operators {
#define WEFT_BINARY(symbol, op)                                         \
  template <operand B>                                                  \
  friend constexpr auto operator symbol(const Self& a, const B& b) {    \
    return application<op, Self, B>::run(std::source_location{}, a, b); \
  }                                                                     \
  template <number A>                                                   \
  friend constexpr auto operator symbol(const A& a, const Self& b) {    \
    return application<op, A, Self>::run(std::source_location{}, a, b); \
  }
#define WEFT_UNARY(symbol, op)                                    \
  friend constexpr auto operator symbol(const Self& a) {          \
    return application<op, Self>::run(std::source_location{}, a); \
  }
#include <weft/array/operator_list.inc>
#undef WEFT_BINARY
#undef WEFT_UNARY
};

/// The base of every type that has operators. Types of rank 0 specialise it.
template <class Self>
struct operators : located_operators<Self> {};

}  // namespace detail
}  // namespace weft
