// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "pointwise.hpp"

TEST_CASE("op matrix: values at int32") {
  weft_test::check_values<weft::dtype::int32>();
}
