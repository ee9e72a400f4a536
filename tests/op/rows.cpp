// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors

#include <doctest/doctest.h>
#include <weft/array/creation.hpp>
#include <weft/compile/evaluate.hpp>

#include "check.hpp"

namespace w = weft;
using op_test::inf;
using op_test::nan_v;
using op_test::near;

TEST_CASE("softmax and its gradient") {
  const w::matrix<float> a{{0, 1, 2}, {1e14f, 3e14f, 2e14f}, {-inf, 0, 0}, {-inf, -inf, -inf}};
  const double e = std::exp(1.0), s = 1 + e + e * e;
  CHECK(near(w::eval(w::softmax(a)),
             {1 / s, e / s, e * e / s, 0, 1, 0, 0, 0.5, 0.5, nan_v, nan_v, nan_v}));
  const w::matrix<float> b{{0, 0}, {1, 0}, {2, 0}}, weight{{1, 0}, {0, 0}, {0, 0}};
  const auto x = w::variable<"b">(b);
  const double p = 1 / s, q = e / s, r = e * e / s;
  CHECK(near(w::eval(w::grad(w::sum(w::softmax(x, w::axis<0>) * weight), x)),
             {p * (1 - p), 0, -p * q, 0, -p * r, 0}, 2e-6));
}

TEST_CASE("layer_norm and rms_norm, with gradients as finite differences have them") {
  const w::matrix<double> a{{1, 2, 4}, {-3, 0.5, 1}}, weight{{1, -2, 0.5}, {2, 1, -1}};
  const auto x = w::variable<"a">(a);
  const auto layer = [&](const w::matrix<double>& m) {
    return w::item(w::sum(w::layer_norm(m) * weight));
  };
  const auto rms = [&](const w::matrix<double>& m) {
    return w::item(w::sum(w::rms_norm(m) * weight));
  };
  const w::matrix<double> g = w::grad(w::sum(w::layer_norm(x) * weight), x);
  const w::matrix<double> h = w::grad(w::sum(w::rms_norm(x) * weight), x);
  for (int i = 0; i < 6; ++i) {
    w::matrix<double> up = a, down = a;
    up.data()[i] += 1e-6;
    down.data()[i] -= 1e-6;
    CHECK(g.data()[i] == doctest::Approx((layer(up) - layer(down)) / 2e-6).epsilon(1e-5));
    CHECK(h.data()[i] == doctest::Approx((rms(up) - rms(down)) / 2e-6).epsilon(1e-5));
  }
  const w::vector<double> scale{1, 2, 3}, shift{0, 0, 1};
  const w::matrix<double> n = w::layer_norm(a, scale, shift);
  const double mean = 7.0 / 3, root = std::sqrt(14.0 / 9 + 1e-5);
  CHECK(n(0, 2) == doctest::Approx((4 - mean) / root * 3 + 1));
}
