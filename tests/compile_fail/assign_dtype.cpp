// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// An expression assigned to a tensor of another dtype.
// expect: an expression of float32 \(\?, \?\) to a tensor of float64 \(\?, \?\)
// expect: cast<T>
// expect: BAD_LINE
namespace w = weft;

void f(w::matrix<double>& to, const w::matrix<float>& a) {
#ifdef BAD
  to = a + 1;  // BAD
#else
  to = w::cast<double>(a + 1);
#endif
}
