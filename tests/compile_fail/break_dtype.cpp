// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// A host function that takes another dtype than it is given.
// expect: graph_break: the host function takes float64 of rank 1: got float32 \(\?\)
// expect: BAD_LINE
namespace w = weft;

w::vector<float> f(const w::vector<float>& a) {
  auto g = [](auto x) {
#ifdef BAD
    return w::graph_break(x, "look", [](const w::vector<double>&) {});  // BAD
#else
    return w::graph_break(x, "look", [](const w::vector<float>&) {});
#endif
  };
  return w::compile(g)(a);
}
