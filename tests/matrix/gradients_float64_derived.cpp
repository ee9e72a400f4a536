// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "gradients.hpp"

TEST_CASE("op matrix: gradients of derived ops at float64") {
  weft_test::check_gradients<weft::dtype::float64, true>();
}

TEST_CASE("op matrix: gradients of derived ops against differences") {
  weft_test::check_differences<weft::dtype::float64, true>();
}
