// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "pointwise.hpp"

// Values of 16 bits are computed in float: what they add to the float matrix is the way in and out,
// so the primitives are tried at one of the types and the derived ops at the other.
namespace {

/// One rounding, and what float arithmetic leaves to it.
constexpr weft_test::tolerance once(const weft_test::matrix_result& r) {
  return {.ulp = r.exact ? 0.0 : 0.53, .signs = true};
}

}  // namespace

TEST_CASE("op matrix: values at bfloat16") {
  weft_test::check_matrix<weft::dtype::bfloat16, false, false>(once);
}
TEST_CASE("op matrix: values at float16") {
  weft_test::check_matrix<weft::dtype::float16, true, false>([](const auto& r) {
    auto t = once(r);
    t.signs = false;
    return t;
  });
}
