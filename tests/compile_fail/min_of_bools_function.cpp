// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// Bools are reduced by any and all.
// expect: weft: min: bools have no order: reduce them by all, as min does in NumPy
// expect: BAD_LINE
namespace w = weft;

const auto f = w::compile([](auto a) {
#ifdef BAD
  return w::min(a > 0.0f, w::axis<0>);  // BAD
#else
  return w::all(a > 0.0f, w::axis<0>);
#endif
});

w::tensor<bool> g(const w::vector<float>& a) {
  return f(a);
}
