// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <type_traits>

// Scalar arithmetic by Weft's rules, for the reference evaluator: plain, and independent of the
// SIMD forms. Integers arrive as int64 or uint64 and are brought back to their dtype's width by the
// caller.
namespace weft::detail {

template <class T>
constexpr T wrap_add(T x, T y) {
  if constexpr (std::integral<T>)
    return static_cast<T>(static_cast<std::uint64_t>(x) + static_cast<std::uint64_t>(y));
  else
    return x + y;
}
template <class T>
constexpr T wrap_subtract(T x, T y) {
  if constexpr (std::integral<T>)
    return static_cast<T>(static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(y));
  else
    return x - y;
}
template <class T>
constexpr T wrap_multiply(T x, T y) {
  if constexpr (std::integral<T>)
    return static_cast<T>(static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(y));
  else
    return x * y;
}
template <class T>
constexpr T negate_value(T x) {
  if constexpr (std::integral<T>)
    return wrap_subtract(T(0), x);
  else
    return -x;
}
template <class T>
constexpr T divide_value(T x, T y) {
  if constexpr (std::integral<T>) {
    if (y == 0) return 0;
    if constexpr (std::is_signed_v<T>)
      if (y == -1) return negate_value(x);
    return x / y;
  } else {
    return x / y;
  }
}
template <class T>
T floor_divide_value(T x, T y);
template <class T>
T remainder_value(T x, T y) {
  if constexpr (std::integral<T>) {
    if (y == 0) return x;
    if constexpr (std::is_signed_v<T>)
      if (y == -1) return 0;
    T r = x % y;
    return r != 0 && ((r < 0) != (y < 0)) ? r + y : r;
  } else {
    T r = std::fmod(x, y);
    if (r != 0 && ((r < 0) != (y < 0))) return r + y;
    return r == 0 ? std::copysign(r, y) : r;
  }
}
/// The fmod algorithm of Python and NumPy: (x - remainder) / y, brought to the nearest integer.
template <class T>
T floor_divide_value(T x, T y) {
  if constexpr (std::integral<T>) {
    if (y == 0) return 0;
    T q = divide_value(x, y);
    return wrap_multiply(q, y) != x && ((x < 0) != (y < 0)) ? q - 1 : q;
  } else {
    if (y == 0) return x / y;
    T r = std::fmod(x, y);
    T q = (x - r) / y;
    if (r != 0 && ((r < 0) != (y < 0))) q -= 1;
    if (q == 0) return std::copysign(T(0), x / y);
    T f = std::floor(q);
    return q - f > T(0.5) ? f + 1 : f;
  }
}
template <class T>
T abs_value(T x) {
  if constexpr (std::unsigned_integral<T>)
    return x;
  else if constexpr (std::integral<T>)
    return x < 0 ? negate_value(x) : x;
  else
    return std::fabs(x);
}
template <class T>
constexpr T sign_value(T x) {
  return x > 0 ? T(1) : x < 0 ? T(-1) : x;
}
// Of 64-bit values: narrowing to the dtype afterwards makes them right for the narrower ones too.
template <class T>
constexpr T shift_left_value(T x, T y) {
  if (y < 0 || y >= 64) return 0;
  return static_cast<T>(static_cast<std::uint64_t>(x) << y);
}
template <class T>
constexpr T shift_right_value(T x, T y) {
  if (y < 0 || y >= 64) return x < 0 ? T(-1) : T(0);
  return static_cast<T>(x >> y);
}
template <class T>
constexpr T relu_value(T x) {
  return x < 0 ? T(0) : x == 0 ? T(0) : x;
}
template <class T>
T maximum_value(T x, T y) {
  if constexpr (std::floating_point<T>) {
    if (std::isnan(x)) return x;
    if (std::isnan(y)) return y;
    if (x == 0 && y == 0) return std::signbit(x) ? y : x;
  }
  return x < y ? y : x;
}
template <class T>
T minimum_value(T x, T y) {
  if constexpr (std::floating_point<T>) {
    if (std::isnan(x)) return x;
    if (std::isnan(y)) return y;
    if (x == 0 && y == 0) return std::signbit(x) ? x : y;
  }
  return y < x ? y : x;
}
/// 1 / (1 + exp(-x)) in the form that keeps both tails.
template <class T>
T sigmoid_value(T x) {
  T e = std::exp(-std::fabs(x));
  return (x < 0 ? e : T(1)) / (1 + e);
}

}  // namespace weft::detail
