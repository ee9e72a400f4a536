// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// The gradient of a host function that returns a tensor, without its backward function.
// expect: grad: the graph break .*sort.* returns a tensor and has no backward function
// expect: BAD_LINE
namespace w = weft;

w::vector<float> f(const w::vector<float>& a) {
  auto loss = [](auto x) {
    auto run = [](const w::vector<float>& x) { return x; };
    auto back = [](const w::vector<float>& g, w::view<const float, 1>) { return g; };
#ifdef BAD
    static_cast<void>(back);
    return w::sum(w::graph_break(x, "sort", run));  // BAD
#else
    return w::sum(w::graph_break(x, "sort", run, back));
#endif
  };
  return w::grad(loss)(a);
}
