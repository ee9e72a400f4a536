// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// The gradient of more than one number.
// expect: e must be one floating value \(rank 0\), and it is float32 \(\?, \?\)
// expect: BAD_LINE
namespace w = weft;

w::matrix<float> f(const w::matrix<float>& a) {
  auto x = w::variable<"x">(a);
#ifdef BAD
  return w::grad(x * x, x);  // BAD
#else
  return w::grad(w::sum(x * x), x);
#endif
}
