// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "gradients.hpp"

TEST_CASE("op matrix: gradients of primitives ops at float64") {
  weft_test::check_gradients<weft::dtype::float64, false>();
}

TEST_CASE("op matrix: gradients of primitives ops against differences") {
  weft_test::check_differences<weft::dtype::float64, false>();
}
