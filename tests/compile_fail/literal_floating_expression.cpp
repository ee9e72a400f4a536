// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// A floating literal beside an integer tensor.
// expect: add: a floating scalar with an operand of dtype int32
// expect: BAD_LINE
namespace w = weft;

w::vector<int> f(const w::vector<int>& a) {
#ifdef BAD
  return a + w::lit<0.5>;  // BAD
#else
  return a + w::lit<5>;
#endif
}
