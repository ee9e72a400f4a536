// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// The reduction max takes one tensor; maximum is the elementwise op.
// expect: use_maximum_for_two_tensors
// expect: BAD_LINE
namespace w = weft;

w::matrix<float> f(const w::matrix<float>& a, const w::matrix<float>& b) {
#ifdef BAD
  return w::max(a, b);  // BAD
#else
  return w::maximum(a, b);
#endif
}
