// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// expect: T must be one of bool, uint8_t, int32_t, uint32_t, .*float, double, half, bfloat16
// expect: BAD_LINE
namespace w = weft;

int main() {
  w::matrix<float> a{{1, 2}, {3, 4}};

#ifdef BAD
  w::vector<short> s;  // BAD
#else
  w::vector<int> s;
#endif
}
