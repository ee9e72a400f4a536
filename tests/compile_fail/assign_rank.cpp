// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// An expression assigned to a tensor of another rank.
// expect: an expression of float32 \(\?, \?\) to a tensor of float32 \(\?\): the ranks differ
// expect: BAD_LINE
namespace w = weft;

void f(w::vector<float>& to, const w::matrix<float>& a) {
#ifdef BAD
  to = w::exp(a);  // BAD
#else
  to = w::sum(w::exp(a), w::axis<0>);
#endif
}
