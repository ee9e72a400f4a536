// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/barrier.hpp>

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

/// What the elementary functions share: bit casts, rounding to an integer, powers of two and
/// polynomials. Every product that meets an addition goes through mul_add or keep.

namespace weft::simd::math {

template <class A>
using floats = xsimd::batch<float, A>;
template <class A>
using doubles = xsimd::batch<double, A>;

namespace detail {

template <class T>
using bits_of = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <class T>
inline constexpr int mantissa = std::numeric_limits<T>::digits - 1;
template <class T>
inline constexpr bits_of<T> bias = std::numeric_limits<T>::max_exponent - 1;
template <class T>
inline constexpr T infinity = std::numeric_limits<T>::infinity();
template <class T>
inline constexpr T nan = std::numeric_limits<T>::quiet_NaN();

// 1.5 * 2^mantissa: adding it rounds to an integer and leaves that integer in the low bits.
template <class T>
inline constexpr T round_shift = T(3) * T(bits_of<T>{1} << (mantissa<T> - 1));

template <class T, class A>
[[gnu::always_inline]] inline xsimd::batch<bits_of<T>, A> bits(xsimd::batch<T, A> x) {
  using to = xsimd::batch<bits_of<T>, A>;
  return to(std::bit_cast<typename to::register_type>(x.data));
}

template <class T, class A>
[[gnu::always_inline]] inline xsimd::batch<T, A> from_bits(xsimd::batch<bits_of<T>, A> x) {
  using to = xsimd::batch<T, A>;
  return to(std::bit_cast<typename to::register_type>(x.data));
}

/// min and max that return x when x is NaN (the second operand of the x86 instructions).
template <class T, class A>
[[gnu::always_inline]] inline xsimd::batch<T, A> at_most(xsimd::batch<T, A> x, T limit) {
  return xsimd::min(xsimd::batch<T, A>(limit), x);
}
template <class T, class A>
[[gnu::always_inline]] inline xsimd::batch<T, A> at_least(xsimd::batch<T, A> x, T limit) {
  return xsimd::max(xsimd::batch<T, A>(limit), x);
}

/// The sign bit of x alone, and |x|.
template <class T, class A>
[[gnu::always_inline]] inline xsimd::batch<T, A> sign_bit(xsimd::batch<T, A> x) {
  return x & xsimd::batch<T, A>(T(-0.0));
}
template <class T, class A>
[[gnu::always_inline]] inline xsimd::batch<T, A> magnitude(xsimd::batch<T, A> x) {
  constexpr bits_of<T> all_but_sign = ~bits_of<T>{} >> 1;
  return x & xsimd::batch<T, A>(std::bit_cast<T>(all_but_sign));
}

/// c0 + x * (c1 + x * (c2 + ...)).
template <class T, class A>
[[gnu::always_inline]] inline xsimd::batch<T, A> horner(xsimd::batch<T, A>,
                                                        std::type_identity_t<T> c) {
  return xsimd::batch<T, A>(c);
}
template <class T, class A, class... C>
[[gnu::always_inline]] inline xsimd::batch<T, A> horner(xsimd::batch<T, A> x,
                                                        std::type_identity_t<T> c, C... higher) {
  return mul_add(x, horner(x, higher...), xsimd::batch<T, A>(c));
}

/// An integer as a floating value, and the sum that rounded it, whose low bits hold it.
template <class V>
struct rounded {
  V value;
  V shifted;
};

/// The integer next to x * scale, for |x * scale| < 2^(mantissa - 1).
template <class T, class A>
[[gnu::always_inline]] inline rounded<xsimd::batch<T, A>> round_scaled(
    xsimd::batch<T, A> x, std::type_identity_t<T> scale) {
  using V = xsimd::batch<T, A>;
  V const shifted = mul_add(x, V(scale), V(round_shift<T>));
  return {shifted - V(round_shift<T>), shifted};
}

/// 2^n as a batch, n from the low bits of `shifted`; exact for 2^n in the normal range.
template <class T, class A>
[[gnu::always_inline]] inline xsimd::batch<T, A> power_of_two(xsimd::batch<T, A> shifted) {
  using I = xsimd::batch<bits_of<T>, A>;
  return from_bits<T, A>((bits(shifted) << mantissa<T>)+I(bias<T> << mantissa<T>));
}

/// x * 2^n for an integer n, rounded once, denormal results and overflow included, for |x| in [1/2,
/// 2] (or NaN) and |n| at most twice the largest exponent.
template <class T, class A>
[[gnu::always_inline]] inline xsimd::batch<T, A> scale_by(xsimd::batch<T, A> x,
                                                          xsimd::batch<T, A> n) {
  using V = xsimd::batch<T, A>;
#if defined(__AVX512F__)
  if constexpr (simd::detail::is_avx512<A>) {
    if constexpr (std::is_same_v<T, float>) {
      return _mm512_scalef_ps(x.data, n.data);
    } else {
      return _mm512_scalef_pd(x.data, n.data);
    }
  } else
#endif
  {
    // Two halves, since 2^n itself may be out of range; the first product is exact.
    auto const half = round_scaled(n, T(0.5));
    V const rest = (n - half.value) + V(round_shift<T>);
    return keep(x * power_of_two(half.shifted) * power_of_two(rest));
  }
}

}  // namespace detail
}  // namespace weft::simd::math
