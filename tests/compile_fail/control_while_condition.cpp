// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// The condition of a while_loop is a number.
// expect: while_loop: the condition must return one bool
// expect: BAD_LINE
namespace w = weft;

w::vector<float> f(const w::vector<float>& a) {
  auto loop = [](auto x) {
    auto twice = [](auto s) { return s * 2; };
#ifdef BAD
    return w::while_loop([](auto s) { return w::sum(s); }, twice, x);  // BAD
#else
    return w::while_loop([](auto s) { return w::sum(s) < 9; }, twice, x);
#endif
  };
  return w::compile(loop)(a);
}
