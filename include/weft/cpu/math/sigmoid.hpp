// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/math/exp.hpp>

namespace weft::simd::math {

/// 1 / (1 + exp(-x)), elementwise. Written with z = exp(-|x|), which never overflows: 1 / (1 + z) on
/// the right, z / (1 + z) on the left, so the left tail keeps its denormal results.
template <class A>
[[gnu::always_inline]] inline floats<A> sigmoid(floats<A> x) {
  using V = floats<A>;
  V const z = detail::exp_in_range(detail::at_least(x | V(-0.0f), -104.0f));
  return xsimd::select(x < V(0.0f), z, V(1.0f)) / (z + V(1.0f));
}

}  // namespace weft::simd::math
