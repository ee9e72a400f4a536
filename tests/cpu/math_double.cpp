// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors

#include "math_check.hpp"

#include <utility>

using namespace math_check;

namespace {

/// Random bits, then `low` to `high` as binary exponents where f has its shape.
template <class F, class G>
void check_double(F f, G g, int low, int high) {
  auto const all = sweep_doubles(f, g, 40000);
  CHECK_MESSAGE(all.ulps <= 4, all.ulps, " ulp at ", all.at);
  auto const shape = sweep_doubles(f, g, 80000, low, high);
  CHECK_MESSAGE(shape.ulps <= 4, shape.ulps, " ulp at ", shape.at);
  auto const edge = sweep_edges<double>(f, g);
  CHECK_MESSAGE(edge.ulps <= 4, edge.ulps, " ulp at ", edge.at);
  CHECK(dependent_lanes<double>(f, 500) == 0);
}

constexpr auto sigmoid_reference = [](long double x) {
  return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
};

double at(auto f, double x) {
  return f(xsimd::batch<double>(x)).get(0);
}

}  // namespace

TEST_CASE("double exp, expm1 and sigmoid") {
  auto const e = WEFT_FUNCTION(exp);
  check_double(e, WEFT_SCALAR(exp), -6, 10);
  CHECK(at(e, 0.0) == 1.0);
  CHECK(std::isfinite(at(e, 709.78)));
  CHECK(at(e, -745.0) > 0.0);
  check_double(WEFT_FUNCTION(expm1), WEFT_SCALAR(expm1), -10, 10);
  check_double(WEFT_FUNCTION(sigmoid), sigmoid_reference, -6, 10);
}

TEST_CASE("double log and log1p") {
  check_double(WEFT_FUNCTION(log), WEFT_SCALAR(log), -2, 2);
  check_double(WEFT_FUNCTION(log1p), WEFT_SCALAR(log1p), -6, 2);
}

TEST_CASE("double sin and cos") {
  check_double(WEFT_FUNCTION(sin), WEFT_SCALAR(sin), -2, 32);
  check_double(WEFT_FUNCTION(cos), WEFT_SCALAR(cos), -2, 32);
  // Doubles next to multiples of pi / 2, where all the leading digits cancel.
  double const near[] = {0x1.921fb54442d18p+0,
                         0x1.921fb54442d18p+1,
                         0x1.2d97c7f3321d2p+2,
                         0x1.6ac5b262ca1ffp+849,
                         6381956970095103.0 * 0x1p797,
                         355.0,
                         710.0,
                         411557987.0,
                         1068966896.0,
                         6167950454.0};
  for (double const x : near) {
    CHECK(ulps(at(WEFT_FUNCTION(sin), x), std::sin(static_cast<long double>(x))) <= 4);
    CHECK(ulps(at(WEFT_FUNCTION(cos), x), std::cos(static_cast<long double>(x))) <= 4);
  }
}

TEST_CASE("double tanh") {
  check_double(WEFT_FUNCTION(tanh), WEFT_SCALAR(tanh), -8, 5);
}

TEST_CASE("double erf and erfc") {
  auto const c = WEFT_FUNCTION(erfc);
  check_double(WEFT_FUNCTION(erf), WEFT_SCALAR(erf), -8, 3);
  check_double(c, WEFT_SCALAR(erfc), -8, 5);
  CHECK(at(c, 27.0) > 0.0);
  CHECK(at(c, -27.0) == 2.0);
}
