// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors

#include "math_check.hpp"

#include <utility>

using namespace math_check;

namespace {

template <class F, class G>
void check_float(F f, G g) {
  auto const all = sweep_floats(f, g, 4099);
  CHECK_MESSAGE(all.ulps <= 4, all.ulps, " ulp at ", all.at);
  auto const edge = sweep_edges<float>(f, g);
  CHECK_MESSAGE(edge.ulps <= 4, edge.ulps, " ulp at ", edge.at);
  CHECK(dependent_lanes<float>(f, 500) == 0);
}

constexpr auto float_sigmoid = [](double x) {
  return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
};

float at(auto f, float x) {
  return f(xsimd::batch<float>(x)).get(0);
}

}  // namespace

TEST_CASE("the judge of float results sees one wrong bit, a lost sign and a lost NaN") {
  CHECK(ulps(1.0f, 1.0) <= 0.5);
  CHECK(ulps(std::nextafter(1.0f, 2.0f), 1.0) == doctest::Approx(1));
  CHECK(ulps(0.0f, -0.0) == wrong);
  CHECK(ulps(1.0f, std::nan("")) == wrong);
  CHECK(ulps(std::nanf(""), 1.0) == wrong);
  CHECK(ulps(3e38f, std::numeric_limits<double>::infinity()) == wrong);
  CHECK(dependent_lanes<float>([](auto x) { return x + xsimd::batch<float>(xsimd::hadd(x)); }, 10) >
        0);
}

TEST_CASE("float exp") {
  auto const f = WEFT_FUNCTION(exp);
  check_float(f, WEFT_SCALAR(exp));
  CHECK(at(f, 0.0f) == 1.0f);
  CHECK(at(f, 88.72f) > 3.3e38f);
  CHECK(std::isfinite(at(f, 88.72f)));
  CHECK(at(f, -103.0f) > 0.0f);
}

TEST_CASE("float tanh") {
  auto const f = WEFT_FUNCTION(tanh);
  check_float(f, WEFT_SCALAR(tanh));
  CHECK(at(f, 20.0f) == 1.0f);
  CHECK(std::signbit(at(f, -0.0f)));
}

TEST_CASE("float sigmoid") {
  auto const f = WEFT_FUNCTION(sigmoid);
  check_float(f, float_sigmoid);
  CHECK(at(f, 0.0f) == 0.5f);
  CHECK(at(f, -1000.0f) == 0.0f);
  CHECK(at(f, 1000.0f) == 1.0f);
  CHECK(at(f, -100.0f) > 0.0f);
}

TEST_CASE("float log") {
  auto const f = WEFT_FUNCTION(log);
  check_float(f, WEFT_SCALAR(log));
  CHECK(at(f, 1.0f) == 0.0f);
  CHECK(at(f, -0.0f) == -std::numeric_limits<float>::infinity());
}

TEST_CASE("float sin and cos") {
  check_float(WEFT_FUNCTION(sin), WEFT_SCALAR(sin));
  check_float(WEFT_FUNCTION(cos), WEFT_SCALAR(cos));
  CHECK(std::signbit(at(WEFT_FUNCTION(sin), -0.0f)));
}

TEST_CASE("float expm1 and log1p") {
  auto const e = WEFT_FUNCTION(expm1);
  auto const l = WEFT_FUNCTION(log1p);
  check_float(e, WEFT_SCALAR(expm1));
  check_float(l, WEFT_SCALAR(log1p));
  CHECK(std::signbit(at(e, -0.0f)));
  CHECK(std::signbit(at(l, -0.0f)));
  CHECK(std::isfinite(at(e, 88.72f)));
  CHECK(at(l, -1.0f) == -std::numeric_limits<float>::infinity());
  CHECK(at(l, 1e-30f) == 1e-30f);
}

TEST_CASE("float erf and erfc") {
  auto const e = WEFT_FUNCTION(erf);
  auto const c = WEFT_FUNCTION(erfc);
  check_float(e, WEFT_SCALAR(erf));
  check_float(c, WEFT_SCALAR(erfc));
  CHECK(at(e, 1e-7f) == doctest::Approx(1.128379e-7).epsilon(1e-6));
  CHECK(std::signbit(at(e, -0.0f)));
  CHECK(at(c, 10.0f) > 0.0f);
  CHECK(at(c, -10.0f) == 2.0f);
}
