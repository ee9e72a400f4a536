// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// A value that a body made is used after the loop.
// expect: a value of a body is used outside of it: return it from the body
// expect: BAD_LINE
namespace w = weft;

w::vector<float> f(const w::vector<float>& a) {
  auto loop = [](auto x) {
    auto last = x;
    auto body = [&last](auto, auto s) {
#ifdef BAD
      last = s * 2;
#endif
      return s + last;
    };
    return w::fori(5, body, x) + last;  // BAD
  };
  return w::compile(loop)(a);
}
