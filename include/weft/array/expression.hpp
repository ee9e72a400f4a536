// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <type_traits>

#include <weft/array/forward.hpp>
#include <weft/array/half.hpp>

namespace weft {

/// A lazy value: a type with a member type `expression_tag`. Tensors and views take one wherever
/// they take a value, and hand it to `detail::evaluator`.
template <class E>
concept expression = requires { typename std::remove_cvref_t<E>::expression_tag; };

namespace detail {

/// How an expression becomes data; specialised where expressions are compiled.
///   static void assign(const E&, Destination&);           into a tensor or a view
///   template <class Destination> static Destination make(const E&);   a new tensor
template <class E>
struct evaluator;

/// `destination op= operand` for Op in "+-*/"; specialised where expressions are compiled.
///   static void apply(Destination&, const Operand&);
/// Operand is an expression, a tensor, a view or an arithmetic type.
template <char Op, class Destination, class Operand>
struct compound_assign;

/// What may stand to the right of +=, -=, *= and /=.
template <class X>
concept compound_operand = expression<X> || array<X> || is_number_type<X>;

}  // namespace detail
}  // namespace weft
