// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// Static extents that do not meet in a product, in an expression.
// expect: matmul: inner extents differ: float32 \(.*\) and float32 \(
// expect: BAD_LINE
namespace w = weft;

w::matrix<float> f(const w::tensor<float, 2, 3>& a, const w::tensor<float, 3, 5>& b) {
#ifdef BAD
  return w::matmul(a, w::transpose(b));  // BAD
#else
  return w::matmul(a, b);
#endif
}
