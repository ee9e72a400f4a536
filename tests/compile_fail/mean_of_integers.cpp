// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// The mean of integers needs a conversion.
// expect: cast<float>
// expect: BAD_LINE
namespace w = weft;

float f(const w::vector<int>& a) {
#ifdef BAD
  return w::mean(a);  // BAD
#else
  return w::mean(w::cast<float>(a));
#endif
}
