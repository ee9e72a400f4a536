// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// Control flow on tensors with a function that captures.
// expect: control flow on tensors: its functions hold no state
// expect: BAD_LINE
namespace w = weft;

w::vector<float> f(const w::vector<float>& a, float rate) {
#ifdef BAD
  auto step = [rate](auto, auto s) { return s * rate; };
  return w::fori(5, step, a);  // BAD
#else
  auto decay = [](auto s, auto r) {
    return w::fori(
        5, [r](auto, auto s) { return s * r; }, s);
  };
  return w::compile(decay)(a, rate);
#endif
}
