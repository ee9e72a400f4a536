// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/array/half.hpp>
#include <weft/cpu/lane_convert.hpp>
#include <weft/cpu/lane_memory.hpp>

// Memory of 16-bit floats: lanes of it are lanes of float. A load widens, a store rounds to nearest
// even, and so does rounded_to, which stays in the lane.
namespace weft::simd {

namespace reg {

/// 16-bit words as the lower halves of 32-bit ones, and back.
template <class V>
WEFT_INLINE auto words_to_uint32(V x) noexcept {
  typedef vec<std::uint32_t, count_of<V>> R;
#if defined(__AVX512F__)
  if constexpr (sizeof(R) == 64)
    return R(_mm512_maskz_cvtepu16_epi32(0xffff, __m256i(x)));
  else
#endif
#if defined(__AVX2__)
      if constexpr (sizeof(R) == 32)
    return R(_mm256_cvtepu16_epi32(__m128i(x)));
  else
#endif
#if defined(__SSE2__)
      if constexpr (sizeof(R) == 16)
    return R(_mm_unpacklo_epi16(_mm_cvtsi64_si128(bits_as<long long>(x)), _mm_setzero_si128()));
  else
#endif
    return __builtin_convertvector(x, R);
}
template <class V>
WEFT_INLINE auto uint32_to_words(V x) noexcept {
  typedef vec<std::uint16_t, count_of<V>> R;
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64)
    return R(_mm512_maskz_cvtepi32_epi16(0xffff, __m512i(x)));
  else
#endif
#if defined(__AVX2__)
      if constexpr (sizeof(V) == 32)
    return R(_mm_packus_epi32(__m128i(low(x)), __m128i(high(x))));
  else
#endif
#if defined(__SSE2__)
      if constexpr (sizeof(V) == 16) {
    const __m128i a = _mm_srai_epi32(_mm_slli_epi32(__m128i(x), 16), 16);  // packing saturates
    return bits_as<R>(_mm_cvtsi128_si64(_mm_packs_epi32(a, a)));
  } else
#endif
    return __builtin_convertvector(x, R);
}

/// Element by element, for what has no instruction.
template <class H, class V>
WEFT_INLINE auto narrowed_singly(V x) noexcept {
  typedef vec<std::uint16_t, count_of<V>> R;
  std::uint16_t to[count_of<V>];
  for (std::size_t i = 0; i < count_of<V>; ++i) to[i] = H(x[i]).bits;
  R r;
  __builtin_memcpy(&r, to, sizeof r);
  return r;
}

template <class H, class V>
WEFT_INLINE auto widened(V x) noexcept {
  typedef vec<float, count_of<V>> R;
  if constexpr (std::is_same_v<H, bfloat16>) {
    return bits_as<R>(words_to_uint32(x) << 16);
  } else {
#if defined(__AVX512F__)
    if constexpr (sizeof(R) == 64)
      return R(_mm512_maskz_cvtph_ps(0xffff, __m256i(x)));
    else
#endif
#if defined(__F16C__)
        if constexpr (sizeof(R) == 32)
      return R(_mm256_cvtph_ps(__m128i(x)));
    else if constexpr (sizeof(R) == 16)
      return R(_mm_cvtph_ps(_mm_cvtsi64_si128(bits_as<long long>(x))));
    else
#endif
    {
      float to[count_of<V>];
      for (std::size_t i = 0; i < count_of<V>; ++i) to[i] = half::from_bits(x[i]);
      R r;
      __builtin_memcpy(&r, to, sizeof r);
      return r;
    }
  }
}
template <class H, class V>
WEFT_INLINE auto narrowed(V x) noexcept {
  [[maybe_unused]] typedef vec<std::uint16_t, count_of<V>> R;
  if constexpr (std::is_same_v<H, bfloat16>) {
    typedef uint_vec<V> U;
    const U bits = bits_as<U>(x), upper = bits >> 16;
    const U nearest = (bits + 0x7fffu + (upper & 1u)) >> 16;
    return uint32_to_words(bits_as<U>(
        blend(compare<relation::eq>(x, x), bits_as<V>(nearest), bits_as<V>(upper | 0x40u))));
  } else {
    [[maybe_unused]] constexpr int nearest = 0;  // rounding to nearest even
#if defined(__AVX512F__)
    if constexpr (sizeof(V) == 64)
      return R(_mm512_maskz_cvtps_ph(0xffff, __m512(x), nearest));
    else
#endif
#if defined(__F16C__)
        if constexpr (sizeof(V) == 32)
      return R(_mm256_cvtps_ph(__m256(x), nearest));
    else if constexpr (sizeof(V) == 16)
      return bits_as<R>(_mm_cvtsi128_si64(_mm_cvtps_ph(__m128(x), nearest)));
    else
#endif
      return narrowed_singly<half>(x);
  }
}

template <class L>
using words_of = vec<std::uint16_t, width<L>>;

}  // namespace reg

