// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors

#include <doctest/doctest.h>
#include <weft/array/creation.hpp>
#include <weft/compile/evaluate.hpp>

#include "check.hpp"

namespace w = weft;
using op_test::inf;
using op_test::near;

TEST_CASE("log_softmax does not overflow, and keeps -inf exact") {
  const w::matrix<float> a{{1000, 0}, {-inf, 0}};
  CHECK(near(w::eval(w::log_softmax(a)), {0, -1000, -double(inf), 0}));
  const auto x = w::variable<"a">(a);
  const w::matrix<float> weight{{1, 0}, {0, 1}};
  CHECK(
      near(w::eval(w::grad(w::sum(w::where(weight > 0, w::log_softmax(x), 0)), x)), {0, 0, 0, 0}));
}

TEST_CASE("cross entropy") {
  const w::matrix<float> a{{0, -1000}, {-inf, 2}};
  const w::vector<std::int64_t> labels{1, 1};
  const auto x = w::variable<"a">(a);
  const float loss = w::cross_entropy(a, labels);
  CHECK(loss == 500);
  CHECK(near(w::eval(w::grad(w::cross_entropy(x, labels), x)), {0.5, -0.5, 0, 0}));
  const w::vector<std::int64_t> bad{0, 2};
  float untouched = 3;
  CHECK_THROWS_WITH_AS(untouched = w::cross_entropy(a, bad),
                       doctest::Contains("label 2 is out of range for 2 classes"), w::index_error);
  CHECK(untouched == 3);
  const w::vector<std::int64_t> three{0, 1, 0};
  CHECK_THROWS_AS(w::item(w::cross_entropy(a, three)), w::shape_error);
}
