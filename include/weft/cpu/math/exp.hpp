// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/math/core.hpp>

namespace weft::simd::math {

namespace detail {

/// exp(x) for x from -104 to 89 (NaN passes): Cody and Waite's reduction x = n ln 2 + r, then a
/// minimax polynomial of degree 5 for exp(r), relative error 1.1e-7.
template <class A>
[[gnu::always_inline]] inline floats<A> exp_in_range(floats<A> x) {
  using V = floats<A>;
  auto const n = round_scaled(x, 0x1.715476p+0f);
  V r = mul_add(n.value, V(-0x1.63p-1f), x);  // exact: the constant has nine bits
  r = mul_add(n.value, V(0x1.bd0106p-13f), r);
  V const p = horner(r, 1.0f, 1.0f, 0x1.fffdfap-2f, 0x1.5557acp-3f, 0x1.572af6p-5f, 0x1.106496p-7f);
  return scale_by(p, n);
}

}  // namespace detail

/// e to the power x, elementwise; overflows at 88.72, denormal results down to -103.97.
template <class A>
[[gnu::always_inline]] inline floats<A> exp(floats<A> x) {
  return detail::exp_in_range(detail::at_least(detail::at_most(x, 89.0f), -104.0f));
}

}  // namespace weft::simd::math
