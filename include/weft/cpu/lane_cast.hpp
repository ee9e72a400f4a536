// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/lane_vector.hpp>

// Conversions between the element types of registers.

namespace weft::simd::reg {

#if defined(__SSE2__)
/// The lowest bytes of a register of four or eight int32.
template <class R, class V>
WEFT_INLINE R lowest_bytes(V x) noexcept {
  if constexpr (sizeof(V) == 32) {
    const __m128i a = __m128i(low(x)), b = __m128i(high(x)), mask = _mm_set1_epi32(255);
    const __m128i words = _mm_packs_epi32(_mm_and_si128(a, mask), _mm_and_si128(b, mask));
    return bits_as<R>(_mm_cvtsi128_si64(_mm_packus_epi16(words, words)));
  } else {
    const __m128i a = _mm_and_si128(__m128i(x), _mm_set1_epi32(255));
    const __m128i words = _mm_packs_epi32(a, a);
    return bits_as<R>(_mm_cvtsi128_si32(_mm_packus_epi16(words, words)));
  }
}

/// Four or eight bytes, signed or not, as int32.
template <class R, class V>
WEFT_INLINE R bytes_to_int32(V x) noexcept {
  constexpr bool has_sign = std::is_signed_v<element_t<V>>;
#if defined(__AVX2__)
  if constexpr (sizeof(V) == 8) {
    const __m128i a = _mm_cvtsi64_si128(bits_as<long long>(x));
    return R(has_sign ? _mm256_cvtepi8_epi32(a) : _mm256_cvtepu8_epi32(a));
  } else
#endif
  {
    const __m128i a = _mm_cvtsi32_si128(bits_as<int>(x)), zero = _mm_setzero_si128();
    const __m128i words = _mm_unpacklo_epi8(a, has_sign ? _mm_cmpgt_epi8(zero, a) : zero);
    return R(_mm_unpacklo_epi16(words, has_sign ? _mm_cmpgt_epi16(zero, words) : zero));
  }
}
#endif

/// Element by element as static_cast. The pairs that kernels use most go by intrinsics: g++ 12
/// takes its own conversion between sizes apart.
template <class U, class V>
WEFT_INLINE vec<U, count_of<V>> cast_vector(V x) noexcept {
  using T = element_t<V>;
  using R = vec<U, count_of<V>>;
  [[maybe_unused]] constexpr std::size_t larger = sizeof(R) > sizeof(V) ? sizeof(R) : sizeof(V);
  [[maybe_unused]] constexpr bool widen = std::is_same_v<T, float> && std::is_same_v<U, double>;
  [[maybe_unused]] constexpr bool narrow = std::is_same_v<T, double> && std::is_same_v<U, float>;
  [[maybe_unused]] constexpr bool from_int =
      std::is_same_v<T, std::int32_t> && std::is_same_v<U, double>;
  [[maybe_unused]] constexpr bool whole = std::is_integral_v<T> && std::is_integral_v<U>;
  [[maybe_unused]] constexpr bool longer = whole && sizeof(T) == 4 && sizeof(U) == 8;
  [[maybe_unused]] constexpr bool shorter = whole && sizeof(T) == 8 && sizeof(U) == 4;
#if defined(__AVX2__)
  [[maybe_unused]] constexpr bool has_avx2 = true;
#else
  [[maybe_unused]] constexpr bool has_avx2 = false;
#endif
  // bytes go by int32
  if constexpr (sizeof(T) == 1 && sizeof(U) > 1 && !(whole && sizeof(U) == 4))
    return cast_vector<U>(cast_vector<std::int32_t>(x));
  else if constexpr (whole && sizeof(T) == 8 && sizeof(U) == 1)
    return cast_vector<U>(cast_vector<std::int32_t>(x));
  else
#if defined(__AVX512F__)
      if constexpr (larger == 64 && widen)
    return R(_mm512_maskz_cvtps_pd(0xff, __m256(x)));
  else if constexpr (larger == 64 && narrow)
    return R(_mm512_maskz_cvtpd_ps(0xff, __m512d(x)));
  else if constexpr (larger == 64 && from_int)
    return R(_mm512_maskz_cvtepi32_pd(0xff, __m256i(x)));
  else if constexpr (larger == 64 && longer && std::is_signed_v<T>)
    return R(_mm512_maskz_cvtepi32_epi64(0xff, __m256i(x)));
  else if constexpr (larger == 64 && longer)
    return R(_mm512_maskz_cvtepu32_epi64(0xff, __m256i(x)));
  else if constexpr (larger == 64 && shorter)
    return R(_mm512_maskz_cvtepi64_epi32(0xff, __m512i(x)));
  else if constexpr (larger == 64 && whole && sizeof(T) == 1 && sizeof(U) == 4)
    return R(std::is_signed_v<T> ? _mm512_maskz_cvtepi8_epi32(0xffff, __m128i(x))
                                 : _mm512_maskz_cvtepu8_epi32(0xffff, __m128i(x)));
  else if constexpr (larger == 64 && whole && sizeof(T) == 4 && sizeof(U) == 1)
    return R(_mm512_maskz_cvtepi32_epi8(0xffff, __m512i(x)));
  else
#endif
#if defined(__AVX__)
      if constexpr (larger == 32 && widen)
    return R(_mm256_cvtps_pd(__m128(x)));
  else if constexpr (larger == 32 && narrow)
    return R(_mm256_cvtpd_ps(__m256d(x)));
  else if constexpr (larger == 32 && from_int)
    return R(_mm256_cvtepi32_pd(__m128i(x)));
  else
#endif
#if defined(__AVX2__)
      if constexpr (larger == 32 && shorter)
    return pick(bits_as<R>(low(x)), bits_as<R>(high(x)), std::index_sequence<0, 2, 4, 6>{});
  else if constexpr (larger == 32 && longer && std::is_signed_v<T>)
    return R(_mm256_cvtepi32_epi64(__m128i(x)));
  else if constexpr (larger == 32 && longer)
    return R(_mm256_cvtepu32_epi64(__m128i(x)));
  else
#endif
#if defined(__SSE2__)
      if constexpr (whole && sizeof(T) == 1 && sizeof(U) == 4 &&
                    (larger == 16 || (larger == 32 && has_avx2)))
    return bytes_to_int32<R>(x);
  else if constexpr (whole && sizeof(T) == 4 && sizeof(U) == 1 && (larger == 32 || larger == 16))
    return lowest_bytes<R>(x);
  else if constexpr (larger == 16 && widen)
    return R(_mm_cvtps_pd(__m128(concat(x, x))));
  else if constexpr (larger == 16 && narrow)
    return low(vec<float, 4>(_mm_cvtpd_ps(__m128d(x))));
  else if constexpr (larger == 16 && from_int)
    return R(_mm_cvtepi32_pd(__m128i(concat(x, x))));
  else
#endif
    return __builtin_convertvector(x, R);
}

/// Truncates and saturates; NaN gives 0. (What the hardware gives out of range differs, and the
/// compilers may assume that it does not happen.) U has the size of the floats, or its greatest
/// value is a value of theirs.
template <class U, class V>
WEFT_INLINE vec<U, count_of<V>> float_to_integer(V x) noexcept {
  using T = element_t<V>;
  using R = vec<U, count_of<V>>;
  constexpr U least = std::numeric_limits<U>::min();
  constexpr U greatest = std::numeric_limits<U>::max();
  constexpr T bound = T(greatest / 2 + 1) * 2;  // the first value past the greatest
  const V zero{};
  x = blend(compare<relation::eq>(x, x), x, zero);
  x = blend(compare<relation::lt>(x, splat<V>(T(least))), splat<V>(T(least)), x);
  if constexpr (std::numeric_limits<U>::digits <= std::numeric_limits<T>::digits) {
    x = blend(compare<relation::lt>(x, splat<V>(T(greatest))), x, splat<V>(T(greatest)));
    if constexpr (sizeof(U) == 1)  // every instruction set converts to int32
      return cast_vector<U>(cast_vector<std::int32_t>(x));
    else
      return cast_vector<U>(x);
  } else {
    static_assert(sizeof(U) == sizeof(T));
    const auto inside = compare<relation::lt>(x, splat<V>(bound));
    return blend<R>(inside, cast_vector<U>(blend(inside, x, zero)), splat<R>(greatest));
  }
}

}  // namespace weft::simd::reg
