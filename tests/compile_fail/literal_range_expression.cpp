// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// An integer literal outside the tensor's dtype.
// expect: add: the scalar 300 is outside dtype uint8
// expect: BAD_LINE
namespace w = weft;

w::vector<std::uint8_t> f(const w::vector<std::uint8_t>& a) {
#ifdef BAD
  return a + w::lit<300>;  // BAD
#else
  return a + w::lit<200>;
#endif
}
