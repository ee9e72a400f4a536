// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// A symbol has no value, in a function that is differentiated.
// expect: a symbol has no value
// expect: BAD_LINE
namespace w = weft;

w::vector<float> f(const w::vector<float>& a) {
#ifdef BAD
  auto g = [](auto x) {
    auto s = w::sum(x);
    while (s < 3) s = s * 2;  // BAD
    return s;
  };
#else
  auto g = [](auto x) {
    auto s = w::sum(x);
    for (int i = 0; i < 3; ++i) s = s * 2;
    return s;
  };
#endif
  return w::grad(g)(a);
}
