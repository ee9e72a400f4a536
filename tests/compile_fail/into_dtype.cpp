// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// A tensor of another dtype for a result.
// expect: another dtype or rank
// expect: BAD_LINE
namespace w = weft;

void f(w::matrix<float>& y, w::matrix<double>& z, const w::matrix<float>& a) {
  auto g = w::compile([](auto x) { return x * 2; });
#ifdef BAD
  g.into(std::tie(z), a);  // BAD
#else
  g.into(std::tie(y), a);
#endif
  static_cast<void>(y);
  static_cast<void>(z);
}
