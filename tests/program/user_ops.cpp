// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
//
// Ops of a user's own, in a namespace of their own: in expressions, on tensors, in captured
// functions.
#include <weft/weft.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

namespace w = weft;

namespace mine {

inline constexpr struct mish_ final : w::derived<mish_, "mish", 1> {
  static constexpr auto doc = "x * tanh(softplus(x)), elementwise.";
  static constexpr auto body(auto x) { return x * w::tanh(w::softplus(x)); }
} mish;

inline constexpr struct huber_ final : w::derived<huber_, "huber", 3> {
  static constexpr auto doc = "The mean of Huber's loss.";
  static constexpr auto body(auto x, auto y, auto delta) {
    auto d = w::abs(x - y);
    return w::mean(w::where(d < delta, 0.5f * d * d, delta * (d - 0.5f * delta)));
  }
} huber;

inline constexpr struct log_cosh_ final : w::derived<log_cosh_, "log_cosh", 1> {
  static constexpr auto doc = "log(cosh(x)), elementwise, without overflow.";
  static constexpr auto body(auto x) {
    auto a = w::abs(x);
    return a + w::log1p(w::exp(-2.0f * a)) - 0.69314718f;
  }
  /// Its own: one tanh.
  static constexpr auto vjp(auto g, auto x, auto) { return g * w::tanh(x); }
} log_cosh;

/// Rounds; gradients pass as if it did not.
constexpr auto rounded =
    w::custom_vjp([](auto x) { return w::floor(x + 0.5f); }, [](auto g, auto, auto) { return g; });

}  // namespace mine

namespace {
const w::vector<float> X{0.5f, -1, 2}, Y{1, 1, 1};
double mish(double x) {
  return x * std::tanh(std::log1p(std::exp(x)));
}
}  // namespace

TEST_CASE("a derived op of the user's, from both front doors") {
  const w::vector<float> y = mine::mish(X) * 2.0f;
  auto x = w::variable<"x">(X);
  const w::vector<float> g = w::grad(w::sum(mine::mish(x)), x);
  const auto h = w::grad([](auto v) { return w::sum(mine::mish(v)); })(X);
  for (int i = 0; i < 3; ++i) {
    const double at = X(i), d = 1e-5;
    CHECK(y(i) == doctest::Approx(2 * mish(at)).epsilon(1e-5));
    CHECK(g(i) == doctest::Approx((mish(at + d) - mish(at - d)) / (2 * d)).epsilon(1e-4));
    CHECK(h(i) == g(i));
  }
  CHECK(w::explain(mine::mish(X)).kernels == 1);
}

TEST_CASE("with numbers as operands, and itself a captured function") {
  CHECK(float(mine::huber(X, Y, 1.0f)) == doctest::Approx((0.125 + 1.5 + 0.5) / 3));
  const auto [gx, gy] = w::grad<0, 1>(mine::huber)(X, Y, 1.0f);
  CHECK(gx(0) == doctest::Approx(-0.5 / 3));
  CHECK(gx(1) == doctest::Approx(-1.0 / 3));
  CHECK(gy(1) == doctest::Approx(1.0 / 3));
  CHECK(float(w::compile(mine::huber)(X, Y, 1.0f)) == float(mine::huber(X, Y, 1.0f)));
}

TEST_CASE("a gradient of its own") {
  auto x = w::variable<"x">(X);
  const w::vector<float> g = w::grad(w::sum(mine::log_cosh(x)), x), t = w::tanh(X);
  const auto second = w::grad([](auto v) {
    return w::sum(w::grad([](auto u) { return w::sum(mine::log_cosh(u)); })(v));
  })(X);
  for (int i = 0; i < 3; ++i) {
    CHECK(g(i) == t(i));
    CHECK(second(i) == doctest::Approx(1 - double(t(i)) * t(i)));
  }
}

TEST_CASE("custom_vjp in expressions, on tensors and in captured functions") {
  const auto y = mine::rounded(X);
  CHECK(y(0) == 1);
  CHECK(y(2) == 2);
  auto x = w::variable<"x">(X);
  const w::vector<float> g = w::grad(w::sum(mine::rounded(x) * x), x);
  const auto h = w::grad([](auto v) { return w::sum(mine::rounded(v) * v); })(X);
  for (int i = 0; i < 3; ++i) {
    CHECK(g(i) == y(i) + X(i));
    CHECK(h(i) == g(i));
  }
  const w::vector<float> fused = mine::rounded(x * 2.0f) + 1.0f;
  CHECK(fused(1) == -1);
}
