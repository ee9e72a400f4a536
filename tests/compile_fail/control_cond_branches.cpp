// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// The two functions of cond return different shapes.
// expect: cond: both functions must return the same dtype and shape: float32 \(\) and float32 \(4
// expect: BAD_LINE
namespace w = weft;

void f(const w::tensor<float, 4>& a) {
  auto choose = [](auto x) {
    auto total = [](auto x) { return w::sum(x); };
#ifdef BAD
    auto other = [](auto x) { return x * 2; };
#else
    auto other = [](auto x) { return w::max(x); };
#endif
    return w::cond(w::sum(x) > 0, total, other, x);  // BAD
  };
  w::compile(choose)(a);
}
