// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// expect: assignment between static extents that differ
// expect: BAD_LINE
namespace w = weft;

int main() {
  w::matrix<float> a{{1, 2}, {3, 4}};
  w::tensor<float, 2, 2> s;
  w::tensor<float, 2, 3> t;
  static_cast<void>(t);
#ifdef BAD
  s = t;  // BAD
#else
  s = a;
#endif
}
