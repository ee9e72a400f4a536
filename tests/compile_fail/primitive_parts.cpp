// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// A primitive whose definition lacks a part; each missing one is named.
// expect: the primitive cube lacks its gradient rule \(vjp, .*\), its SIMD form \(cpu\)
// expect: its CUDA spelling \(cuda\), its reference \(reference\), its doc \(doc\)
// expect: BAD_LINE
namespace w = weft;

struct cube_ final : w::primitive<cube_, "cube", 1> {
#ifndef BAD
  static constexpr auto doc = "x to the third power.";
  static constexpr auto vjp(auto g, auto x, auto) {
    return g * 3 * x * x;
  }
  static auto cpu(auto x) {
    return x * x * x;
  }
  static constexpr auto cuda = "$0 * $0 * $0";
  static auto reference(auto x) {
    return x * x * x;
  }
#endif
};
static_assert(w::detail::complete<cube_>);  // BAD
