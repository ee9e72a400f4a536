// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// The gradient of a function that returns more than one number.
// expect: the function must return rank 0 of a floating dtype: got float32 \(\?, \?\)
// expect: BAD_LINE
namespace w = weft;

w::matrix<float> f(const w::matrix<float>& a) {
#ifdef BAD
  auto g = [](auto x) { return x * x; };
#else
  auto g = [](auto x) { return w::sum(x * x); };
#endif
  return w::grad(g)(a);  // BAD
}
