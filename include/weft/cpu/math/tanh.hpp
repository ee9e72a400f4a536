// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/math/expm1.hpp>

namespace weft::simd::math {

/// Hyperbolic tangent, elementwise: with e = exp(2|x|) - 1 it is e / (e + 2), free of cancellation.
/// e is 2^n (exp(r) - 1) + (2^n - 1) with 2|x| = n ln 2 + r. One rounded ln 2 is enough: a relative
/// error of x changes tanh(x) by no more than the same relative error.
template <class T, class A>
[[gnu::always_inline]] inline xsimd::batch<T, A> tanh(xsimd::batch<T, A> x) {
  using namespace detail;
  using V = xsimd::batch<T, A>;
  constexpr T highest = std::is_same_v<T, float> ? T(9.25) : T(19.5);  // 1 to the last bit
  V const a = at_most(magnitude(x), highest);
  V const twice = a + a;
  auto const n = round_scaled(twice, T(0x1.71547652b82fep+0));
  V const p = expm1_reduced(mul_add(n.value, V(T(-0x1.62e42fefa39efp-1)), twice));
  V const s = power_of_two(n.shifted);
  V const e = mul_add(s, p, s - V(T(1)));
  return (e / (e + V(T(2)))) | sign_bit(x);
}

}  // namespace weft::simd::math
