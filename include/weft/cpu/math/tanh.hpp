// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/math/core.hpp>

namespace weft::simd::math {

/// Hyperbolic tangent, elementwise: with e = exp(2|x|) - 1 it is e / (e + 2), free of cancellation.
/// e comes from 2^(n + f) - 1 = 2^n (2^f - 1) + (2^n - 1); 2^f - 1 is f times a minimax polynomial
/// of degree 5. An error of f relative to x is harmless: x tanh'(x) / tanh(x) never exceeds 1.
template <class A>
[[gnu::always_inline]] inline floats<A> tanh(floats<A> x) {
  using V = floats<A>;
  constexpr float two_log2_e = 0x1.715476p+1f;
  V const a = detail::at_most(detail::magnitude(x), 9.25f);  // 1 to the last bit from 9.02 on
  auto const n = detail::round_scaled(a, two_log2_e);
  V const f = mul_sub(a, V(two_log2_e), n.value);
  V const p = f * detail::horner(f, 0x1.62e43p-1f, 0x1.ebfbdep-3f, 0x1.c6afa4p-5f, 0x1.3b2c32p-7f,
                                 0x1.5ef17ap-10f, 0x1.42a30ap-13f);
  V const s = detail::power_of_two(n.shifted);
  V const e = mul_add(s, p, s - V(1.0f));
  return (e / (e + V(2.0f))) | detail::sign_bit(x);
}

}  // namespace weft::simd::math
