// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include <xsimd/config/xsimd_arch.hpp>
#include <xsimd/types/xsimd_all_registers.hpp>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

// The registers below lanes: vectors of the compiler (both g++ and clang have them), which give
// vector code for every instruction set without a table of intrinsics, and are inlined early.
// xsimd names the instruction set and supplies the elementary functions (lane_math.hpp).
#define WEFT_INLINE [[gnu::always_inline]] inline

// First in a function body: its products are not contracted into FMAs. g++ has no such pragma, and
// contracts across statements and intrinsics; there rounded() stops it.
#if defined(__clang__)
#define WEFT_NO_CONTRACTION _Pragma("clang fp contract(off)")
#else
#define WEFT_NO_CONTRACTION
#endif

namespace weft::simd::reg {

template <class T, std::size_t N>
struct vec_of {
  typedef T type __attribute__((vector_size(sizeof(T) * N)));
};
/// N values of T in one register, or in the low part of one.
template <class T, std::size_t N>
using vec = typename vec_of<T, N>::type;

template <class V>
using element_t = std::remove_cvref_t<decltype(std::declval<V&>()[0])>;
template <class V>
inline constexpr std::size_t count_of = sizeof(V) / sizeof(element_t<V>);

template <std::size_t Bytes>
struct int_of;
template <>
struct int_of<1> {
  using sint = std::int8_t;
  using uint = std::uint8_t;
};
template <>
struct int_of<4> {
  using sint = std::int32_t;
  using uint = std::uint32_t;
};
template <>
struct int_of<8> {
  using sint = std::int64_t;
  using uint = std::uint64_t;
};
template <class T>
using sint_t = typename int_of<sizeof(T)>::sint;
template <class T>
using uint_t = typename int_of<sizeof(T)>::uint;
template <class V>
using sint_vec = vec<sint_t<element_t<V>>, count_of<V>>;
template <class V>
using uint_vec = vec<uint_t<element_t<V>>, count_of<V>>;

/// Bytes of the registers that hold T under A; bytes have no 64-byte form, so that masks of bytes
/// never need AVX-512BW.
template <class T, class A>
inline constexpr std::size_t native_bytes = sizeof(T) > 1 ||
                                                    sizeof(xsimd::types::simd_register<T, A>) < 32
                                                ? sizeof(xsimd::types::simd_register<T, A>)
                                                : 32;

template <class To, class V>
WEFT_INLINE To bits_as(V x) noexcept {
  static_assert(sizeof(To) == sizeof(V));
  return __builtin_bit_cast(To, x);
}

/// x; the operation that made it is never fused with the one that uses it.
template <class V>
WEFT_INLINE V rounded(V x) noexcept {
#if defined(__clang__)
  return x;
#else
  // An empty asm on the register: g++ 12 takes vectors apart for __builtin_assoc_barrier, element
  // by element, and puts them together again at the end of its work, three times as long.
#if defined(__SSE2__)
  if constexpr (sizeof(V) >= 16) {
    __asm__("" : "+v"(x));
    return x;
  } else
#endif
    return __builtin_assoc_barrier(x);
#endif
}

template <class V>
WEFT_INLINE V splat(element_t<V> x) noexcept {
  // through the bits: 0.0 + x would lose -0
  using U = uint_t<element_t<V>>;
  return bits_as<V>(__builtin_bit_cast(U, x) | uint_vec<V>{});
}

template <class V, std::size_t... I>
WEFT_INLINE auto pick(V a, V b, std::index_sequence<I...>) noexcept {
  return __builtin_shufflevector(a, b, I...);
}
template <std::size_t First, std::size_t... I>
constexpr auto indices_from(std::index_sequence<I...>) {
  return std::index_sequence<(First + I)...>{};
}

// The halves of a register, and a register of two halves; by instruction where there is one, as
// g++ 12 makes a chain of single moves of some shuffles.
template <class V>
WEFT_INLINE auto low(V x) noexcept {
  [[maybe_unused]] typedef vec<element_t<V>, count_of<V> / 2> H;
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64)
    return bits_as<H>(_mm512_maskz_extracti64x4_epi64(0xf, __m512i(x), 0));
  else
#endif
#if defined(__AVX__)
      if constexpr (sizeof(V) == 32)
    return bits_as<H>(_mm256_castsi256_si128(__m256i(x)));
  else
#endif
      if constexpr (sizeof(element_t<V>) == 1 && sizeof(V) == 8)
    return bits_as<H>(std::uint32_t(bits_as<std::uint64_t>(x)));
  else
    return pick(x, x, std::make_index_sequence<count_of<V> / 2>{});
}
/// The first 16 bytes: no instruction.
template <class V>
WEFT_INLINE auto smallest(V x) noexcept {
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64)
    return bits_as<vec<element_t<V>, 16 / sizeof(element_t<V>)>>(
        _mm512_castsi512_si128(__m512i(x)));
  else
