// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/array/scalar.hpp>
#include <weft/array/tensor.hpp>
#include <weft/array/view.hpp>
#include <weft/capture/spec.hpp>

namespace weft::detail {

/// The identity of a leaf: empty for one of its own, the variable's name, or the name of a let and
/// a number.
struct leaf_name {
  char text[24]{};
  int number = 0;
  constexpr bool empty() const { return text[0] == 0; }
  constexpr bool operator==(const leaf_name&) const = default;
};

template <std::size_t N>
constexpr leaf_name make_name(const fixed_string<N>& s, int number = 0) {
  static_assert(N <= 24, "weft: a variable's name has at most 23 characters");
  static_assert(N > 1, "weft: a variable needs a name");
  leaf_name n;
  for (std::size_t i = 0; i + 1 < N; ++i) n.text[i] = s.text[i];
  n.number = number;
  return n;
}

/// A tensor, view or number that an expression reads: it shares the storage and sees later writes.
template <value_spec Spec, leaf_name Name>
struct leaf {
  using T = ctype<Spec.type>;
  static constexpr value_spec spec = Spec;
  static constexpr leaf_name name = Name;
  static constexpr std::size_t rank = static_cast<std::size_t>(Spec.rank);
  storage_ptr storage;
  const T* data = nullptr;
  std::array<index_t, rank> shape{};
  std::array<index_t, Spec.strided ? static_cast<std::size_t>(Spec.rank) : 0> stride{};
  bool conflict = false;  ///< the same name stood for another tensor

  bool same_as(const leaf& o) const {
    return data == o.data && shape == o.shape && stride == o.stride;
  }
  const void* address() const { return data; }
};
/// A number keeps its value.
template <value_spec Spec, leaf_name Name>
  requires(Spec.rank == 0 && Spec.strided)
struct leaf<Spec, Name> {
  using T = ctype<Spec.type>;
  static constexpr value_spec spec = Spec;
  static constexpr leaf_name name = Name;
  T value{};
  bool conflict = false;
  std::array<index_t, 0> shape{}, stride{};
  bool same_as(const leaf& o) const { return value == o.value; }
  const void* address() const { return &value; }
};

constexpr value_spec number_spec(dtype t) {
  return {t, 0, {}, true};
}

template <class T, index_t... E>
constexpr value_spec tensor_spec() {
  value_spec s{dtype_of<T>, static_cast<int>(sizeof...(E)), {}, false};
  int i = 0;
  ((s.extent[i++] = E), ...);
  return s;
}
template <class T, int Rank>
constexpr value_spec view_spec() {
  value_spec s{dtype_of<std::remove_const_t<T>>, Rank, {}, Rank > 0};
  for (int i = 0; i < Rank; ++i) s.extent[i] = dyn;
  return s;
}

/// The tensor type of a value: its static extents kept.
template <value_spec S>
struct tensor_type {
  template <std::size_t... I>
  static auto make(std::index_sequence<I...>) {
    return std::type_identity<tensor<ctype<S.type>, S.extent[I]...>>{};
  }
  using type =
      typename decltype(make(std::make_index_sequence<static_cast<std::size_t>(S.rank)>{}))::type;
};

template <leaf_name Name, class T, index_t... E>
auto make_leaf(const tensor<T, E...>& x) {
  leaf<tensor_spec<T, E...>(), Name> l;
  l.storage = x.storage();
  l.data = x.address();
  l.shape = x.shape();
  return l;
}
template <leaf_name Name, class T, int Rank>
auto make_leaf(const view<T, Rank>& x) {
  leaf<view_spec<T, Rank>(), Name> l;
  l.storage = x.storage();
  l.data = x.address();
  l.shape = x.shape();
  if constexpr (Rank > 0) l.stride = x.strides();
  return l;
}

template <class Leaf, leaf_name Name>
auto renamed(const Leaf& x) {
  leaf<Leaf::spec, Name> l;
  static_assert(sizeof(l) == sizeof(x));
  if constexpr (requires { x.storage; }) {
    l.storage = x.storage;
    l.data = x.data;
    l.shape = x.shape;
    l.stride = x.stride;
  } else {
    l.value = x.value;
  }
  l.conflict = x.conflict;
  return l;
}

}  // namespace weft::detail
