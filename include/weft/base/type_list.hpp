// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <cstddef>
#include <utility>

namespace weft::detail {

template <class... T>
struct type_list {
  static constexpr int size = static_cast<int>(sizeof...(T));
};

template <std::size_t I, class T>
struct indexed {
  using type = T;
};

template <class Sequence, class... T>
struct type_index;
template <std::size_t... I, class... T>
struct type_index<std::index_sequence<I...>, T...> : indexed<I, T>... {};

template <std::size_t I, class T>
indexed<I, T> select_type(const indexed<I, T>&);
template <class T, std::size_t I>
std::integral_constant<std::size_t, I> select_index(const indexed<I, T>&);

template <class List>
struct list_index;
template <class... T>
struct list_index<type_list<T...>> {
  using type = type_index<std::index_sequence_for<T...>, T...>;
};

/// The type at a place of a list, without recursion: one lookup among the bases of a class.
template <class List, int I>
using type_at = typename decltype(select_type<static_cast<std::size_t>(I)>(
    typename list_index<List>::type{}))::type;

/// The place of a type in a list that holds it once.
template <class List, class T>
inline constexpr int index_of =
    static_cast<int>(decltype(select_index<T>(typename list_index<List>::type{}))::value);

}  // namespace weft::detail
