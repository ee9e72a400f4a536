// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// A condition with many elements.
// expect: cond: the condition must be one bool, as a comparison of rank 0 is: got bool \(\?\)
// expect: BAD_LINE
namespace w = weft;

w::vector<float> f(const w::vector<float>& a) {
  auto choose = [](auto x) {
    auto same = [](auto x) { return x; };
    auto other = [](auto x) { return -x; };
#ifdef BAD
    return w::cond(x > 0, same, other, x);  // BAD
#else
    return w::cond(w::all(x > 0), same, other, x);
#endif
  };
  return w::compile(choose)(a);
}
