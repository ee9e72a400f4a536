// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// expect: assignment to a tensor from another rank
// expect: BAD_LINE
namespace w = weft;

int main() {
  w::matrix<float> a{{1, 2}, {3, 4}};

#ifdef BAD
  w::vector<float> v(a);  // BAD
#else
  w::vector<float> v(a(0, w::range()));
#endif
}
