// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <type_traits>
#include <utility>

#include <weft/array/extents.hpp>

namespace weft {

template <class T, index_t... E>
class tensor;

template <class T, int Rank>
class view;

/// A tensor of rank 2 whose extents are known when the program runs.
template <class T>
using matrix = tensor<T, dyn, dyn>;

/// A tensor of rank 1 whose extent is known when the program runs.
template <class T>
using vector = tensor<T, dyn>;

/// `all`: the reduction, which indexing accepts as 'whole axis'.
struct all_;

namespace detail {

template <class T, class Seq>
struct dynamic_tensor_of;
template <class T, int... I>
struct dynamic_tensor_of<T, std::integer_sequence<int, I...>> {
  using type = tensor<T, (static_cast<void>(I), dyn)...>;
};

/// The tensor of a rank whose extents are all dynamic.
template <class T, int Rank>
using dynamic_tensor =
    typename dynamic_tensor_of<T, std::make_integer_sequence<int, Rank>>::type;

template <class X>
inline constexpr bool is_tensor = false;
template <class T, index_t... E>
inline constexpr bool is_tensor<tensor<T, E...>> = true;

template <class X>
inline constexpr bool is_view = false;
template <class T, int Rank>
inline constexpr bool is_view<view<T, Rank>> = true;

/// Data at rest: a tensor or a view.
template <class X>
concept array = is_tensor<std::remove_cvref_t<X>> || is_view<std::remove_cvref_t<X>>;

}  // namespace detail
}  // namespace weft
