// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// Two tensors of different dtypes do not mix.
// expect: add: operands of different dtypes do not mix: convert one with cast<T>
// expect: float32 \(\?, \?\) and float64 \(\?, \?\)
// expect: BAD_LINE
namespace w = weft;

w::matrix<float> f(const w::matrix<float>& a, const w::matrix<double>& b) {
#ifdef BAD
  return a + b;  // BAD
#else
  return a + w::cast<float>(b);
#endif
}
