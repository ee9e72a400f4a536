// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// An axis that the operand does not have, in a captured function.
// expect: max: axis -3 is out of range
// expect: BAD_LINE
namespace w = weft;

w::vector<float> f(const w::matrix<float>& a) {
#ifdef BAD
  auto g = [](auto x) {
    return w::max(x, w::axis<-3>);  // BAD
  };
#else
  auto g = [](auto x) { return w::max(x, w::axis<-2>); };
#endif
  return w::compile(g)(a);
}
