// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// The gradient with respect to a tensor that is no variable.
// expect: v must be a variable
// expect: BAD_LINE
namespace w = weft;

w::matrix<float> f(const w::matrix<float>& a) {
#ifdef BAD
  return w::grad(w::sum(a * a), a);  // BAD
#else
  auto x = w::variable<"x">(a);
  return w::grad(w::sum(x * x), x);
#endif
}
