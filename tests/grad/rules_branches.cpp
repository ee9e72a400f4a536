// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <doctest/doctest.h>

#include <weft/grad/transforms.hpp>

#include "../support/gradients.hpp"

// Gradient conventions: branches that are not selected, and cotangents of zero. In both directions.
namespace w = weft;
using namespace weft_test;

namespace {

/// d f(x) by reverse and by forward mode at one number; they must agree.
template <class F>
double slope(F f, double x) {
  const double back = number(w::grad(f), x);
  const double forth = static_cast<double>(results(w::jvp(f), x, 1.0)[1][0]);
  CHECK(difference(scalar(forth), scalar(back), {.relative = 1e-12}) == "");
  return back;
}
template <class F>
double slope32(F f, float x) {
  return static_cast<double>(result(w::grad(f), scalar(x, dtype::float32))[0]);
}

}  // namespace

TEST_CASE("gradient: a branch that is not selected contributes exactly 0") {
  CHECK(slope([](auto x) { return w::where(x <= 0, w::exp(x), 1 + x); }, 1000) == 1);
  CHECK(slope([](auto x) { return w::where(x > 0, w::sqrt(x), x); }, -1) == 1);
  CHECK(slope([](auto x) { return w::where(x > 0, w::sqrt(2 * x), 0); }, -1) == 0);
  CHECK(slope([](auto x) { return w::where(x > 0, w::log(x), 2 * x); }, 0) == 2);
  CHECK(slope([](auto x) { return w::where(x > 0, 1 / x, x * 3); }, 0) == 3);
  CHECK(slope32([](auto x) { return w::where(x < 1e30f, x * x * x * x, x); }, 1e38f) == 1);
  CHECK(slope32([](auto x) { return w::where(x < 1e30f, w::square(w::square(x)), x); }, 1e38f) ==
        1);
  CHECK(slope([](auto x) { return w::where(x > 0, x, w::where(x < -5, x, w::exp(-1000 * x))); },
              7) == 1);
  CHECK(slope([](auto x) { return w::where(x > 0, w::where(x > 1, x * x, w::exp(1e6 * x)), x); },
              2) == 4);
}

TEST_CASE("gradient: a value that two branches share receives both parts") {
  CHECK(slope(
            [](auto x) {
              const auto e = w::exp(x);
              return w::where(x > 500, x, e) + w::where(x > 500, 2 * x, e * e);
            },
            1000) == 3);
  const auto both = [](auto x) {
    const auto s = x * x;
    return w::where(x > 0, s * 2, s * s) + s;
  };
  CHECK(slope(both, 3) == 18);
  CHECK(slope(both, -2) == 4 * -8 - 4);
}

TEST_CASE("gradient: masked elements of a vector") {
  const auto f = [](auto x) { return w::sum(w::where(x > 0, w::log(x), -x)); };
  CHECK(difference(result(w::grad(f), vector_of({2, 0, -1, 4})), {0.5, -1, -1, 0.25}) == "");
  // The mask also holds where the branch reads a reduction.
  const auto g = [](auto x) { return w::sum(w::where(x > 0, x, 1 / (w::sum(x) - 3))); };
  CHECK(difference(result(w::grad(g), vector_of({1, 2})), {1, 1}) == "");
}

TEST_CASE("gradient: a zero cotangent stays 0 through derivatives that are not finite") {
  // A rule of reverse mode: a tangent that is infinite stays so.
  CHECK(number(w::grad([](auto x) { return 0 * w::sqrt(x); }), 0.0) == 0);
  CHECK(number(w::grad([](auto x) { return 0 * w::log(x); }), 0.0) == 0);
  CHECK(number(w::grad([](auto x) { return w::exp(x) * 0; }), 1000.0) == 0);
  CHECK(number(w::grad([](auto x) { return w::rsqrt(x) * 0; }), 0.0) == 0);
  CHECK(std::isinf(slope([](auto x) { return w::sqrt(x); }, 0)));
  CHECK(slope([](auto x) { return w::sqrt(x); }, 0) > 0);
  CHECK(
      difference(result(w::grad([](auto x) { return w::sum(w::sqrt(x) * x); }), vector_of({0, 4})),
                 {0, 3}) == "");
}

TEST_CASE("gradient: a quotient of 0 by a divisor whose reciprocal is infinite") {
  const auto f = [](auto y) { return 0 / y; };
  CHECK(slope32(f, 1e-39f) == 0);
  CHECK(slope32(f, -1e-39f) == 0);
  CHECK(slope32([](auto y) { return 1e-10f / y; }, 2) == doctest::Approx(-2.5e-11));
  CHECK(std::isinf(slope32([](auto x) { return x / 1e-39f; }, 0)));
}

TEST_CASE("gradient: second derivatives at a zero cotangent") {
  const auto f = [](auto x) { return w::square(w::exp(x) - 1); };
  CHECK(slope(w::grad(f), 0) == 2);
  CHECK(slope(w::grad([](auto x) { return w::square(w::log(x)); }), 1) == 2);
}

TEST_CASE("gradient: kinks") {
  CHECK(slope([](auto x) { return w::abs(x); }, 0) == 0);
  CHECK(slope([](auto x) { return w::abs(x); }, -2) == -1);
  CHECK(slope([](auto x) { return w::relu(x); }, 0) == 0);
  CHECK(slope([](auto x) { return w::relu(x); }, 2) == 1);
  CHECK(slope([](auto x) { return w::sign(x); }, 0) == 0);
  CHECK(slope([](auto x) { return w::floor(x) + x; }, 1.5) == 1);
  CHECK(slope([](auto x) { return w::floor_divide(x, 0.5) + x; }, 1.7) == 1);
  CHECK(slope([](auto x) { return w::remainder(x, 0.5); }, 1.7) == 1);
  CHECK(slope([](auto x) { return w::cast<double>(w::cast<std::int32_t>(x)) + x; }, 1.7) == 1);
}

TEST_CASE("gradient: sigmoid keeps its tails") {
  const auto f = [](auto x) { return w::sigmoid(x); };
  CHECK(slope(f, -1000) == 0);
  CHECK(slope(f, 1000) == 0);
  CHECK(slope(f, 0) == 0.25);
}
