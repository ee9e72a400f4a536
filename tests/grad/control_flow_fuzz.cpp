// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <doctest/doctest.h>

#include "../support/control.hpp"
#include "../support/random_flow.hpp"

// Random nests of loops, conditions and derivatives against the same unrolled.
using namespace weft_test;

TEST_CASE("control flow: random nests have the derivatives of what they stand for") {
  const auto x = vector_of({0.5, -0.25, 0.75});
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    const int depth = seed % 3 == 0 ? 2 : 1;
    CHECK(flow_difference(random_program{seed, depth, true}, random_program{seed, depth, false},
                          x) == "");
  }
}
