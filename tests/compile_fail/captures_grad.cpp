// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// A lambda with captures cannot be differentiated on tensors.
// expect: a captured function holds no state
// expect: BAD_LINE
namespace w = weft;

w::vector<float> f(const w::vector<float>& a, float rate) {
#ifdef BAD
  return w::grad([rate](auto x) { return w::sum(x * rate); })(a);  // BAD
#else
  return w::grad([](auto x, auto r) { return w::sum(x * r); })(a, rate);
#endif
}
