// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// A tensor made from an expression of another rank.
// expect: to a tensor of float32 \(\?\): the ranks differ
// expect: BAD_LINE
namespace w = weft;

w::vector<float> f(const w::matrix<float>& a) {
#ifdef BAD
  return w::exp(a);  // BAD
#else
  return w::sum(w::exp(a), w::axis<0>);
#endif
}
