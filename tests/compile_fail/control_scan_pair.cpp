// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// A scan's body returns only its state.
// expect: scan: the body returns std::tuple\{carry, y\}
// expect: BAD_LINE
namespace w = weft;

void f(const w::vector<float>& h, const w::matrix<float>& xs) {
  auto loop = [](auto h, auto xs) {
#ifdef BAD
    auto body = [](auto h, auto x) { return h + x; };
#else
    auto body = [](auto h, auto x) { return std::tuple{h + x, std::tuple{}}; };
#endif
    auto [last, none] = w::scan(body, h, xs);  // BAD
    return last;
  };
  w::compile(loop)(h, xs);
}
