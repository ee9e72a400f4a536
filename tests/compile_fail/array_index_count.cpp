// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// expect: give one index for each axis
// expect: BAD_LINE
namespace w = weft;

int main() {
  w::matrix<float> a{{1, 2}, {3, 4}};
  static_cast<void>(a);
#ifdef BAD
  a(0) = 1;  // BAD
#else
  a(0, 0) = 1;
#endif
}
