// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "conventions.hpp"

using namespace weft_test;

TEST_CASE("values: NaN") {
  const auto n = many(nan_f), one = many(1.0f);
  CHECK(is_float(w::maximum(n, one), NAN));
  CHECK(is_float(w::maximum(one, n), NAN));
  CHECK(is_float(w::minimum(n, one), NAN));
  CHECK(is_float(w::minimum(one, n), NAN));
  CHECK(is_float(w::clamp(n, 0, 1), NAN));
  CHECK(is_float(w::relu(n), NAN));
  const index_t size = 70;
  for (index_t at : {index_t{0}, index_t{1}, index_t{15}, index_t{16}, index_t{40}, size - 1}) {
    auto x = w::zeros<float>(size);
    x(at) = nan_f;
    CAPTURE(at);
    CHECK(std::isnan(w::item(w::max(x))));
    CHECK(std::isnan(w::item(w::min(x))));
    CHECK(w::item(w::argmax(x)) == at);
    CHECK(w::item(w::argmin(x)) == at);
    x(size - 1) = nan_f;
    CHECK(w::item(w::argmax(x)) == at);
  }
}

TEST_CASE("values: signed zero") {
  const auto p = many(0.0f), m = many(-0.0f);
  CHECK(is_float(w::maximum(m, p), 0.0));
  CHECK(is_float(w::maximum(p, m), 0.0));
  CHECK(is_float(w::minimum(m, p), -0.0));
  CHECK(is_float(w::minimum(p, m), -0.0));
  CHECK(is_float(w::sign(m), -0.0));
  CHECK(is_float(1.0f / m, -HUGE_VAL));
  CHECK(is_float(-p, -0.0));
  CHECK(is_float(w::abs(m), 0.0));
  CHECK(!std::signbit(w::item(w::max(w::vector<float>{-0.0f, 0.0f}))));
  CHECK(std::signbit(w::item(w::min(w::vector<float>{0.0f, -0.0f}))));
}

TEST_CASE("values: rewriting only where it is exact") {
  const auto m = many(-0.0f), n = many(nan_f), i = many(inf_f);
  CHECK(is_float(m + w::lit<0.0f>, 0.0));
  CHECK(is_float(m - w::lit<0.0f>, -0.0));
  CHECK(is_float(m + w::lit<-0.0f>, -0.0));
  CHECK(is_float(m * w::lit<1.0f>, -0.0));
  CHECK(is_float(i * w::lit<0.0f>, NAN));
  CHECK(is_float(i - i, NAN));
  const auto z = w::variable<"z">(i);
  CHECK(is_float(z - z, NAN));
  CHECK(is_float(z / z, NAN));
  CHECK(is_float(n * w::lit<0.0f>, NAN));
}

TEST_CASE("values: floor_divide and remainder of floats by the fmod algorithm") {
  CHECK(is_float(w::floor_divide(many(1.0f), many(0.1f)), 9));
  CHECK(is(w::floor_divide(many(1.0), many(0.1)), 9.0));
  const float r = std::fmod(1e10f, 1e-20f);
  CHECK(is(w::remainder(many(1e10f), many(1e-20f)), r));
  CHECK(r == doctest::Approx(2.64e-21).epsilon(0.01));
  CHECK(is_float(w::remainder(many(-7.0f), many(2.0f)), 1));
  CHECK(is_float(w::remainder(many(7.0f), many(-2.0f)), -1));
  CHECK(is_float(w::remainder(many(7.0f), many(0.0f)), NAN));
  CHECK(is_float(w::remainder(many(inf_f), many(2.0f)), NAN));
}

TEST_CASE("values: functions at their edges") {
  CHECK(is_float(w::erf(many(1e-7f)), std::erf(1e-7)));
  CHECK(is(w::expm1(many(1e-10)), std::expm1(1e-10)));
  CHECK(is(w::log1p(many(1e-10)), std::log1p(1e-10)));
  CHECK(is_float(w::sigmoid(many(1000.0f)), 1));
  CHECK(is_float(w::sigmoid(many(-1000.0f)), 0));
  CHECK(is_float(w::softplus(many(1000.0f)), 1000));
  CHECK(is_float(w::softplus(many(-1000.0f)), 0));
  const float tail = w::item(w::sum(w::gelu(w::full<float>({1}, -6))));
  CHECK(tail == doctest::Approx(-6 * 0.5 * std::erfc(6 / std::sqrt(2.0))).epsilon(1e-5));
  CHECK(is_float(w::exp(many(-100.0f)), std::exp(-100.0f)));  // a denormal
  CHECK(is_float(w::sqrt(many(-1.0f)), NAN));
  CHECK(is_float(w::log(many(0.0f)), -HUGE_VAL));
  CHECK(is_float(w::rsqrt(many(0.0f)), HUGE_VAL));
}

TEST_CASE("values: contraction only of a product with an addition") {
  const float a = 1 + 0x1p-12f, c = -(1 + 0x1p-11f);
  CHECK(is(many(a) * many(a) + many(c), std::fma(a, a, c)));
  CHECK(is(many(c) + many(a) * many(a), std::fma(a, a, c)));
  CHECK(is(many(a) * many(a) - many(-c), std::fma(a, a, c)));
  CHECK(is(many(-c) - many(a) * many(a), -std::fma(a, a, c)));
  // Two products: each is rounded.
  CHECK(is(many(a) * many(a) + many(c) * many(1.0f), 0.0f));
  CHECK(is(many(a) * many(a) - many(-c) * many(1.0f), 0.0f));
}

TEST_CASE("values: clamp") {
  CHECK(is_float(w::clamp(many(0.5f), 2, 1), 1));
  CHECK(is_float(w::clamp(many(5.0f), 2, 1), 1));
  CHECK(is_float(w::clamp(many(-5.0f), many(-1.0f), many(1.0f)), -1));
}
