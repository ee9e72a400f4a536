// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// The number of an argument that the function does not have.
// expect: grad<1>: there is no argument 1
// expect: BAD_LINE
namespace w = weft;

w::matrix<float> f(const w::matrix<float>& a) {
  auto g = [](auto x) { return w::sum(x * x); };
#ifdef BAD
  return w::grad<1>(g)(a);  // BAD
#else
  return w::grad<0>(g)(a);
#endif
}
