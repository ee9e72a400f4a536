// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// A host function with state.
// expect: graph_break: the host function holds no state
// expect: BAD_LINE
namespace w = weft;

w::vector<float> f(const w::vector<float>& a) {
  [[maybe_unused]] static int calls = 0;
  auto g = [](auto x) {
#ifdef BAD
    int n = 0;
    return w::graph_break(x, "count", [n](w::view<const float, 1>) { calls += n; });  // BAD
#else
    return w::graph_break(x, "count", [](w::view<const float, 1>) { ++calls; });
#endif
  };
  return w::compile(g)(a);
}
