// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// expect: a floating scalar does not mix with an integer
// expect: BAD_LINE
namespace w = weft;

int main() {
  w::matrix<float> a{{1, 2}, {3, 4}};
  w::vector<int> i{1};
#ifdef BAD
  i(w::range()) = 0.5f;  // BAD
#else
  i(w::range()) = 5;
#endif
}
