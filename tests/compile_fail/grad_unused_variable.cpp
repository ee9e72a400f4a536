// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// The gradient with respect to a variable that the expression does not use.
// expect: e does not use v
// expect: BAD_LINE
namespace w = weft;

w::matrix<float> f(const w::matrix<float>& a) {
  auto x = w::variable<"x">(a);
#ifdef BAD
  return w::grad(w::sum(a * a), x);  // BAD
#else
  return w::grad(w::sum(x * x), x);
#endif
}
