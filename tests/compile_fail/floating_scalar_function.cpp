// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// A floating scalar beside an integer tensor, in a captured function.
// expect: a floating scalar
// expect: BAD_LINE
namespace w = weft;

w::vector<int> f(const w::vector<int>& a) {
#ifdef BAD
  auto half = [](auto x) {
    return x * 0.5f;  // BAD
  };
#else
  auto half = [](auto x) { return x / 2; };
#endif
  return w::compile(half)(a);
}
