// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// One variable name on two tensors of different types.
// expect: add: one variable name, x, stands for tensors of different types: float32 \(\?, \?\) and
// float32 \(\?\) expect: BAD_LINE
namespace w = weft;

w::matrix<float> f(const w::matrix<float>& a, const w::vector<float>& b) {
  auto x = w::variable<"x">(a);
#ifdef BAD
  auto y = w::variable<"x">(b);
#else
  auto y = w::variable<"y">(b);
#endif
  return x + y;  // BAD
}
