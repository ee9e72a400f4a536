// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "kernel_check.hpp"

#include <weft/array/creation.hpp>
#include <weft/compile/compile.hpp>

// How near sums and spreads of many values are, and that they repeat.
namespace w = weft;
using w::index_t;

namespace {

/// Seeded values of a normal distribution, by sums of twelve.
w::vector<float> bells(index_t n, float mean, float scale) {
  auto x = w::vector<float>::uninitialized({n});
  weft_test::generator g(3);
  for (index_t i = 0; i < n; ++i) {
    double s = -6;
    for (int k = 0; k < 12; ++k) s += g.uniform();
    x.data()[i] = static_cast<float>(mean + scale * s);
  }
  return x;
}
double exact_sum(const w::vector<float>& x, bool absolute = false) {
  long double s = 0;
  for (index_t i = 0; i < x.size(); ++i)
    s += absolute ? std::fabs(static_cast<long double>(x.data()[i])) : x.data()[i];
  return static_cast<double>(s);
}
double exact_var(const w::vector<float>& x) {
  const long double mean = static_cast<long double>(exact_sum(x)) / x.size();
  long double s = 0;
  for (index_t i = 0; i < x.size(); ++i) s += (x.data()[i] - mean) * (x.data()[i] - mean);
  return static_cast<double>(s / x.size());
}

constexpr auto sums = w::compile([](auto x) { return w::sum(x); });
constexpr auto spreads = w::compile([](auto x) { return std::tuple{w::var(x), w::stddev(x)}; });

}  // namespace

TEST_CASE("accuracy: a sum of 1e7 floats is within 1e-6 of the sum of their magnitudes") {
  const index_t n = 10000000;
  auto x = w::vector<float>::uninitialized({n});
  weft_test::generator g(1);
  for (index_t i = 0; i < n; ++i) x.data()[i] = static_cast<float>(g.uniform(-1, 1));
  const double magnitude = exact_sum(x, true);
  CHECK(std::fabs(static_cast<double>(sums(x)) - exact_sum(x)) <= 1e-6 * magnitude);
  for (index_t i = 0; i < n; ++i) x.data()[i] = std::fabs(x.data()[i]) + 0.1f;
  CHECK(std::fabs(static_cast<double>(sums(x)) - exact_sum(x)) <= 1e-6 * exact_sum(x));
  // And again, to the last bit.
  const float first = sums(x);
  CHECK(static_cast<float>(sums(x)) == first);
  // Down columns and along rows alike.
  w::matrix<float> tall = w::zeros<float>(n / 10, 10);
  std::memcpy(tall.data(), x.data(), static_cast<std::size_t>(n) * sizeof(float));
  const auto columns = w::compile([](auto a) { return w::sum(a, w::axis<0>); })(tall);
  double total = 0;
  for (index_t i = 0; i < 10; ++i) total += columns.data()[i];
  CHECK(std::fabs(total - exact_sum(x)) <= 1e-6 * exact_sum(x));
}

TEST_CASE("accuracy: the variance of values far from 0") {
  for (index_t n : {10, 1000, 100003}) {
    const auto x = bells(n, 1e5f, 1);
    const auto [var, deviation] = spreads(x);
    CHECK(static_cast<double>(var) == doctest::Approx(exact_var(x)).epsilon(1e-5));
    CHECK(static_cast<double>(deviation) == doctest::Approx(std::sqrt(exact_var(x))).epsilon(1e-5));
  }
}

TEST_CASE("accuracy: spreads of tiny and huge values") {
  for (float scale : {1e-30f, 1e30f}) {
    const auto x = bells(1000, 0, scale);
    const auto [var, deviation] = spreads(x);
    CHECK(static_cast<double>(deviation) / scale ==
          doctest::Approx(std::sqrt(exact_var(x)) / scale).epsilon(1e-5));
    const float norm = w::norm(x);
    CHECK(norm / scale == doctest::Approx(std::sqrt(1000.0)).epsilon(0.1));
    CHECK(std::isfinite(norm));
    CHECK(norm > 0);
    // 1e60 is no float; 1e-60 rounds to 0.
    CHECK((scale < 1 ? static_cast<float>(var) == 0.0f : std::isinf(static_cast<float>(var))));
  }
}

TEST_CASE("accuracy: softmax and logsumexp of huge logits, and layer norms of distant ones") {
  w::vector<float> x{1000, 0, -1000};
  const w::vector<float> p = w::log_softmax(x);
  CHECK(p(0) == 0);
  CHECK(p(1) == -1000);
  CHECK(p(2) == -2000);
  const w::vector<float> hot = w::softmax(x * 1e14f);
  CHECK(hot(0) == 1);
  CHECK(hot(1) == 0);
  const auto far = bells(4096, 1e4f, 1);
  const w::vector<float> z = w::layer_norm(far);
  const double mean = exact_sum(far) / 4096, deviation = std::sqrt(exact_var(far) + 1e-5);
  double worst = 0;
  for (index_t i = 0; i < 4096; ++i)
    worst = std::max(worst, std::fabs(z(i) - (far(i) - mean) / deviation));
  CHECK(worst < 5e-4);  // half an ulp of the mean
}
