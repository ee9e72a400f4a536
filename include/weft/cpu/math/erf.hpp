// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/math/expm1.hpp>

namespace weft::simd::math {

namespace detail {

/// erf(x) / x - 1 in z = x * x: |x| up to 0.9 for float, 1 for double.
template <class A>
[[gnu::always_inline]] inline floats<A> erf_small(floats<A> z) {
  return horner(z, 0x1.06eba6p-3f, -0x1.8126ecp-2f, 0x1.ce1b86p-4f, -0x1.b69b96p-6f, 0x1.479cap-8f,
                -0x1.3ba9e8p-11f);
}
template <class A>
[[gnu::always_inline]] inline doubles<A> erf_small(doubles<A> z) {
  return horner(z, 0x1.06eba8214db68p-3, -0x1.812746b0379bdp-2, 0x1.ce2f21a040d15p-4,
                -0x1.b82ce311fa932p-6, 0x1.565bccf92b31cp-8, -0x1.c02db03dd8c63p-11,
                0x1.f9a2baa92d20cp-14, -0x1.f4ca4d71c920ap-17, 0x1.b97fd3ee44b31p-20,
                -0x1.5c07275310e72p-23, 0x1.d71b1121368aap-27, -0x1.abae4db86fac8p-31);
}

/// log(erfc(a)) for larger a, to an absolute error that vanishes in 1 - erfc(a).
template <class A>
[[gnu::always_inline]] inline floats<A> log_erfc(floats<A> a) {
  return horner(a, -0x1.5d23a4p-13f, -0x1.20b75p+0f, -0x1.4621cp-1f, -0x1.aa72f8p-4f,
                0x1.6d9c78p-6f, -0x1.91cbdp-9f, 0x1.9fafc6p-13f);
}
template <class A>
[[gnu::always_inline]] inline doubles<A> log_erfc(doubles<A> a) {
  return horner(a, -0x1.e7a9552e41d6dp-20, -0x1.20dc51f6684dcp+0, -0x1.45fd1e397ff87p-1,
                -0x1.a417dafe8c939p-4, 0x1.32df74d931e46p-6, 0x1.8e6e5d38fc306p-11,
                -0x1.29a5eeb602cbep-9, 0x1.130f13345e441p-10, -0x1.40ec5cf02be7bp-12,
                0x1.04ff0e6c4b1cdp-14, -0x1.1b3de990a0863p-17, 0x1.39927817038a6p-21,
                0x1.b6adbf48de30cp-26, -0x1.61f2c5f2e470cp-27, 0x1.0b694a27fa386p-30,
                -0x1.312408f6979ecp-35);
}

/// (1 + 2 a) exp(a^2) erfc(a) in t = (a - k) / (a + k), for a from 0 to where erfc vanishes: the
/// method of Shepherd and Laframboise (1981), in which one polynomial serves the whole axis.
template <class T>
inline constexpr T erfc_centre = std::is_same_v<T, float> ? T(3) : T(4);
template <class A>
[[gnu::always_inline]] inline floats<A> erfc_scaled(floats<A> t) {
  return horner(t, 0x1.40c524p+0f, -0x1.15c0bap-3f, -0x1.85aec2p-5f, 0x1.0987ecp-3f,
                -0x1.e82bbap-4f, 0x1.17bf12p-4f, -0x1.8c9fcp-6f, 0x1.286b8ep-9f, 0x1.4d316cp-9f);
}
template <class A>
[[gnu::always_inline]] inline doubles<A> erfc_scaled(doubles<A> t) {
  return horner(
      t, 0x1.3ba5916e9fd7fp+0, -0x1.1df1ad154a2a8p-3, 0x1.f7f5df66fb9c2p-7, 0x1.16ecefcfa68fbp-4,
      -0x1.9ddb23c3dc247p-4, 0x1.7fee004de9484p-4, -0x1.0fb06dff62ea6p-4, 0x1.3079edfad615cp-5,
      -0x1.0962385346f19p-6, 0x1.49c67194d8015p-8, -0x1.8d4ac340541f7p-11, -0x1.a1deb41f8a6efp-13,
      0x1.3be2e9f2b0851p-13, -0x1.995f9e7ee855bp-16, -0x1.78f572ac110b3p-17, 0x1.7f295b602fbbp-18,
      0x1.50f4055df1937p-22, -0x1.b877a11407442p-21, 0x1.d987d7583b7d2p-25, 0x1.b4621efcfb5a9p-24,
      -0x1.1245bf35342e9p-27, -0x1.1f8b9b2c2bc42p-27);
}

/// What rounding a * a lost: a * a = square + low.
template <class T, class A>
[[gnu::always_inline]] inline xsimd::batch<T, A> square_low(xsimd::batch<T, A> a,
                                                            xsimd::batch<T, A> square) {
  using V = xsimd::batch<T, A>;
  if constexpr (fuses<A>) {
    return mul_sub(a, a, square);
  } else {
    // Dekker: halves whose products are exact.
    constexpr bits_of<T> half = ~bits_of<T>{} << (mantissa<T> / 2 + 1);
    V const high = a & V(std::bit_cast<T>(half));
    V const low = a - high;
    return keep((keep(high * high) - square) + keep(keep(high * low) * V(T(2)))) + keep(low * low);
  }
}

}  // namespace detail

/// The error function, elementwise: an odd polynomial near 0, 1 - exp(log(erfc|x|)) further out.
template <class T, class A>
[[gnu::always_inline]] inline xsimd::batch<T, A> erf(xsimd::batch<T, A> x) {
  using namespace detail;
  using V = xsimd::batch<T, A>;
  constexpr T border = std::is_same_v<T, float> ? T(0.9) : T(1);
  constexpr T highest = std::is_same_v<T, float> ? T(4) : T(6);  // 1 to the last bit
  V const a = at_most(magnitude(x), highest);
  V const small = mul_add(a, erf_small(a * a), a);
  auto const [r, n, shifted] = reduce_exp(log_erfc(a));
  V const large = neg_mul_add(exp_reduced(r), power_of_two(shifted), V(T(1)));
  return xsimd::select(a < V(border), small, large) | sign_bit(x);
}

/// 1 - erf(x), elementwise, accurate in the right tail: denormal results up to 10.05 and 27.22.
template <class T, class A>
[[gnu::always_inline]] inline xsimd::batch<T, A> erfc(xsimd::batch<T, A> x) {
  using namespace detail;
  using V = xsimd::batch<T, A>;
  constexpr T highest = std::is_same_v<T, float> ? T(10.125) : T(27.25);
  constexpr T k = erfc_centre<T>;
  V const a = at_most(magnitude(x), highest);
  V const square = keep(a * a);
  auto const [r, n, shifted] = reduce_exp(-square);
  V const g = erfc_scaled((a - V(k)) / (a + V(k)));
  // 1 / (1 + 2 a) = w (1 + e): e undoes the rounding of the sum and, with FMA, of the quotient. It
  // goes into the argument of exp, as does the low part of the square.
  V const twice = a + a;
  V const d = twice + V(T(1));
  V const w = V(T(1)) / d;
  V const from_sum = keep(w * (twice - (d - V(T(1)))));
  V const e = (fuses<A> ? neg_mul_add(w, d, V(T(1))) : V(T(0))) - from_sum;
  V const s = expm1_reduced(r + (e - square_low(a, square)));
  V const y = fuses<A> ? keep(g * w) : g / d;
  V const rest = fuses<A> ? mul_sub(g, w, y) : V(T(0));
  V const tail = scale_by(y + mul_add(y, s, rest), n);
  // Near 0 the result is 1 less erf, with its sign; on the left 2 less the tail.
  V const small = V(T(1)) - mul_add(x, erf_small(square), x);
  V const y_far = xsimd::select(x < V(T(0)), V(T(2)) - tail, tail);
  return xsimd::select(a < V(T(0.5)), small, y_far);
}

}  // namespace weft::simd::math
