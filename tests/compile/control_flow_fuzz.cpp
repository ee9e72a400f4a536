// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/jit.hpp>

#include <doctest/doctest.h>
#include <support/gradients.hpp>
#include <support/random_flow.hpp>
#include <support/tensors.hpp>

// Plans of random nests of control flow, run op by op, against the reference evaluator.
namespace w = weft;
using namespace weft_test;

TEST_CASE("control flow: plans of random nests compute what the reference does") {
  const auto x = filled_tensor<double, 1>({3}, 5, -1, 1);
  const tolerance near{.relative = 1e-11, .absolute = 1e-11};
  for (std::uint64_t seed = 1; seed <= 80; ++seed) {
    CAPTURE(seed);
    const auto f = w::value_and_grad(random_program{seed, seed % 3 == 0 ? 2 : 1, true});
    const auto expected = results(f, read(x));
    for (const bool open : {false, true}) {
      CAPTURE(open);
      const auto [y, g] = w::jit(f, {.dynamic = open})(x);
      const w::tensor<double> value = y;
      const w::vector<double> gradient = g;
      CHECK(difference(value, expected[0], near) == "");
      CHECK(difference(gradient, expected[1], near) == "");
    }
  }
}
