// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// A function that must not break the graph, and does so three times.
// expect: compile<full_graph>: the function breaks the graph 3 times: graph_br.* at BAD_LINE
// expect: ; item .*a scalar is read on the host.* at break_full_graph.cpp:16; branch .*:17
namespace w = weft;

w::vector<float> f(const w::vector<float>& a) {
  auto g = [](auto x) {
    auto same = [](auto x) { return x; };
    auto other = [](auto x) { return -x; };
#ifdef BAD
    auto y = w::graph_break(x, "look", [](const w::vector<float>&) {});  // BAD
    auto scale = w::item(w::sum(y));
    return w::branch(scale > 0, same, other, y);
#else
    return w::cond(w::sum(x) > 0, same, other, x);
#endif
  };
  return w::compile<w::full_graph>(g)(a);
}
