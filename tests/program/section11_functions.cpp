// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
//
// Programs 3 and 4 of the README, as they stand.
#include <weft/weft.hpp>

#include <doctest/doctest.h>

#include "support/captured_output.hpp"

#include <cmath>
#include <iostream>
#include <sstream>

namespace w = weft;

namespace {
// These statements: u and v come from above them.
const w::vector<float> u{0.5f, -1, 2}, v{3, 0.25f, -2};
}  // namespace

TEST_CASE("program 3: transforms of functions compose") {
  // clang-format off
  auto f = [](auto x, auto y) { return w::sum(w::sin(x) * y); };
  auto [value, gx, gy] = w::value_and_grad<0, 1>(f)(u, v);
  auto curvature = w::jvp(w::grad(f));        // forward over reverse: Hessian-vector products
  // clang-format on

  double sum = 0;
  for (int i = 0; i < 3; ++i) {
    sum += std::sin(double(u(i))) * v(i);
    CHECK(gx(i) == doctest::Approx(std::cos(double(u(i))) * v(i)));
    CHECK(gy(i) == doctest::Approx(std::sin(double(u(i)))));
  }
  CHECK(float(value) == doctest::Approx(sum));

  const w::vector<float> du{1, -2, 0.5f}, dv{0.25f, 1, 4};
  const auto [gradient, product] = curvature(u, v, du, dv);
  for (int i = 0; i < 3; ++i) {
    CHECK(gradient(i) == doctest::Approx(gx(i)));
    CHECK(product(i) ==
          doctest::Approx(-std::sin(double(u(i))) * v(i) * du(i) + std::cos(double(u(i))) * dv(i)));
  }
}

TEST_CASE("program 4: compile a function, ask what it became") {
  auto f = [](auto x, auto y) { return w::sum(w::sin(x) * y); };
  test_support::captured_output out;

  // clang-format off
  auto fast = w::compile(f);
  std::cout << w::explain(fast, u, v);
  // clang-format on

  CHECK(out.end().find("1 kernel") != std::string::npos);
  double sum = 0;
  for (int i = 0; i < 3; ++i) sum += std::sin(double(u(i))) * v(i);
  CHECK(float(fast(u, v)) == doctest::Approx(sum));
  // The same of the function as it is, and its loops.
  CHECK(w::explain(f, u, v).kernels == 1);
  std::ostringstream loops;
  loops << w::source(f, u, v);
  CHECK(loops.str().find("sin(") != std::string::npos);
  CHECK(loops.str() == w::source(fast, u, v).text);
}

TEST_CASE("grad means argument 0; vjp and jvp give values first") {
  auto f = [](auto x, auto y) { return x * x * y; };
  auto loss = [](auto x, auto y) { return w::sum(x * x * y); };
  const auto g = w::grad(loss)(u, v);
  const auto [y, gx, gy] = w::vjp(f)(u, v, w::ones<float>(3));
  const auto [same, tangent] = w::jvp(f)(u, v, w::ones<float>(3), w::zeros<float>(3));
  for (int i = 0; i < 3; ++i) {
    CHECK(g(i) == 2 * u(i) * v(i));
    CHECK(y(i) == u(i) * u(i) * v(i));
    CHECK(same(i) == y(i));
    CHECK(gx(i) == g(i));
    CHECK(gy(i) == u(i) * u(i));
    CHECK(tangent(i) == g(i));
  }
}

TEST_CASE("into writes into given tensors") {
  auto both = w::compile([](auto x, auto y) { return std::tuple{x + y, w::sum(x * y)}; });
  w::vector<float> sum = w::zeros<float>(3);
  w::tensor<float> dot;
  const float* place = sum.data();
  both.into(std::tie(sum, dot), u, v);
  CHECK(sum.data() == place);
  CHECK(sum(1) == -0.75f);
  CHECK(float(dot) == 1.5f - 0.25f - 4);
  // In place: an argument may be a result.
  both.into(std::tie(sum, dot), sum, sum);
  CHECK(sum(1) == -1.5f);
  // A view is written, too.
  w::matrix<float> rows = w::zeros<float>(2, 3);
  auto row = rows(1, w::all);
  both.into(std::tie(row, dot), u, v);
  CHECK(rows(0, 0) == 0);
  CHECK(rows(1, 0) == 3.5f);
}

TEST_CASE("numbers are arguments, constants are captured") {
  auto scaled = w::compile([](auto x, auto s) { return x * s + 1; });
  CHECK(scaled(u, 2.0f)(0) == 2);
  CHECK(scaled(u, 4.0f)(0) == 3);
  // Inner functions may capture symbols; loops on values known at capture unroll.
  auto power = w::compile([](auto x, auto y) {
    auto times_y = [y](auto z) { return z * y; };
    for (int i = 0; i < 3; ++i) x = times_y(x);
    return x;
  });
  CHECK(power(u, v)(0) == 0.5f * 27);
  // An expression is an argument like any tensor.
  CHECK(scaled(u + v, 2.0f)(0) == 8);
}
