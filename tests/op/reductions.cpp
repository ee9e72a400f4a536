// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors

#include <doctest/doctest.h>
#include <weft/array/creation.hpp>
#include <weft/compile/evaluate.hpp>

#include "check.hpp"

namespace w = weft;
using op_test::inf;
using op_test::list;
using op_test::nan_v;
using op_test::near;

TEST_CASE("var and stddev") {
  const w::matrix<float> a{{1, 2, 4}, {3, 3, 3}};
  CHECK(near(w::eval(w::var(a, w::axis<1>)), {14.0 / 9, 0}));
  CHECK(near(w::eval(w::var(a, w::axis<1>, w::keepdims, w::ddof<1>)), {7.0 / 3, 0}));
  const auto x = w::variable<"a">(a);
  // d / (n std); at a constant 0
  const double s = std::sqrt(14.0 / 9);
  CHECK(near(w::eval(w::grad(w::sum(w::stddev(x, w::axis<1>)), x)),
             {-4 / (9 * s), -1 / (9 * s), 5 / (9 * s), 0, 0, 0}));
  const w::matrix<float> one{{5}};
  CHECK(near(w::eval(w::var(one, w::axis<1>, w::ddof<1>)), {double(nan_v)}));
  const w::vector<double> constant{0.1, 0.1, 0.1};
  const auto c = w::variable<"c">(constant);
  CHECK(list(w::eval(w::grad(w::stddev(c), c))) == std::vector<double>{0, 0, 0});
}

TEST_CASE("var of large, small and distant data") {
  w::vector<float> far = w::zeros<float>(4096);
  double mean = 0, square = 0;
  for (int i = 0; i < 4096; ++i) far.data()[i] = 1e5f + static_cast<float>((i * 37) % 101) / 25;
  for (float f : list(far)) mean += f / 4096;
  for (float f : list(far)) square += (f - mean) * (f - mean) / 4096;
  const float v = w::var(far);
  CHECK(v == doctest::Approx(square).epsilon(1e-5));
  const w::vector<float> big{1e30f, -1e30f}, tiny{1e-30f, -1e-30f};
  const float b = w::stddev(big), t = w::stddev(tiny), n = w::norm(tiny);
  CHECK(b == doctest::Approx(1e30));
  CHECK(t / 1e-30f == doctest::Approx(1));
  CHECK(n / 1e-30f == doctest::Approx(std::sqrt(2.0)));
}

TEST_CASE("the norm's gradient at 0 is 0") {
  const w::matrix<float> a{{3, 4}, {0, 0}};
  const auto x = w::variable<"a">(a);
  CHECK(near(w::eval(w::norm(x, w::axis<1>)), {5, 0}));
  CHECK(near(w::eval(w::grad(w::sum(w::norm(x, w::axis<1>)), x)), {0.6, 0.8, 0, 0}));
}

TEST_CASE("logsumexp at its limits") {
  const w::matrix<float> a{{-inf, 0}, {-inf, -inf}, {inf, 3}, {1000, 1000}};
  CHECK(near(w::eval(w::logsumexp(a, w::axis<1>)),
             {0, -double(inf), double(inf), 1000 + std::log(2.0)}));
  const w::matrix<float> finite{{-inf, 0}, {-inf, -inf}, {1000, 1000}};
  const auto y = w::variable<"b">(finite);
  CHECK(near(w::eval(w::grad(w::sum(w::logsumexp(y, w::axis<1>)), y)), {0, 1, 0, 0, 0.5, 0.5}));
  const w::matrix<float> none = w::zeros<float>(2, 0);
  CHECK(near(w::eval(w::logsumexp(none, w::axis<1>)), {-double(inf), -double(inf)}));
}
