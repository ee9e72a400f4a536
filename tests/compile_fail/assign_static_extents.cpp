// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// An expression whose static extents the destination cannot take.
// expect: of float32 \(4\) to a tensor of float32 \(3\): static extents differ
// expect: BAD_LINE
namespace w = weft;

void f(w::tensor<float, 3>& to, const w::tensor<float, 4>& a, const w::tensor<float, 3>& b) {
#ifdef BAD
  to = a * 2;  // BAD
#else
  to = b * 2;
#endif
  static_cast<void>(a);
  static_cast<void>(b);
}
