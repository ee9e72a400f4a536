// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <string>

#include <weft/array/dtype.hpp>
#include <weft/array/extents.hpp>
#include <weft/base/error.hpp>

// Nested braces: matrix<float>{{1, 2}, {3, 4}}.
namespace weft::detail {

/// What braces hold: floats for the 16-bit types, so that numbers are written as they are.
template <class T>
using list_element = computed_type<T>;

// For the ranks that take no braces: a type of which nobody makes a value.
template <class T, int Rank>
struct list_of {
  struct type {
    type() = delete;
  };
};
template <class T>
struct list_of<T, 1> {
  using type = std::initializer_list<list_element<T>>;
};
template <class T>
struct list_of<T, 2> {
  using type = std::initializer_list<std::initializer_list<list_element<T>>>;
};
template <class T>
struct list_of<T, 3> {
  using type =
      std::initializer_list<std::initializer_list<std::initializer_list<list_element<T>>>>;
};
template <class T, int Rank>
using nested_list = typename list_of<T, Rank>::type;

/// The shape of nested braces. Throws shape_error where they are ragged.
template <class T, int Rank>
shape_t<Rank> list_shape(const nested_list<T, Rank>& list) {
  shape_t<Rank> shape{static_cast<index_t>(list.size())};
  if constexpr (Rank > 1) {
    bool first = true;
    for (const auto& part : list) {
      const shape_t<Rank - 1> inner = list_shape<T, Rank - 1>(part);
      for (std::size_t i = 0; i < inner.size(); ++i) {
        if (!first && shape[i + 1] != inner[i])
          throw shape_error("weft: ragged braces: rows of extent " +
                            std::to_string(shape[i + 1]) + " and " + std::to_string(inner[i]) +
                            "; every row must have the same extent");
        shape[i + 1] = inner[i];
      }
      first = false;
    }
  }
  return shape;
}

/// Writes the elements in order; returns where the next would go.
template <class T, int Rank>
T* list_copy(const nested_list<T, Rank>& list, T* out) {
  for (const auto& part : list) {
    if constexpr (Rank == 1)
      *out++ = static_cast<T>(part);
    else
      out = list_copy<T, Rank - 1>(part, out);
  }
  return out;
}

}  // namespace weft::detail
