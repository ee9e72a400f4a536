// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// Static extents that do not broadcast, in a captured function.
// expect: add: shapes do not broadcast: float32 \(2, 3\) and float32 \(2\)
// expect: BAD_LINE
namespace w = weft;

w::tensor<float, 2, 3> f(const w::tensor<float, 2, 3>& a, const w::tensor<float, 2>& b,
                         const w::tensor<float, 3>& c) {
#ifdef BAD
  const auto& d = b;
#else
  const auto& d = c;
#endif
  auto scaled = [](auto x, auto y) {
    auto h = w::tanh(x);
    return h + y;  // BAD
  };
  static_cast<void>(b);
  static_cast<void>(c);
  return w::compile(scaled)(a, d);
}
