// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/lane_cast.hpp>

// Division, shifts and the high half of a product on registers, by conventions.md: x/0 = 0, the
// least integer over -1 is itself, a shift by the width or more gives 0 or the sign.

namespace weft::simd::reg {

template <class T>
WEFT_INLINE T divide_scalar(T a, T b) noexcept {
  if (b == 0) return 0;
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return T(uint_t<T>(0) - uint_t<T>(a));
  return T(a / b);
}

/// By doubles: a quotient of two int32 is at least 2^-31 away from the next integer unless it is
/// one, so that rounding it to 53 bits does not carry it over.
template <class V>
WEFT_INLINE V divide_int32(V a, V b) noexcept {
  return cast_vector<std::int32_t>(cast_vector<double>(a) / cast_vector<double>(b));
}

template <class V>
WEFT_INLINE V divide(V a, V b) noexcept {
  WEFT_NO_CONTRACTION
  using T = element_t<V>;
  if constexpr (std::is_floating_point_v<T>)
    return rounded(a / b);
  else if constexpr (std::is_same_v<T, std::int32_t> && sizeof(V) > 8) {
    const V one = splat<V>(1), zero{};
    const auto by_zero = compare<relation::eq>(b, zero);
    const auto by_minus_one = compare<relation::eq>(b, splat<V>(-1));
    const V divisor = blend(by_zero, one, blend(by_minus_one, one, b));
    const V q = concat(divide_int32(low(a), low(divisor)), divide_int32(high(a), high(divisor)));
    return blend(by_zero, zero, blend(by_minus_one, negate(a), q));
  } else {
    V r = a;
    for (std::size_t i = 0; i < count_of<V>; ++i) r[i] = divide_scalar<T>(a[i], b[i]);
    return r;
  }
}

template <class V>
WEFT_INLINE V bit_and(V a, V b) noexcept {
  return a & b;
}
template <class V>
WEFT_INLINE V bit_or(V a, V b) noexcept {
  return a | b;
}
template <class V>
WEFT_INLINE V bit_xor(V a, V b) noexcept {
  return a ^ b;
}

// The instructions for counts that differ from place to place treat large counts as the rule does.

template <class V>
WEFT_INLINE V shift_left(V a, V b) noexcept {
  using U = uint_vec<V>;
  [[maybe_unused]] constexpr std::size_t size = sizeof(element_t<V>);
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64 && size == 4)
    return V(_mm512_maskz_sllv_epi32(0xffff, __m512i(a), __m512i(b)));
  else if constexpr (sizeof(V) == 64)
    return V(_mm512_maskz_sllv_epi64(0xff, __m512i(a), __m512i(b)));
  else
#endif
#if defined(__AVX2__)
      if constexpr (sizeof(V) == 32 && size == 4)
    return V(_mm256_sllv_epi32(__m256i(a), __m256i(b)));
  else if constexpr (sizeof(V) == 32 && size == 8)
    return V(_mm256_sllv_epi64(__m256i(a), __m256i(b)));
  else
#endif
  {
    constexpr auto bits = element_t<U>(8 * size);
    const U n = bits_as<U>(b), moved = bits_as<U>(a) << (n & splat<U>(bits - 1));
    return bits_as<V>(blend(compare<relation::lt>(n, splat<U>(bits)), moved, U{}));
  }
}
template <class V>
WEFT_INLINE V shift_right(V a, V b) noexcept {
  using U = uint_vec<V>;
  constexpr bool has_sign = std::is_signed_v<element_t<V>>;
  [[maybe_unused]] constexpr std::size_t size = sizeof(element_t<V>);
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64 && size == 4) {
    const auto x = __m512i(a), n = __m512i(b);
    return V(has_sign ? _mm512_maskz_srav_epi32(0xffff, x, n)
                      : _mm512_maskz_srlv_epi32(0xffff, x, n));
  } else if constexpr (sizeof(V) == 64) {
    const auto x = __m512i(a), n = __m512i(b);
    return V(has_sign ? _mm512_maskz_srav_epi64(0xff, x, n) : _mm512_maskz_srlv_epi64(0xff, x, n));
  } else
#endif
#if defined(__AVX2__)
      if constexpr (sizeof(V) == 32 && size == 4) {
    const auto x = __m256i(a), n = __m256i(b);
    return V(has_sign ? _mm256_srav_epi32(x, n) : _mm256_srlv_epi32(x, n));
  } else if constexpr (sizeof(V) == 32 && size == 8 && !has_sign)
    return V(_mm256_srlv_epi64(__m256i(a), __m256i(b)));
  else
#endif
  {
    constexpr auto bits = element_t<U>(8 * size);
    const U n = bits_as<U>(b), most = splat<U>(bits - 1);
    const auto inside = compare<relation::lt>(n, splat<U>(bits));
    if constexpr (has_sign)
      return a >> bits_as<V>(blend(inside, n, most));
    else
      return bits_as<V>(blend(inside, a >> (n & most), U{}));
  }
}

/// The upper 32 bits of each product of uint32.
struct mulhi_call {
  template <class V>
  WEFT_INLINE V operator()(V a, V b) const noexcept {
    // products of the even places, then of the odd ones
    using L = vec<std::uint64_t, count_of<V> / 2>;
    const L x = bits_as<L>(a), y = bits_as<L>(b);
    const L even = product(x, y), odd = product(x >> 32, y >> 32);
    return bits_as<V>((even >> 32) | (odd & splat<L>(0xffffffff00000000)));
  }

 private:
  /// of the lower 32 bits
  template <class L>
  WEFT_INLINE static L product(L x, L y) noexcept {
#if defined(__AVX512F__)
    if constexpr (sizeof(L) == 64)
      return L(_mm512_maskz_mul_epu32(0xff, __m512i(x), __m512i(y)));
    else
#endif
#if defined(__AVX2__)
        if constexpr (sizeof(L) == 32)
      return L(_mm256_mul_epu32(__m256i(x), __m256i(y)));
    else
#endif
#if defined(__SSE2__)
        if constexpr (sizeof(L) == 16)
      return L(_mm_mul_epu32(__m128i(x), __m128i(y)));
    else
#endif
    {
      const L lower = splat<L>(0xffffffff);
      return (x & lower) * (y & lower);
    }
  }
};

}  // namespace weft::simd::reg
