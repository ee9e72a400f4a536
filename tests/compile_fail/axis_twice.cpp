// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// One axis named twice.
// expect: axis 1 is named twice
// expect: BAD_LINE
namespace w = weft;

w::tensor<float> f(const w::matrix<float>& a) {
#ifdef BAD
  return w::sum(a, w::axis<-1, 1>);  // BAD
#else
  return w::sum(a, w::axis<-1, 0>);
#endif
}