template <class L, class H>
concept half_lane =
    is_lane<L> && std::is_same_v<typename L::value_type, float> && weft::detail::is_half_type<H>;

/// W elements from p on.
template <class L, class H>
  requires half_lane<L, H> WEFT_INLINE L load(const H* p)
noexcept {
  if constexpr (L::is_pair) {
    return L(load<typename L::half>(p), load<typename L::half>(p + width<L> / 2));
  } else {
    reg::words_of<L> x;
    __builtin_memcpy(&x, p, sizeof x);
    return L(reg::widened<H>(x));
  }
}
/// n <= W elements at p, p + stride, ..., and fill in the other places.
template <class L, class H>
  requires half_lane<L, H> WEFT_INLINE L load_strided(const H* p, std::int64_t stride,
                                                      std::size_t n, H fill)
noexcept {
  H buffer[width<L>];
  for (std::size_t i = 0; i < width<L>; ++i)
    buffer[i] = i < n ? p[static_cast<std::int64_t>(i) * stride] : fill;
  return load<L>(static_cast<const H*>(buffer));
}
template <class L, class H>
  requires half_lane<L, H> WEFT_INLINE L load_partial(const H* p, std::size_t n, H fill)
noexcept {
  return load_strided<L>(p, 1, n, fill);
}

template <class H, std::size_t W, class A>
requires weft::detail::is_half_type<H> WEFT_INLINE void store(H* p, lane<float, W, A> x) noexcept {
  if constexpr (x.is_pair) {
    store(p, x.lo);
    store(p + W / 2, x.hi);
  } else {
    const auto words = reg::narrowed<H>(x.v);
    __builtin_memcpy(p, &words, sizeof words);
  }
}
/// The first n <= W places to p, p + stride, ..., in this order.
template <class H, std::size_t W, class A>
requires weft::detail::is_half_type<H> WEFT_INLINE void store_strided(
    H* p, std::int64_t stride, std::size_t n, lane<float, W, A> x) noexcept {
  H buffer[W];
  store(static_cast<H*>(buffer), x);
  for (std::size_t i = 0; i < n; ++i) p[static_cast<std::int64_t>(i) * stride] = buffer[i];
}
template <class H, std::size_t W, class A>
requires weft::detail::is_half_type<H> WEFT_INLINE void store_partial(
    H* p, std::size_t n, lane<float, W, A> x) noexcept {
  store_strided(p, 1, n, x);
}

/// The values, or truth values as 1 and 0, rounded once to H; in lanes of float.
template <class H, class T, std::size_t W, class A>
WEFT_INLINE lane<float, W, A> rounded_to(lane<T, W, A> x) noexcept {
  if constexpr (std::is_same_v<T, float>) {
    if constexpr (x.is_pair)
      return {rounded_to<H>(x.lo), rounded_to<H>(x.hi)};
    else
      return lane<float, W, A>(reg::widened<H>(reg::narrowed<H>(x.v)));
  } else if constexpr (sizeof(T) == 1) {
    return rounded_to<H>(convert<float>(x));
  } else {  // by way of float it would round twice
    T from[W];
    H to[W];
    store(static_cast<T*>(from), x);
    for (std::size_t i = 0; i < W; ++i) to[i] = H(from[i]);
    return load<lane<float, W, A>>(static_cast<const H*>(to));
  }
}
template <class H, class T, std::size_t W, class A>
WEFT_INLINE lane<float, W, A> rounded_to(mask<T, W, A> m) noexcept {
  return convert<float>(m);
}

}  // namespace weft::simd
