// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/math/exp.hpp>

namespace weft::simd::math {

/// 1 / (1 + exp(-x)), elementwise. Written with z = exp(-|x|), which never overflows: 1 / (1 + z)
/// on the right, z / (1 + z) on the left, so the left tail keeps its denormal results.
template <class T, class A>
[[gnu::always_inline]] inline xsimd::batch<T, A> sigmoid(xsimd::batch<T, A> x) {
  using namespace detail;
  using V = xsimd::batch<T, A>;
  V const z = exp_in_range(at_least(x | V(T(-0.0)), exp_low<T>));
  return xsimd::select(x < V(T(0)), z, V(T(1))) / (z + V(T(1)));
}

}  // namespace weft::simd::math
