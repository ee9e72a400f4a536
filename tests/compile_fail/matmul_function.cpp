// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// Static extents that do not meet in a product, in a captured function.
// expect: matmul: inner extents differ: float32 \(.*\) and float32 \(
// expect: BAD_LINE
namespace w = weft;

w::tensor<float, 2, 5> f(const w::tensor<float, 2, 3>& a, const w::tensor<float, 3, 5>& b) {
#ifdef BAD
  auto layer = [](auto x, auto m) {
    return w::matmul(m, x);  // BAD
  };
#else
  auto layer = [](auto x, auto m) { return w::matmul(x, m); };
#endif
  return w::compile(layer)(a, b);
}
