// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// expect: assignment between different dtypes; convert with cast
// expect: BAD_LINE
namespace w = weft;

int main() {
  w::matrix<float> a{{1, 2}, {3, 4}};
  w::matrix<double> d = {{1}};
#ifdef BAD
  d = a;  // BAD
#else
  d(0, 0) = 1;
#endif
}
