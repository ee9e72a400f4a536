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

/// How many values start, start + step, ... lie before stop.
template <class T>
index_t arange_count(T start, T stop, T step) {
  if constexpr (std::is_floating_point_v<T>) {
    const T count = std::ceil((stop - start) / step);
    if (step == 0 || std::isnan(count))
      throw value_error("weft: arange: the step is 0, or an argument is not a number");
    if (count >= static_cast<T>(std::numeric_limits<index_t>::max()))
      throw memory_error("weft: arange: the interval holds more steps than a tensor can");
    return count > 0 ? static_cast<index_t>(count) : 0;
  } else {
    if (step == 0) throw value_error("weft: arange: the step is 0; it must not be");
    if (step > 0 ? start >= stop : start <= stop) return 0;
    // Unsigned: a distance may exceed the type's own maximum, and -step of the minimum too.
    const auto low = static_cast<std::uint64_t>(step > 0 ? start : stop);
    const auto high = static_cast<std::uint64_t>(step > 0 ? stop : start);
    const auto by = static_cast<std::uint64_t>(step);
    const std::uint64_t count = (high - low - 1) / (step > 0 ? by : 0 - by);
    if (count >= static_cast<std::uint64_t>(std::numeric_limits<index_t>::max()))
      throw memory_error("weft: arange: the interval holds more steps than a tensor can");
    return static_cast<index_t>(count) + 1;
  }
}

// Floating values are counted in double and rounded once; a running sum would drift.
template <class T>
using arange_argument = std::conditional_t<std::is_floating_point_v<T>, double, T>;

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
/// of 0 and for arguments outside T.
template <element T, class A, class B, class C = int>
vector<T> arange(A start, B stop, C step = 1) {
  static_assert(!std::is_same_v<T, bool>, "weft: arange: bool has no steps; use an integer type");
  using number = detail::arange_argument<T>;
  using signed_step = std::conditional_t<std::is_unsigned_v<T>, std::int64_t, number>;
  const auto from = detail::scalar_to<number>(start);
  const auto by = detail::scalar_to<signed_step>(step);
  vector<T> out;
  if constexpr (std::is_unsigned_v<T>) {
    // Backwards in an unsigned type: the values stay in range although the step does not.
    const auto past = detail::scalar_to<number>(stop);
    if (by < 0) {
      const auto magnitude = std::uint64_t{0} - static_cast<std::uint64_t>(by);
      const index_t count =
          from > past ? static_cast<index_t>((from - past - 1ULL) / magnitude) + 1 : 0;
      out.reset({count});
    } else {
      out.reset({detail::arange_count<std::uint64_t>(from, past, static_cast<std::uint64_t>(by))});
    }
  } else {
    out.reset({detail::arange_count<number>(from, detail::scalar_to<number>(stop), by)});
  }
  T* const to = out.data();
  const index_t count = out.size();
  for (index_t i = 0; i < count; ++i) {
    if constexpr (std::is_floating_point_v<T>)
      to[i] = static_cast<T>(from + static_cast<double>(i) * by);
    else
      to[i] = static_cast<T>(static_cast<std::uint64_t>(from) +
                             static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(by));
  }
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
