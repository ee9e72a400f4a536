// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// A scan's body returns its state with another shape.
// expect: scan: the body must return its state with the same dtype and shape: float32 \(4\) becam
// expect: BAD_LINE
namespace w = weft;

void f(const w::tensor<float, 4>& h, const w::tensor<float, 9, 4>& xs) {
  auto loop = [](auto h, auto xs) {
#ifdef BAD
    auto body = [](auto h, auto x) { return std::tuple{w::sum(h), x}; };
#else
    auto body = [](auto h, auto x) { return std::tuple{h + x, w::sum(h)}; };
#endif
    return w::scan(body, h, xs);  // BAD
  };
  w::compile(loop)(h, xs);
}
