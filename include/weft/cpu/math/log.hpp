// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/math/exp.hpp>

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
    V const m = from_bits<T, A>(i - (biased << mantissa<T>)+I(one));
    V const offset =
        xsimd::select(tiny, V(integers + T(bias<T>) + T(mantissa<T>)), V(integers + T(bias<T>)));
    V e = from_bits<T, A>(biased | bits(V(integers))) - offset;
    e = xsimd::select(x == V(T(0)), V(-infinity<T>), e);
    e = xsimd::select(x == V(infinity<T>), x, e);
    return {m, e};
  }
}

/// P of log_parts below: minimax for z up to 0.04.
template <class A>
[[gnu::always_inline]] inline floats<A> log_series(floats<A> z) {
  return horner(z, 0x1.5555b4p-1f, 0x1.992aa8p-2f, 0x1.36eccp-2f);
}
template <class A>
[[gnu::always_inline]] inline doubles<A> log_series(doubles<A> z) {
  return horner(z, 0x1.555555555578p-1, 0x1.99999998ee2dep-2, 0x1.249249b3f02dcp-2,
                0x1.c71c003e4630fp-3, 0x1.747511b1c0fcfp-3, 0x1.384f2cd9a6a7cp-3,
                0x1.3ada9e04eeff9p-3);
}

/// exponent * ln 2 + log(1 + f), f in [-1/4, 1/2]. With s = f / (2 + f) and z = s * s the second
/// term is 2 s + s z P(z) = f - s (f - z P(z)), whose error is relative to f.
template <class T, class A>
[[gnu::always_inline]] inline xsimd::batch<T, A> log_parts(xsimd::batch<T, A> f,
                                                           xsimd::batch<T, A> exponent) {
  using V = xsimd::batch<T, A>;
  V const s = f / (f + V(T(2)));
  V const z = s * s;
  V const t = neg_mul_add(z, log_series(z), f);
  V const u = neg_mul_add(s, t, keep(exponent * V(ln2_low<T>)));
  return mul_add(exponent, V(ln2_high<T>), f + u);
}

}  // namespace detail

/// Natural logarithm, elementwise, right for denormals; log(0) = -inf, log of a negative is NaN.
template <class T, class A>
[[gnu::always_inline]] inline xsimd::batch<T, A> log(xsimd::batch<T, A> x) {
  using namespace detail;
  using V = xsimd::batch<T, A>;
  auto const [m, e] = split_positive(x);
  V const y = log_parts(m - V(T(1)), e);
  return xsimd::select(x >= V(T(0)), y, V(nan<T>));
}

/// log(1 + x), elementwise, accurate near 0; log1p(-1) = -inf, below -1 it is NaN.
template <class T, class A>
[[gnu::always_inline]] inline xsimd::batch<T, A> log1p(xsimd::batch<T, A> x) {
  using namespace detail;
  using V = xsimd::batch<T, A>;
  V const one = V(T(1));
  V const u = x + one;
  V const lost = x - (u - one);  // what rounding u took away, where that still matters
  auto const [m, e] = split_positive(u);
  V const s = power_of_two(V(round_shift<T>) - at_most(e, T(100)));  // nothing is lost up there
  V const f = mul_add(lost, s, m - one);
  V const y = log_parts(f, e) | sign_bit(x);
  V const in_range = xsimd::select(u >= V(T(0)), y, V(nan<T>));
  return xsimd::select(x == V(infinity<T>), x, in_range);
}

}  // namespace weft::simd::math
