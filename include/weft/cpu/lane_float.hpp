// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <cmath>

#include <weft/cpu/lane_select.hpp>

namespace weft::simd {

namespace reg {

#if defined(__AVX512F__) || defined(__FMA__)
inline constexpr bool hardware_fma = true;
#else
inline constexpr bool hardware_fma = false;
#endif

// One object for each instruction, called on registers of 16, 32 or 64 bytes.

struct fma_call {
  template <class V>
  WEFT_INLINE V operator()(V a, V b, V c) const noexcept {
    [[maybe_unused]] constexpr bool single = std::is_same_v<element_t<V>, float>;
#if defined(__AVX512F__)
    if constexpr (sizeof(V) == 64) {
      if constexpr (single)
        return V(_mm512_fmadd_ps(__m512(a), __m512(b), __m512(c)));
      else
        return V(_mm512_fmadd_pd(__m512d(a), __m512d(b), __m512d(c)));
    } else
#endif
#if defined(__FMA__)
        if constexpr (sizeof(V) == 32 && single)
      return V(_mm256_fmadd_ps(__m256(a), __m256(b), __m256(c)));
    else if constexpr (sizeof(V) == 32)
      return V(_mm256_fmadd_pd(__m256d(a), __m256d(b), __m256d(c)));
    else if constexpr (single)
      return V(_mm_fmadd_ps(__m128(a), __m128(b), __m128(c)));
    else
      return V(_mm_fmadd_pd(__m128d(a), __m128d(b), __m128d(c)));
#else
    return add(mul(a, b), c);
#endif
  }
};

struct sqrt_call {
  template <class V>
  WEFT_INLINE V operator()(V a) const noexcept {
    [[maybe_unused]] constexpr bool single = std::is_same_v<element_t<V>, float>;
#if defined(__AVX512F__)
    if constexpr (sizeof(V) == 64) {
      if constexpr (single)
        return V(_mm512_maskz_sqrt_ps(0xffff, __m512(a)));
      else
        return V(_mm512_maskz_sqrt_pd(0xff, __m512d(a)));
    } else
#endif
#if defined(__AVX__)
        if constexpr (sizeof(V) == 32 && single)
      return V(_mm256_sqrt_ps(__m256(a)));
    else if constexpr (sizeof(V) == 32)
      return V(_mm256_sqrt_pd(__m256d(a)));
    else
#endif
#if defined(__SSE2__)
        if constexpr (single)
      return V(_mm_sqrt_ps(__m128(a)));
    else
      return V(_mm_sqrt_pd(__m128d(a)));
#else
    for (std::size_t i = 0; i < count_of<V>; ++i) a[i] = std::sqrt(a[i]);
    return a;
#endif
  }
};

/// Mode: 0 nearest (ties to even), 1 down, 2 up, 3 towards zero, as the instructions have them.
template <int Mode>
struct round_call {
  template <class V>
  WEFT_INLINE V operator()(V a) const noexcept {
    [[maybe_unused]] constexpr bool single = std::is_same_v<element_t<V>, float>;
#if defined(__AVX512F__)
    if constexpr (sizeof(V) == 64) {
      if constexpr (single)
        return V(_mm512_maskz_roundscale_ps(0xffff, __m512(a), Mode | 8));
      else
        return V(_mm512_maskz_roundscale_pd(0xff, __m512d(a), Mode | 8));
    } else
#endif
#if defined(__AVX__)
        if constexpr (sizeof(V) == 32 && single)
      return V(_mm256_round_ps(__m256(a), Mode | 8));
    else if constexpr (sizeof(V) == 32)
      return V(_mm256_round_pd(__m256d(a), Mode | 8));
    else
#endif
#if defined(__SSE4_1__)
        if constexpr (single)
      return V(_mm_round_ps(__m128(a), Mode | 8));
    else
      return V(_mm_round_pd(__m128d(a), Mode | 8));
#else
    return by_magic(a);
#endif
  }

