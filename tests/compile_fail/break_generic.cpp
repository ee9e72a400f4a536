// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// A host function that does not say what it takes.
// expect: graph_break: the host function names the type of its tensor
// expect: BAD_LINE
namespace w = weft;

w::vector<float> f(const w::vector<float>& a) {
  auto g = [](auto x) {
#ifdef BAD
    return w::graph_break(x * 2, "look", [](const auto&) {});  // BAD
#else
    return w::graph_break(x * 2, "look", [](w::view<const float, 1>) {});
#endif
  };
  return w::compile(g)(a);
}
