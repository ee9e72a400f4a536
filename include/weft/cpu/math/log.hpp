// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/math/core.hpp>

namespace weft::simd::math {

namespace detail {

/// x = mantissa * 2^exponent with the mantissa in [3/4, 3/2).
template <class V>
struct split {
  V mantissa;
  V exponent;
};

/// Splits x >= 0, denormals included; the exponent of 0 is -inf and that of inf is inf.
template <class T, class A>
[[gnu::always_inline]] inline split<xsimd::batch<T, A>> split_positive(xsimd::batch<T, A> x) {
  using V = xsimd::batch<T, A>;
#if defined(__AVX512F__)
  if constexpr (simd::detail::is_avx512<A>) {
    if constexpr (std::is_same_v<T, float>) {
      V const m = _mm512_getmant_ps(x.data, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_zero);
      return {m, V(_mm512_getexp_ps(x.data)) - V(_mm512_getexp_ps(m.data))};
    } else {
      V const m = _mm512_getmant_pd(x.data, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_zero);
      return {m, V(_mm512_getexp_pd(x.data)) - V(_mm512_getexp_pd(m.data))};
    }
  } else
#endif
  {
    using B = bits_of<T>;
    using I = xsimd::batch<B, A>;
    constexpr B one = bias<T> << mantissa<T>;
    constexpr B three_quarters = one - (B{1} << (mantissa<T> - 1));
    constexpr T up = T(B{1} << mantissa<T>);
    constexpr T integers = up;  // the bits of 2^mantissa + k are those of 2^mantissa, plus k
    auto const tiny = x < V(std::numeric_limits<T>::min());
    I const i = bits(xsimd::select(tiny, x * V(up), x));
    I const biased = (i + I(one - three_quarters)) >> mantissa<T>;
    V const m = from_bits<T, A>(i - (biased << mantissa<T>) + I(one));
    V const offset = xsimd::select(tiny, V(integers + T(bias<T>) + T(mantissa<T>)),
                                   V(integers + T(bias<T>)));
    V e = from_bits<T, A>(biased | bits(V(integers))) - offset;
    e = xsimd::select(x == V(T(0)), V(-infinity<T>), e);
    e = xsimd::select(x == V(infinity<T>), x, e);
    return {m, e};
  }
}

/// exponent * ln 2 + log(1 + f), f in [-1/4, 1/2]. With s = f / (2 + f) and z = s * s the second term
/// is 2 s + s z P(z) = f - s (f - z P(z)); P is minimax in z up to 0.04.
template <class A>
[[gnu::always_inline]] inline floats<A> log_parts(floats<A> f, floats<A> exponent) {
  using V = floats<A>;
  V const s = f / (f + V(2.0f));
  V const z = s * s;
  V const p = horner(z, 0x1.5555b4p-1f, 0x1.992aa8p-2f, 0x1.36eccp-2f);
  V const t = neg_mul_add(z, p, f);
  V const u = neg_mul_add(s, t, keep(exponent * V(0x1.c85fep-10f)));
  return mul_add(exponent, V(0x1.62p-1f), f + u);  // the product is exact: nine bits and eight
}

}  // namespace detail

/// Natural logarithm, elementwise, right for denormals; log(0) = -inf, log of a negative is NaN.
template <class A>
[[gnu::always_inline]] inline floats<A> log(floats<A> x) {
  using V = floats<A>;
  auto const [m, e] = detail::split_positive(x);
  V const y = detail::log_parts(m - V(1.0f), e);
  return xsimd::select(x >= V(0.0f), y, V(detail::nan<float>));
}

}  // namespace weft::simd::math
