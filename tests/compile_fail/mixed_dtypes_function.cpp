// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// Two tensors of different dtypes do not mix, in a captured function.
// expect: cast<T>
// expect: BAD_LINE
namespace w = weft;

w::matrix<float> f(const w::matrix<float>& a, const w::matrix<double>& b) {
  auto total = [](auto x, auto y) {
#ifdef BAD
    return x + y;  // BAD
#else
    return x + w::cast<float>(y);
#endif
  };
  return w::compile(total)(a, b);
}
