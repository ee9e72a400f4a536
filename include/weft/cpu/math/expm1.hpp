// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/math/exp.hpp>

namespace weft::simd::math {

namespace detail {

/// exp(r) - 1 for |r| <= ln 2 / 2, accurate at 0: r times a minimax polynomial.
template <class A>
[[gnu::always_inline]] inline floats<A> expm1_reduced(floats<A> r) {
  return r * horner(r, 1.0f, 0x1.fffffep-2f, 0x1.5554b4p-3f, 0x1.5556f2p-5f, 0x1.12256p-7f,
                    0x1.6b9ca4p-10f);
}
template <class A>
[[gnu::always_inline]] inline doubles<A> expm1_reduced(doubles<A> r) {
  return r * horner(r, 1.0, 0x1.0000000000006p-1, 0x1.555555555556p-3, 0x1.5555555551aa5p-5,
                    0x1.111111110b6ep-7, 0x1.6c16c180e30eap-10, 0x1.a01a01d349536p-13,
                    0x1.a019a15de53aep-16, 0x1.71dd888a6d8c6p-19, 0x1.28a7e61ef02bap-22,
                    0x1.b044855259a7fp-26);
}

}  // namespace detail

/// exp(x) - 1, elementwise, accurate near 0: 2^n (exp(r) - 1) + (2^n - 1). Overflows with exp.
template <class T, class A>
[[gnu::always_inline]] inline xsimd::batch<T, A> expm1(xsimd::batch<T, A> x) {
  using namespace detail;
  using V = xsimd::batch<T, A>;
  constexpr T lowest = std::is_same_v<T, float> ? T(-20) : T(-40);  // -1 to the last bit
  V const clamped = at_least(at_most(x, exp_high<T>), lowest);
  auto const [r, n, shifted] = reduce_exp(clamped);
  V const p = expm1_reduced(r);
  // Near the top 2^n is out of range: take 2^(n - 1) there and double the result.
  auto const top = clamped > V(exp_high<T> - T(1));
  V const s = power_of_two(shifted - xsimd::select(top, V(T(1)), V(T(0))));
  V const y = mul_add(s, p, s - V(T(1)));
  return keep(y * xsimd::select(top, V(T(2)), V(T(1)))) | sign_bit(x);
}

}  // namespace weft::simd::math
