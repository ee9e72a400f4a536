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

TEST_CASE("clamp: the bounds, and 1 as the gradient on the closed interval") {
  const w::vector<float> x{-2, -1, 0, 1, 2, nan_v}, lo{-1, -1, 3, nan_v, -1, 0},
      hi{1, 1, 2, 1, 1, 1};
  CHECK(near(w::eval(w::clamp(x, lo, hi)), {-1, -1, 2, double(nan_v), 1, double(nan_v)}));
  const auto v = w::variable<"x">(x);
  const w::vector<float> g = w::grad(w::sum(w::clamp(v, -1, 1)), v);
  CHECK(list(g) == std::vector<float>{0, 1, 1, 1, 0, 1});
}

TEST_CASE("gelu keeps its tail") {
  const w::vector<float> x{-10, -6, -1, 0, 1, 6};
  const auto v = w::variable<"x">(x);
  std::vector<double> exact, slope, tanh_form;
  for (float f : list(x)) {
    const double t = f, phi = std::exp(-t * t / 2) / std::sqrt(2 * std::acos(-1.0));
    exact.push_back(0.5 * t * std::erfc(-t / std::sqrt(2.0)));
    slope.push_back(0.5 * std::erfc(-t / std::sqrt(2.0)) + t * phi);
    const double u = std::sqrt(2 / std::acos(-1.0)) * (t + 0.044715 * t * t * t);
    tanh_form.push_back(t / (1 + std::exp(-2 * u)));
  }
  CHECK(near(w::eval(w::gelu(v)), exact, 1e-5));
  CHECK(near(w::eval(w::grad(w::sum(w::gelu(v)), v)), slope, 1e-5));
  CHECK(near(w::eval(w::gelu_tanh(x)), tanh_form, 3e-5));
}

TEST_CASE("silu and softplus in both tails") {
  const w::vector<float> x{-1000, -30, 0, 30, 1000};
  const auto v = w::variable<"x">(x);
  const double e = std::exp(-30.0);
  CHECK(near(w::eval(w::softplus(v)), {0, std::log1p(e), std::log(2.0), 30, 1000}));
  CHECK(near(w::eval(w::grad(w::sum(w::softplus(v)), v)), {0, e / (1 + e), 0.5, 1, 1}));
  CHECK(near(w::eval(w::silu(x)), {0, -30 * e / (1 + e), 0, 30 / (1 + e), 1000}));
}

TEST_CASE("logical ops count numbers as true where they are not 0") {
  const w::vector<float> a{0, 1, nan_v, -0.0f};
  const w::vector<bool> b{true, true, false, false};
  CHECK(list(w::eval(w::logical_and(a, b))) == std::vector<bool>{false, true, false, false});
  CHECK(list(w::eval(w::logical_or(a, b))) == std::vector<bool>{true, true, true, false});
  CHECK(list(w::eval(w::logical_xor(a, b))) == std::vector<bool>{true, false, true, false});
  CHECK(list(w::eval(w::where(b, 2.5f, 1.0f))) == std::vector<float>{2.5f, 2.5f, 1, 1});
}

TEST_CASE("an unselected branch contributes exactly 0") {
  const w::vector<float> x{1000, -1, 0};
  const auto v = w::variable<"x">(x);
  const w::vector<float> g = w::grad(w::sum(w::where(v <= 0, w::exp(v), 1 + v)), v);
  CHECK(near(g, {1, std::exp(-1.0), 1}));
  const w::vector<float> h = w::grad(w::sum(w::where(v > 0, w::sqrt(2 * v), 0)), v);
  CHECK(near(h, {1 / std::sqrt(2000.0), 0, 0}));
}

TEST_CASE("stop_gradient and mse") {
  const w::vector<double> x{1, 2}, y{0, 4};
  const auto v = w::variable<"x">(x);
  CHECK(list(w::eval(w::grad(w::sum(v * w::stop_gradient(v)), v))) == std::vector<double>{1, 2});
  const double loss = w::mse(x, y);
  CHECK(loss == 2.5);
  CHECK(list(w::eval(w::grad(w::mse(v, y), v))) == std::vector<double>{1, -2});
}
