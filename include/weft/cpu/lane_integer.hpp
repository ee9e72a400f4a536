// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <cmath>

#include <weft/cpu/lane_float.hpp>
#include <weft/cpu/lane_memory.hpp>

// The kinds of division, for integers and for floats, and products of 32 bits.

namespace weft::simd {

namespace reg {

template <class T>
WEFT_INLINE T remainder_scalar(T a, T b) noexcept {
  const T r = std::fmod(a, b);
  if (r == 0) return std::copysign(r, b);
  return (b < 0) != (r < 0) ? r + b : r;
}
/// As Python's divmod: the quotient that belongs to the remainder, not floor(a / b).
template <class T>
WEFT_INLINE T floor_divide_scalar(T a, T b) noexcept {
  if (b == 0) return a / b;
  const T r = std::fmod(a, b);
  T q = (a - r) / b;
  if (r != 0 && (b < 0) != (r < 0)) q -= 1;
  if (q == 0) return std::copysign(T(0), a / b);
  const T whole = std::floor(q);
  return q - whole > T(0.5) ? whole + 1 : whole;
}

enum class division { fmod, remainder, floor };

template <division D, class T, std::size_t W, class A>
WEFT_INLINE lane<T, W, A> divide_each(lane<T, W, A> a, lane<T, W, A> b) noexcept {
  T x[W], y[W];
  store(x, a);
  store(y, b);
  for (std::size_t i = 0; i < W; ++i)
    if constexpr (D == division::fmod)
      x[i] = std::fmod(x[i], y[i]);
    else if constexpr (D == division::remainder)
      x[i] = remainder_scalar(x[i], y[i]);
    else
      x[i] = floor_divide_scalar(x[i], y[i]);
  return load<lane<T, W, A>>(x);
}

}  // namespace reg

/// What is left of a after division by b, with the sign of a; fmod(x, 0) is x for integers, NaN
/// for floats.
template <class T, std::size_t W, class A>
WEFT_INLINE lane<T, W, A> fmod(lane<T, W, A> a, lane<T, W, A> b) noexcept {
  if constexpr (std::is_integral_v<T>)
    return a - a / b * b;
  else
    return reg::divide_each<reg::division::fmod>(a, b);
}

/// What is left of a after floor_divide by b, with the sign of b; remainder(x, 0) is x for
/// integers, NaN for floats.
template <class T, std::size_t W, class A>
WEFT_INLINE lane<T, W, A> remainder(lane<T, W, A> a, lane<T, W, A> b) noexcept {
  using L = lane<T, W, A>;
  if constexpr (std::is_unsigned_v<T>)
    return fmod(a, b);
  else if constexpr (std::is_integral_v<T>) {
    const L r = fmod(a, b);
    const auto other_side = (r != L(0)) & ((r ^ b) < L(0)) & (b != L(0));
    return select(other_side, r + b, r);
  } else
    return reg::divide_each<reg::division::remainder>(a, b);
}

/// The quotient rounded down. Integers: floor_divide(x, 0) = 0, and the least integer over -1 is
/// itself. Floats: by the fmod algorithm, so that 1.0 over 0.1 is 9; x over 0 is x / 0.
template <class T, std::size_t W, class A>
WEFT_INLINE lane<T, W, A> floor_divide(lane<T, W, A> a, lane<T, W, A> b) noexcept {
  using L = lane<T, W, A>;
  if constexpr (std::is_unsigned_v<T>)
    return a / b;
  else if constexpr (std::is_integral_v<T>) {
    const L q = a / b, r = a - q * b;
    const auto other_side = (r != L(0)) & ((r ^ b) < L(0)) & (b != L(0));
    return select(other_side, q - L(1), q);
  } else
    return reg::divide_each<reg::division::floor>(a, b);
}

/// The upper 32 bits of the products.
template <std::size_t W, class A>
WEFT_INLINE lane<std::uint32_t, W, A> mulhi(lane<std::uint32_t, W, A> a,
                                            lane<std::uint32_t, W, A> b) noexcept {
  if constexpr (a.is_pair)
    return {mulhi(a.lo, b.lo), mulhi(a.hi, b.hi)};
  else
    return lane<std::uint32_t, W, A>(reg::fitted<16, 64>(reg::mulhi_call{}, a.v, b.v));
}

}  // namespace weft::simd
