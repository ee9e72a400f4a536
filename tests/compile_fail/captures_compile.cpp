// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// A lambda with captures cannot be compiled.
// expect: a captured function holds no state
// expect: BAD_LINE
namespace w = weft;

w::vector<float> f(const w::vector<float>& a, float rate) {
#ifdef BAD
  auto g = w::compile([rate](auto x) { return x * rate; });  // BAD
  return g(a);
#else
  auto g = w::compile([](auto x, auto r) { return x * r; });
  return g(a, rate);
#endif
}
