// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// An axis that the operand does not have.
// expect: sum: axis 5 is out of range
// expect: BAD_LINE
namespace w = weft;

w::vector<float> f(const w::matrix<float>& a) {
#ifdef BAD
  return w::sum(a, w::axis<5>);  // BAD
#else
  return w::sum(a, w::axis<-1>);
#endif
}
