// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// expect: assignment to a view of a const tensor
// expect: BAD_LINE
namespace w = weft;

int main() {
  w::matrix<float> a{{1, 2}, {3, 4}};
  const auto& c = a;
  static_cast<void>(c);
#ifdef BAD
  c(0, w::range()) = 1;  // BAD
#else
  a(0, w::range()) = 1;
#endif
}
