// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// Static extents that do not broadcast, in an expression.
// expect: add: shapes do not broadcast: float32 \(2, 3\) and float32 \(2\)
// expect: BAD_LINE
namespace w = weft;

w::matrix<float> f(const w::tensor<float, 2, 3>& a, const w::tensor<float, 2>& b,
                   const w::tensor<float, 3>& c) {
#ifdef BAD
  return w::tanh(a + b) * c;  // BAD
#else
  return w::tanh(a + c) * c + w::reshape(b, w::shape<2, 1>);
#endif
}
