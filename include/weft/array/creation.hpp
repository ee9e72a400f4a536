// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include <weft/array/dtype.hpp>
#include <weft/array/extents.hpp>
#include <weft/array/scalar.hpp>
#include <weft/array/tensor.hpp>
#include <weft/base/error.hpp>

namespace weft {
namespace detail {

/// What `{}` is as a shape: rank 0.
struct no_extents {};

// Floating values are counted in double and rounded once, since a running sum would drift; integers
// in 64 bits, since the stop may lie outside the dtype.
template <class T>
using arange_bound = std::conditional_t<
    is_real<T>, double,
    std::conditional_t<std::is_same_v<T, std::uint64_t>, std::uint64_t, std::int64_t>>;
template <class T>
using arange_step = std::conditional_t<is_real<T>, double, std::int64_t>;

/// How many values start, start + step, ... lie before stop.
template <class Bound, class Step>
index_t arange_count(Bound start, Bound stop, Step step) {
  constexpr auto most = std::numeric_limits<index_t>::max();
  if (step == 0) throw value_error("weft: arange: the step is 0; it must be positive or negative");
  bool too_many = false;
  index_t count = 0;
  if constexpr (std::is_floating_point_v<Bound>) {
    const Bound steps = std::ceil((stop - start) / step);
    if (std::isnan(steps)) throw value_error("weft: arange: the bounds or the step are not finite");
    too_many = steps >= static_cast<Bound>(most);
    if (steps > 0 && !too_many) count = static_cast<index_t>(steps);
  } else if (step > 0 ? start < stop : start > stop) {
    // Unsigned: the distance may exceed the signed maximum, and so may -step.
    const auto from = static_cast<std::uint64_t>(start), to = static_cast<std::uint64_t>(stop);
    const auto by = static_cast<std::uint64_t>(step);
    const std::uint64_t more = step > 0 ? (to - from - 1) / by : (from - to - 1) / (0 - by);
    too_many = more >= static_cast<std::uint64_t>(most);
    if (!too_many) count = static_cast<index_t>(more) + 1;
  }
  if (too_many) throw memory_error("weft: arange: that is more elements than a tensor can hold");
  return count;
}

}  // namespace detail

/// A tensor of a shape given as an array, every element the value. Shape: `shape`; dtype: T.
/// Throws shape_error for a negative extent, value_error for an integer outside T.
template <element T, std::size_t R, class S>
auto full(const std::array<index_t, R>& shape, S value) {
  const T filler = detail::scalar_to<T>(value);
  auto out = detail::dynamic_tensor<T, static_cast<int>(R)>::uninitialized(shape);
  T* const to = out.data();
  const index_t count = out.size();
  for (index_t i = 0; i < count; ++i) to[i] = filler;
  return out;
}

/// The same for a shape in braces: `full<float>({2, 3}, 7)`; `{}` is rank 0.
template <element T, std::size_t R, class S>
auto full(const index_t (&shape)[R], S value) {
  std::array<index_t, R> extents{};
  for (std::size_t i = 0; i < R; ++i) extents[i] = shape[i];
  return full<T>(extents, value);
}
template <element T, class S>
tensor<T> full(detail::no_extents, S value) {
  return tensor<T>(detail::scalar_to<T>(value));
}

/// Zeros of shape (n...): `zeros<float>(2, 3)`.
template <element T, detail::integer_index... N>
auto zeros(N... n) {
  return full<T>(std::array<index_t, sizeof...(N)>{static_cast<index_t>(n)...}, T{});
}

/// Ones of shape (n...); true for bool.
template <element T, detail::integer_index... N>
auto ones(N... n) {
  return full<T>(std::array<index_t, sizeof...(N)>{static_cast<index_t>(n)...}, static_cast<T>(1));
}

/// start, start + step, ... up to, but without, stop. Shape: (ceil((stop - start) / step));
/// floating values are start + i * step in double, rounded to T. Throws value_error for a step
/// of 0 and for values outside T.
template <element T, class A, class B, class C = int>
vector<T> arange(A start, B stop, C step = 1) {
  static_assert(!std::is_same_v<T, bool>, "weft: arange: bool has no steps; use an integer type");
  using bound = detail::arange_bound<T>;
  const auto from = detail::scalar_to<bound>(start);
  const auto by = detail::scalar_to<detail::arange_step<T>>(step);
  const index_t count = detail::arange_count(from, detail::scalar_to<bound>(stop), by);
  const auto value = [=](index_t i) {
    if constexpr (detail::is_real<T>)
      return from + static_cast<double>(i) * by;
    else  // unsigned, so that no product overflows; the sum is right again
      return static_cast<bound>(static_cast<std::uint64_t>(from) +
                                static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(by));
  };
  if constexpr (!detail::is_real<T>) {
    if (count > 0) {
      static_cast<void>(detail::scalar_to<T>(value(0)));
      static_cast<void>(detail::scalar_to<T>(value(count - 1)));
    }
  }
  auto out = vector<T>::uninitialized({count});
  T* const to = out.data();
  for (index_t i = 0; i < count; ++i) to[i] = static_cast<T>(value(i));
  return out;
}

/// 0, 1, ... up to, but without, stop.
template <element T, class A>
vector<T> arange(A stop) {
  return arange<T>(A{0}, stop);
}

/// The identity matrix. Shape: (n, n).
template <element T>
matrix<T> eye(index_t n) {
  matrix<T> out = zeros<T>(n, n);
  for (index_t i = 0; i < n; ++i) out.data()[i * (n + 1)] = static_cast<T>(1);
  return out;
}

}  // namespace weft
