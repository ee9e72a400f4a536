// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// A loop's body returns its state with another dtype.
// expect: fori: the body must return its state with the same dtype and shape: float32 \(\?\) beca
// expect: BAD_LINE
namespace w = weft;

w::vector<float> f(const w::vector<float>& a) {
  auto loop = [](auto x) {
#ifdef BAD
    auto body = [](auto, auto s) { return w::cast<double>(s); };
#else
    auto body = [](auto, auto s) { return s * 2; };
#endif
    return w::fori(5, body, x);  // BAD
  };
  return w::compile(loop)(a);
}
