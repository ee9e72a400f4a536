// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// A variable's name is at most 23 characters long.
// expect: at most 23 characters
// expect: BAD_LINE
namespace w = weft;

w::matrix<float> f(const w::matrix<float>& a) {
#ifdef BAD
  return w::variable<"a_name_that_is_quite_long">(a) + 1;  // BAD
#else
  return w::variable<"a_name_that_is_short">(a) + 1;
#endif
}
