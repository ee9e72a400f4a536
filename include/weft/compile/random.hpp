// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/compile/evaluate.hpp>
#include <weft/op/random.hpp>

#include <vector>

// Tensors of random numbers, made at once.
namespace weft::random {

namespace detail {
using namespace weft::detail;

template <element T, class Op, class... N>
auto filled(const Op& op, philox_key key, N... n) {
  auto x = dynamic_tensor<T, static_cast<int>(sizeof...(N))>::uninitialized(
      {static_cast<index_t>(n)...});
  x = op(x, key);  // only the shape of x is read
  return x;
}
}  // namespace detail

/// Numbers in [0, 1), of shape (n...) and floating dtype T: multiples of 2^-24, or of 2^-53
/// for double, rounded to T where that has 16 bits. Throws shape_error for a negative extent.
template <element T, std::integral... N>
  requires(weft::detail::is_real<T>)
auto uniform(philox_key key, N... n) {
  return detail::filled<T>(uniform_like, key, n...);
}

/// Numbers of mean 0 and variance 1, normally distributed, of shape (n...) and floating dtype T.
template <element T, std::integral... N>
  requires(weft::detail::is_real<T>)
auto normal(philox_key key, N... n) {
  return detail::filled<T>(normal_like, key, n...);
}

/// A random order of 0 .. n - 1. Throws value_error for a negative n.
inline vector<std::int64_t> permutation(philox_key key, index_t n) {
  const std::vector<std::int64_t> order = weft::detail::permutation(key, n);
  auto x = vector<std::int64_t>::uninitialized({n});
  std::copy(order.begin(), order.end(), x.data());
  return x;
}

/// A key as a tensor: an argument of a captured function, so that a new key compiles nothing.
inline tensor<std::uint32_t, 2> as_tensor(philox_key key) {
  auto t = tensor<std::uint32_t, 2>::uninitialized({2});
  t.data()[0] = key.lo;
  t.data()[1] = key.hi;
  return t;
}

}  // namespace weft::random