#endif
      if constexpr (sizeof(V) == 32)
    return low(x);
  else
    return x;
}
template <class V>
WEFT_INLINE auto high(V x) noexcept {
  [[maybe_unused]] typedef vec<element_t<V>, count_of<V> / 2> H;
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64)
    return bits_as<H>(_mm512_maskz_extracti64x4_epi64(0xf, __m512i(x), 1));
  else
#endif
#if defined(__AVX__)
      if constexpr (sizeof(V) == 32)
    return bits_as<H>(_mm256_extractf128_si256(__m256i(x), 1));
  else
#endif
      if constexpr (sizeof(element_t<V>) == 1 && sizeof(V) == 8)
    return bits_as<H>(std::uint32_t(bits_as<std::uint64_t>(x) >> 32));
  else
    return pick(x, x, indices_from<count_of<V> / 2>(std::make_index_sequence<count_of<V> / 2>{}));
}
template <class V>
WEFT_INLINE auto concat(V lo, V hi) noexcept {
  [[maybe_unused]] typedef vec<element_t<V>, count_of<V> * 2> D;
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 32)
    return bits_as<D>(
        _mm512_maskz_inserti64x4(0xff, _mm512_castsi256_si512(__m256i(lo)), __m256i(hi), 1));
  else
#endif
#if defined(__AVX__)
      if constexpr (sizeof(V) == 16)
    return bits_as<D>(_mm256_insertf128_si256(_mm256_castsi128_si256(__m128i(lo)), __m128i(hi), 1));
  else
#endif
#if defined(__SSE2__)
      if constexpr (sizeof(element_t<V>) == 1 && sizeof(V) == 8)
    return bits_as<D>(_mm_unpacklo_epi64(_mm_cvtsi64_si128(bits_as<long long>(lo)),
                                         _mm_cvtsi64_si128(bits_as<long long>(hi))));
  else
#endif
      if constexpr (sizeof(element_t<V>) == 1 && sizeof(V) == 4)
    return bits_as<D>(bits_as<std::uint32_t>(lo) | std::uint64_t(bits_as<std::uint32_t>(hi)) << 32);
  else
    return pick(lo, hi, std::make_index_sequence<2 * count_of<V>>{});
}

/// f on a register that is too small for the instruction (doubled, and the low half taken) or too
/// large for it (in halves).
template <std::size_t Min, std::size_t Max, class F, class V, class... Vs>
WEFT_INLINE auto fitted(F f, V a, Vs... rest) noexcept {
  if constexpr (sizeof(V) < Min)
    return low(fitted<Min, Max>(f, concat(a, a), concat(rest, rest)...));
  else if constexpr (sizeof(V) > Max)
    return concat(fitted<Min, Max>(f, low(a), low(rest)...),
                  fitted<Min, Max>(f, high(a), high(rest)...));
  else
    return f(a, rest...);
}

/// What a comparison gives: a bit a lane where the registers have 64 bytes, else all ones or
/// zeros in each lane of a vector of integers.
template <class V, bool Bits = sizeof(V) == 64>
struct mask_of {
  using type = sint_vec<V>;
};
template <class V>
struct mask_of<V, true> {
  using type = std::conditional_t<count_of<V> == 16, std::uint16_t, std::uint8_t>;
};
template <class V>
using mask_register = typename mask_of<V>::type;

// ---- arithmetic; integers are computed unsigned, products are rounding barriers

