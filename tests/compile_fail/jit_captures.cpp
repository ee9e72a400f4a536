// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#define WEFT_JIT_ELSEWHERE
#include <weft/jit.hpp>

// jit compares what a function captures by its bytes.
// expect: jit: what a function captures is compared by its bytes, so it must be trivially copyable
// expect: BAD_LINE
namespace w = weft;

w::vector<float> f(const w::vector<float>& a) {
#ifdef BAD
  const w::vector<float> scale{1, 2};
#else
  const float scale = 2;
#endif
  const auto by = [scale](auto x) {
    static_cast<void>(scale);
    return x * 2.0f;
  };
  return w::jit(by)(a);  // BAD
}
