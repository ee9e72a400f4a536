// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include "values.hpp"

#include <weft/array/tensor.hpp>

// Between tensors and reference values.
namespace weft_test {

/// A copy of a tensor or view.
template <class X>
reference_value read(const X& x) {
  using T = std::remove_const_t<typename X::value_type>;
  const auto shape = x.shape();
  reference_value r(weft::dtype_of<T>, std::vector<index_t>(shape.begin(), shape.end()));
  const weft::view<const T, X::rank> v(x);
  for (index_t i = 0; i < r.size(); ++i) {
    const auto c = weft::detail::coordinates(r.shape, i);
    index_t at = 0;
    for (std::size_t k = 0; k < c.size(); ++k) at += c[k] * v.stride(static_cast<int>(k));
    const T value = v.data()[at];
    if constexpr (weft::detail::is_real<T>)
      r.reals[static_cast<std::size_t>(i)] = value;
    else
      r.bits[static_cast<std::size_t>(i)] =
          weft::detail::wrapped(r.type, static_cast<std::uint64_t>(value));
  }
  return r;
}

template <class T, int Rank>
struct open_tensor {
  template <std::size_t... I>
  static auto make(std::index_sequence<I...>) {
    return std::type_identity<weft::tensor<T, (static_cast<void>(I), weft::dyn)...>>{};
  }
  using type =
      typename decltype(make(std::make_index_sequence<static_cast<std::size_t>(Rank)>{}))::type;
};

/// A tensor with open extents that holds a reference value of its dtype and rank.
template <class T, int Rank>
auto made(const reference_value& x) {
  if (x.type != weft::dtype_of<T> || x.rank() != Rank)
    throw weft::dtype_error("made: " + described(x));
  weft::shape_t<Rank> shape{};
  for (int k = 0; k < Rank; ++k)
    shape[static_cast<std::size_t>(k)] = x.shape[static_cast<std::size_t>(k)];
  auto t = open_tensor<T, Rank>::type::uninitialized(shape);
  for (index_t i = 0; i < x.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    if constexpr (weft::detail::is_real<T>)
      t.data()[i] = static_cast<T>(x.reals[k]);
    else
      t.data()[i] = static_cast<T>(x.bits[k]);
  }
  return t;
}

/// Seeded elements, uniform in [low, high): a tensor with open extents.
template <class T, int Rank>
auto filled_tensor(const std::array<index_t, static_cast<std::size_t>(Rank)>& shape,
                   std::uint64_t seed, double low = -2, double high = 2) {
  return made<T, Rank>(filled(weft::dtype_of<T>, {shape.begin(), shape.end()}, seed, low, high));
}

/// Empty if a tensor or view agrees with a reference value.
template <class X>
  requires requires {
    typename X::value_type;
    X::rank;
  }
std::string difference(const X& found, const reference_value& expected, const tolerance& t = {}) {
  return difference(read(found), expected, t);
}

/// Empty where a tensor's elements are these numbers.
template <class X>
std::string holds(const X& x, const std::vector<long double>& numbers) {
  return difference(read(x), numbers);
}

}  // namespace weft_test
