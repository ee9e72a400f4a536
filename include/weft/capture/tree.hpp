// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/base/reflect.hpp>
#include <weft/capture/symbol.hpp>

#include <array>
#include <tuple>

// Arguments of a captured function: symbols, or structs, arrays and tuples of them.
namespace weft::detail {

template <class T> constexpr bool has_symbols();

template <class T> struct symbol_fields {
  static constexpr bool value = [] {
    if constexpr (std::is_aggregate_v<T> && !std::is_empty_v<T>)
      return []<class... M>(std::type_identity<std::tuple<M&...>>) {
        return (has_symbols<M>() || ...);
      }(std::type_identity<decltype(fields(std::declval<T&>()))>{});
    else
      return false;
  }();
};
template <class T, std::size_t N> struct symbol_fields<std::array<T, N>> {
  static constexpr bool value = has_symbols<T>();
};
template <class... T> struct symbol_fields<std::tuple<T...>> {
  static constexpr bool value = (has_symbols<T>() || ...);
};

template <class T> constexpr bool has_symbols() {
  if constexpr (std::is_same_v<T, symbol>) return true;
  else if constexpr (is_number_type<T>) return false;
  else return symbol_fields<T>::value;
}
template <class T> inline constexpr bool holds_symbols = has_symbols<T>();

template <class T> inline constexpr bool is_std_array = false;
template <class T, std::size_t N> inline constexpr bool is_std_array<std::array<T, N>> = true;
template <class T> inline constexpr bool is_std_tuple = false;
template <class... T> inline constexpr bool is_std_tuple<std::tuple<T...>> = true;

/// Calls f on every symbol of a tree, in the order of its fields.
template <class T, class F> constexpr void for_each_symbol(T& tree, F&& f) {
  if constexpr (std::is_same_v<T, symbol>) f(tree);
  else if constexpr (is_std_array<T>)
    for (auto& t : tree) for_each_symbol(t, f);
  else if constexpr (is_std_tuple<T>)
    std::apply([&](auto&... t) { (for_each_symbol(t, f), ...); }, tree);
  else if constexpr (holds_symbols<T>)
    std::apply([&](auto&... t) { (for_each_symbol(t, f), ...); }, fields(tree));
}

}  // namespace weft::detail
