// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/optim/schedule.hpp>

#include <doctest/doctest.h>

namespace w = weft;

TEST_CASE("cosine_schedule: a line up, half a cosine down, then flat") {
  const w::optim::cosine_schedule rate{.peak = 0.4f, .warmup = 4, .total = 12, .floor = 0.1f};
  CHECK(rate(0) == doctest::Approx(0.1));
  CHECK(rate(3) == doctest::Approx(0.4));
  CHECK(rate(4) == doctest::Approx(0.4));
  CHECK(rate(6) == doctest::Approx(0.1 + 0.3 * 0.5 * (1 + 0.70710678)));
  CHECK(rate(8) == doctest::Approx(0.25));
  CHECK(rate(12) == 0.1f);
  CHECK(rate(1000) == 0.1f);
  const w::optim::cosine_schedule plain{.peak = 1, .total = 2};
  CHECK(plain(0) == 1);
  CHECK(plain(1) == doctest::Approx(0.5));
  // A warm-up as long as the training: only the line.
  const w::optim::cosine_schedule line{.peak = 1, .warmup = 2, .total = 2};
  CHECK(line(1) == 1);
  CHECK(line(2) == 0);
}

TEST_CASE("step_schedule: a factor every so many steps") {
  const w::optim::step_schedule rate{.peak = 0.5f, .every = 10, .factor = 0.1f};
  CHECK(rate(0) == 0.5f);
  CHECK(rate(9) == 0.5f);
  CHECK(rate(10) == doctest::Approx(0.05));
  CHECK(rate(29) == doctest::Approx(0.005));
}
