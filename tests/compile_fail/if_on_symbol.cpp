// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// A symbol has no value that an if could test.
// expect: a symbol has no value
// expect: where\(
// expect: BAD_LINE
namespace w = weft;

float f(float a) {
#ifdef BAD
  auto g = [](auto x) {
    if (x > 0) return w::sqrt(x);  // BAD
    return w::exp(x);
  };
#else
  auto g = [](auto x) { return w::where(x > 0, w::sqrt(x), w::exp(x)); };
#endif
  w::tensor<float> t{a};
  return w::item(w::compile(g)(t));
}
