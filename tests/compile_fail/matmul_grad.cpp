// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// An error inside a function that a transform of a transform differentiates.
// expect: matmul: inner extents differ: float32 \(.*\) and float32 \(
// expect: BAD_LINE
namespace w = weft;

float f(const w::tensor<float, 2, 3>& a, const w::tensor<float, 3, 2>& b) {
  static constexpr auto loss = [](auto x, auto m) {
#ifdef BAD
    return w::sum(w::matmul(x, w::transpose(m)));  // BAD
#else
    return w::sum(w::matmul(x, m));
#endif
  };
  auto norm = [](auto x, auto m) {
    auto [value, g] = w::value_and_grad(loss)(x, m);
    return value + w::sum(g);
  };
  return w::compile(w::grad(norm))(a, b)(0, 0);
}
