// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// A floating scalar beside an integer tensor.
// expect: multiply: a floating scalar with an operand of dtype int32
// expect: cast<float>
// expect: BAD_LINE
namespace w = weft;

w::vector<int> f(const w::vector<int>& a) {
#ifdef BAD
  return a * 0.5f;  // BAD
#else
  return a * 2;
#endif
}