template <class V>
WEFT_INLINE V add(V a, V b) noexcept {
  WEFT_NO_CONTRACTION
  if constexpr (std::is_floating_point_v<element_t<V>>)
    return a + b;
  else
    return bits_as<V>(bits_as<uint_vec<V>>(a) + bits_as<uint_vec<V>>(b));
}
template <class V>
WEFT_INLINE V sub(V a, V b) noexcept {
  WEFT_NO_CONTRACTION
  if constexpr (std::is_floating_point_v<element_t<V>>)
    return a - b;
  else
    return bits_as<V>(bits_as<uint_vec<V>>(a) - bits_as<uint_vec<V>>(b));
}
template <class V>
WEFT_INLINE V mul(V a, V b) noexcept {
  WEFT_NO_CONTRACTION
  if constexpr (std::is_floating_point_v<element_t<V>>)
    return rounded(a * b);
  else
    return bits_as<V>(bits_as<uint_vec<V>>(a) * bits_as<uint_vec<V>>(b));
}
template <class V>
WEFT_INLINE V negate(V a) noexcept {
  if constexpr (std::is_floating_point_v<element_t<V>>)
    return -a;
  else
    return bits_as<V>(-bits_as<uint_vec<V>>(a));
}

// ---- comparisons and selection

enum class relation { eq, ne, lt, le };

#if defined(__AVX512F__)
template <relation R, class V>
WEFT_INLINE auto compare_bits(V a, V b) noexcept {
  using T = element_t<V>;
  constexpr int real[] = {_CMP_EQ_OQ, _CMP_NEQ_UQ, _CMP_LT_OQ, _CMP_LE_OQ};
  constexpr int whole[] = {0, 4, 1, 2};  // eq, ne, lt, le
  constexpr int r = real[int(R)];
  constexpr int w = whole[int(R)];
  if constexpr (std::is_same_v<T, float>)
    return _mm512_cmp_ps_mask(__m512(a), __m512(b), r);
  else if constexpr (std::is_same_v<T, double>)
    return _mm512_cmp_pd_mask(__m512d(a), __m512d(b), r);
  else if constexpr (sizeof(T) == 4 && std::is_signed_v<T>)
    return _mm512_cmp_epi32_mask(__m512i(a), __m512i(b), w);
  else if constexpr (sizeof(T) == 4)
    return _mm512_cmp_epu32_mask(__m512i(a), __m512i(b), w);
  else if constexpr (std::is_signed_v<T>)
    return _mm512_cmp_epi64_mask(__m512i(a), __m512i(b), w);
  else
    return _mm512_cmp_epu64_mask(__m512i(a), __m512i(b), w);
}
template <class V>
WEFT_INLINE V blend_bits(mask_register<V> m, V a, V b) noexcept {
  using T = element_t<V>;
  if constexpr (std::is_same_v<T, float>)
    return V(_mm512_mask_blend_ps(m, __m512(b), __m512(a)));
  else if constexpr (std::is_same_v<T, double>)
    return V(_mm512_mask_blend_pd(m, __m512d(b), __m512d(a)));
  else if constexpr (sizeof(T) == 4)
    return V(_mm512_mask_blend_epi32(m, __m512i(b), __m512i(a)));
  else
    return V(_mm512_mask_blend_epi64(m, __m512i(b), __m512i(a)));
}
#endif

template <relation R, class V>
WEFT_INLINE mask_register<V> compare(V a, V b) noexcept {
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64)
    return compare_bits<R>(a, b);
  else
#endif
      if constexpr (R == relation::eq)
    return bits_as<sint_vec<V>>(a == b);
  else if constexpr (R == relation::ne)
    return bits_as<sint_vec<V>>(a != b);
  else if constexpr (R == relation::lt)
    return bits_as<sint_vec<V>>(a < b);
  else
    return bits_as<sint_vec<V>>(a <= b);
}

template <class V>
WEFT_INLINE V blend(mask_register<V> m, V a, V b) noexcept {
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64)
    return blend_bits(m, a, b);
  else
#endif
    return m ? a : b;
}

}  // namespace weft::simd::reg
