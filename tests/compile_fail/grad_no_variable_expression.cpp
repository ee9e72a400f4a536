// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// The gradient with respect to an expression that is no variable.
// expect: v must be a variable
// expect: BAD_LINE
namespace w = weft;

w::matrix<float> f(const w::matrix<float>& a) {
  auto x = w::variable<"x">(a);
  auto y = x * x;
#ifdef BAD
  return w::grad(w::sum(y), y);  // BAD
#else
  return w::grad(w::sum(y), x);
#endif
}
