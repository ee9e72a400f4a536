// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
//
// The first two programs of the README, as they stand.
#include <weft/weft.hpp>

#include <doctest/doctest.h>

#include "support/captured_output.hpp"

#include <cmath>
#include <iostream>
#include <sstream>

namespace w = weft;

TEST_CASE("program 1: lazy expressions") {
  test_support::captured_output out;

  // clang-format off
  w::matrix<float> a = w::random::normal<float>(w::random::key(1), 512, 512);
  w::matrix<float> b = w::ones<float>(512, 512);
  auto e = w::tanh(a * b + 0.5f) / 2.0f;      // nothing has run
  w::matrix<float> y = e;                     // one fused loop
  float total = w::sum(e);                    // fused again: e is never stored
  std::cout << w::explain(e);                 // kernels, bytes, flops
  // clang-format on

  const std::string printed = out.end();
  double expected = 0;
  for (int i = 0; i < 512; i += 73)
    for (int j = 0; j < 512; ++j)
      REQUIRE(y(i, j) == doctest::Approx(std::tanh(double(a(i, j)) + 0.5) / 2).epsilon(1e-6));
  for (w::index_t i = 0; i < a.size(); ++i) expected += std::tanh(double(a.data()[i]) + 0.5) / 2;
  CHECK(total == doctest::Approx(expected).epsilon(1e-5));
  const auto report = w::explain(e);
  CHECK(report.kernels == 1);
  CHECK(report.steps.size() == 1);
  CHECK(w::explain(w::sum(e)).kernels == 1);
  CHECK(printed.find("1 kernel") != std::string::npos);
}

TEST_CASE("program 2: the gradient of an expression is an expression") {
  const w::matrix<float> X = w::random::normal<float>(w::random::key(1), 20, 5);
  w::matrix<float> M = w::random::normal<float>(w::random::key(2), 5, 3);
  const w::matrix<float> Y = w::random::normal<float>(w::random::key(3), 20, 3);
  const w::matrix<float> before = M;

  // clang-format off
  auto x = w::variable<"x">(X);
  auto m = w::variable<"m">(M);
  auto loss = w::mean(w::square(w::matmul(x, m) - Y));
  M -= 0.1f * w::grad(loss, m);
  // clang-format on

  const w::matrix<float> residual = w::matmul(X, before) - Y;
  const w::matrix<float> gradient = w::matmul(w::transpose(X), residual) * (2.0f / 60);
  for (w::index_t i = 0; i < M.size(); ++i)
    CHECK(M.data()[i] ==
          doctest::Approx(before.data()[i] - 0.1f * gradient.data()[i]).epsilon(1e-5));
  // The expression sees the new values.
  const float first = w::item(w::mean(w::square(residual)));
  CHECK(float(loss) < first);
}
