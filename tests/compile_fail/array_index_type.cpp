// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// expect: an index is an integer, a range, or all
// expect: BAD_LINE
namespace w = weft;

int main() {
  w::matrix<float> a{{1, 2}, {3, 4}};

#ifdef BAD
  a(0, 0.5) = 1;  // BAD
#else
  a(0, 1) = 1;
#endif
}
