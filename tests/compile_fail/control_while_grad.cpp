// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// The gradient of a while_loop that may take any number of steps.
// expect: while_loop has no reverse-mode gradient.*: give a bound
// expect: BAD_LINE
namespace w = weft;

w::vector<float> f(const w::vector<float>& a) {
  auto loss = [](auto x) {
    auto go = [](auto s) { return w::sum(s) < 9; };
    auto step = [](auto s) { return s * 2; };
#ifdef BAD
    return w::sum(w::while_loop(go, step, x));  // BAD
#else
    return w::sum(w::while_loop(go, step, x, w::max_steps<20>));
#endif
  };
  return w::grad(loss)(a);
}
