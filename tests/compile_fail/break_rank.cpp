// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// A host function that takes another rank than it is given.
// expect: graph_break: the host function takes float32 of rank 2: got float32 \(\?\)
// expect: BAD_LINE
namespace w = weft;

w::vector<float> f(const w::vector<float>& a) {
  auto g = [](auto x) {
#ifdef BAD
    return w::graph_break(x, "look", [](w::view<const float, 2>) {});  // BAD
#else
    return w::graph_break(x, "look", [](w::view<const float, 1>) {});
#endif
  };
  return w::compile(g)(a);
}
