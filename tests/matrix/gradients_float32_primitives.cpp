// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "gradients.hpp"

TEST_CASE("op matrix: gradients of primitives ops at float32") {
  weft_test::check_gradients<weft::dtype::float32, false>();
}
