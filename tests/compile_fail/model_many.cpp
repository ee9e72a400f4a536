// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// More fields than are counted.
// expect: at most 24 fields
// expect: BAD_LINE
namespace w = weft;

#ifdef BAD
template <class T>
struct layer {
  w::leaf<T, 0> a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, x, y, z;
};
using model = layer<w::spec>;
#else
template <class T>
struct layer {
  w::leaf<T, 0> a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, x, y;
};
using model = layer<w::spec>;
#endif

void f() {
  static constexpr model shape{};
  auto m = w::init(shape, w::random::key(0));  // BAD
  static_cast<void>(m);
}
