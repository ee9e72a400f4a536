// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// expect: assignment to a view from another rank
// expect: BAD_LINE
namespace w = weft;

int main() {
  w::matrix<float> a{{1, 2}, {3, 4}};
  w::vector<float> v{1, 2};
#ifdef BAD
  a(0, w::range()) = a;  // BAD
#else
  a(0, w::range()) = v;
#endif
}
