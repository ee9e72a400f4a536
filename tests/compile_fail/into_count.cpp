// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// As many tensors as the function has results.
// expect: as many tensors as the function has results
// expect: BAD_LINE
namespace w = weft;

void f(w::matrix<float>& y, w::matrix<float>& z, const w::matrix<float>& a) {
  auto g = w::compile([](auto x) { return x * 2; });
#ifdef BAD
  g.into(std::tie(y, z), a);  // BAD
#else
  g.into(std::tie(y), a);
#endif
  static_cast<void>(z);
}
