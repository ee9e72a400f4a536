// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// An integer outside the tensor's dtype, in a captured function.
// expect: scalar 300
// expect: BAD_LINE
namespace w = weft;

w::vector<std::uint8_t> f(const w::vector<std::uint8_t>& a) {
#ifdef BAD
  auto g = [](auto x) {
    return x + 300;  // BAD
  };
#else
  auto g = [](auto x) { return x + 200; };
#endif
  return w::compile(g)(a);
}