 private:
  /// |x| + 2^digits rounds to an integer, in round to nearest.
  template <class V>
  WEFT_INLINE static V by_magic(V x) noexcept {
    using T = element_t<V>;
    using S = sint_vec<V>;
    const S sign = bits_as<S>(splat<V>(T(-0.0)));
    const V size = bits_as<V>(bits_as<S>(x) & ~sign);
    constexpr T limit = T(uint_t<T>(1) << (std::numeric_limits<T>::digits - 1));
    const V magic = splat<V>(limit);
    const V near = bits_as<V>(bits_as<S>(sub(add(size, magic), magic)) | (bits_as<S>(x) & sign));
    const V one = splat<V>(T(1)), none{};
    V r = near;
    if constexpr (Mode == 1)
      r = sub(near, near > x ? one : none);
    else if constexpr (Mode == 2)
      r = add(near, near < x ? one : none);
    else if constexpr (Mode == 3) {
      const V positive = bits_as<V>(bits_as<S>(near) & ~sign);
      r = sub(positive, positive > size ? one : none);
    }
    r = bits_as<V>((bits_as<S>(r) & ~sign) | (bits_as<S>(x) & sign));
    return size < magic ? r : x;  // also NaN
  }
};

template <class V>
WEFT_INLINE V copy_sign(V a, V b) noexcept {
  using S = sint_vec<V>;
  const S sign = bits_as<S>(splat<V>(element_t<V>(-0.0)));
  return bits_as<V>((bits_as<S>(a) & ~sign) | (bits_as<S>(b) & sign));
}

template <class V>
WEFT_INLINE V greater_of(V a, V b) noexcept {
  using T = element_t<V>;
  if constexpr (std::is_integral_v<T>)
    return blend(compare<relation::lt>(a, b), b, a);
  else {
#if defined(__AVX512DQ__)
    // the instruction orders the zeros, but prefers a number to a NaN
    if constexpr (sizeof(V) == 64 && sizeof(T) == 4) {
      const __m512 x(a), y(b);
      return V(_mm512_mask_add_ps(_mm512_maskz_range_ps(0xffff, x, y, 5),
                                  _mm512_cmp_ps_mask(x, y, _CMP_UNORD_Q), x, y));
    } else if constexpr (sizeof(V) == 64) {
      const __m512d x(a), y(b);
      return V(_mm512_mask_add_pd(_mm512_maskz_range_pd(0xff, x, y, 5),
                                  _mm512_cmp_pd_mask(x, y, _CMP_UNORD_Q), x, y));
    } else
#endif
    {
      using S = sint_vec<V>;
      const V tie = bits_as<V>(bits_as<S>(a) & bits_as<S>(b));  // +0 before -0
      const V r = blend(compare<relation::lt>(b, a), a, b);     // b if b is NaN
      return blend(compare<relation::ne>(a, a), a, blend(compare<relation::eq>(a, b), tie, r));
    }
  }
}
template <class V>
WEFT_INLINE V lesser_of(V a, V b) noexcept {
  using T = element_t<V>;
  if constexpr (std::is_integral_v<T>)
    return blend(compare<relation::lt>(b, a), b, a);
  else {
#if defined(__AVX512DQ__)
    if constexpr (sizeof(V) == 64 && sizeof(T) == 4) {
      const __m512 x(a), y(b);
      return V(_mm512_mask_add_ps(_mm512_maskz_range_ps(0xffff, x, y, 4),
                                  _mm512_cmp_ps_mask(x, y, _CMP_UNORD_Q), x, y));
    } else if constexpr (sizeof(V) == 64) {
      const __m512d x(a), y(b);
      return V(_mm512_mask_add_pd(_mm512_maskz_range_pd(0xff, x, y, 4),
                                  _mm512_cmp_pd_mask(x, y, _CMP_UNORD_Q), x, y));
    } else
#endif
    {
      using S = sint_vec<V>;
      const V tie = bits_as<V>(bits_as<S>(a) | bits_as<S>(b));  // -0 before +0
      const V r = blend(compare<relation::lt>(a, b), a, b);
      return blend(compare<relation::ne>(a, a), a, blend(compare<relation::eq>(a, b), tie, r));
    }
  }
}

}  // namespace reg

/// Whether fma rounds once; without the hardware it is a product and a sum.
template <class T, class A = xsimd::default_arch>
inline constexpr bool has_fma = reg::hardware_fma;

#define WEFT_FLOAT_UNARY(name, call)                               \
  template <std::floating_point T, std::size_t W, class A>         \
  WEFT_INLINE lane<T, W, A> name(lane<T, W, A> x) noexcept {       \
    if constexpr (x.is_pair)                                       \
      return {name(x.lo), name(x.hi)};                             \
    else                                                           \
      return lane<T, W, A>(reg::fitted<16, 64>(reg::call{}, x.v)); \
  }
WEFT_FLOAT_UNARY(sqrt, sqrt_call)
WEFT_FLOAT_UNARY(rint, round_call<0>)
WEFT_FLOAT_UNARY(floor, round_call<1>)
WEFT_FLOAT_UNARY(ceil, round_call<2>)
WEFT_FLOAT_UNARY(trunc, round_call<3>)
#undef WEFT_FLOAT_UNARY

/// a*b + c rounded once, where has_fma.
template <std::floating_point T, std::size_t W, class A>
WEFT_INLINE lane<T, W, A> fma(lane<T, W, A> a, lane<T, W, A> b, lane<T, W, A> c) noexcept {
  if constexpr (a.is_pair)
    return {fma(a.lo, b.lo, c.lo), fma(a.hi, b.hi, c.hi)};
  else
    return lane<T, W, A>(reg::fitted<16, 64>(reg::fma_call{}, a.v, b.v, c.v));
}

/// The greater value; NaN if either is NaN, and +0 before -0.
template <class T, std::size_t W, class A>
WEFT_INLINE lane<T, W, A> maximum(lane<T, W, A> a, lane<T, W, A> b) noexcept {
  if constexpr (a.is_pair)
    return {maximum(a.lo, b.lo), maximum(a.hi, b.hi)};
  else
    return lane<T, W, A>(reg::greater_of(a.v, b.v));
}
/// The lesser value; NaN if either is NaN, and -0 before +0.
template <class T, std::size_t W, class A>
WEFT_INLINE lane<T, W, A> minimum(lane<T, W, A> a, lane<T, W, A> b) noexcept {
  if constexpr (a.is_pair)
    return {minimum(a.lo, b.lo), minimum(a.hi, b.hi)};
  else
    return lane<T, W, A>(reg::lesser_of(a.v, b.v));
}

/// The size of a with the sign of b, zeros and NaN included.
template <std::floating_point T, std::size_t W, class A>
WEFT_INLINE lane<T, W, A> copysign(lane<T, W, A> a, lane<T, W, A> b) noexcept {
  if constexpr (a.is_pair)
    return {copysign(a.lo, b.lo), copysign(a.hi, b.hi)};
  else
    return lane<T, W, A>(reg::copy_sign(a.v, b.v));
}

/// |x|; the least integer is its own.
template <class T, std::size_t W, class A>
WEFT_INLINE lane<T, W, A> abs(lane<T, W, A> x) noexcept {
  if constexpr (std::is_unsigned_v<T>)
    return x;
  else if constexpr (std::is_integral_v<T>)
    return select(x < lane<T, W, A>(T(0)), -x, x);
  else
    return copysign(x, lane<T, W, A>(T(0)));
}

/// 1/sqrt(x), rounded twice (within 1.5 ulp).
template <std::floating_point T, std::size_t W, class A>
WEFT_INLINE lane<T, W, A> rsqrt(lane<T, W, A> x) noexcept {
  return lane<T, W, A>(T(1)) / sqrt(x);
}

template <std::floating_point T, std::size_t W, class A>
WEFT_INLINE mask<T, W, A> isnan(lane<T, W, A> x) noexcept {
  return x != x;
}
template <std::floating_point T, std::size_t W, class A>
WEFT_INLINE mask<T, W, A> isinf(lane<T, W, A> x) noexcept {
  return abs(x) == lane<T, W, A>(std::numeric_limits<T>::infinity());
}
template <std::floating_point T, std::size_t W, class A>
WEFT_INLINE mask<T, W, A> isfinite(lane<T, W, A> x) noexcept {
  return abs(x) < lane<T, W, A>(std::numeric_limits<T>::infinity());
}

}  // namespace weft::simd
