// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/array/creation.hpp>
#include <weft/op/sign.hpp>
#include <weft/optim/sgd.hpp>
#include <weft/optim/training.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>

namespace w = weft;

namespace {

template <class T>
struct pair {
  w::leaf<T, 1, double> a;
  w::leaf<T, 0, double> b;
};
constexpr pair<w::spec> shape{.a = {{2}}, .b = {}};

/// The gradients are 3 a and b - c.
constexpr auto objective = [](auto const& model, auto c) {
  return (3 * w::sum(w::square(model.a)) + w::square(model.b - c)) / 2;
};

/// Steps of one size, in the direction of the sign: an optimizer without state.
template <class T>
struct sign_descent_of {
  using value_type = T;
  T learning_rate = w::optim::setting<T>(1e-3f);
  static constexpr std::size_t slots = 0;
  constexpr w::optim::updated<0> update(w::symbol p, w::symbol g, const std::array<w::symbol, 0>&,
                                        w::symbol step) const {
    return {p - learning_rate / step * w::sign(g), {}};
  }
};

struct reference {
  double p, buffer = 0;
  void step(double g, double rate, double momentum, double decay) {
    buffer = momentum * buffer + (g + decay * p);
    p -= rate * buffer;
  }
};

}  // namespace

TEST_CASE("sgd with momentum and weight decay, on a model in double") {
  pair<w::parameters> model{.a = {1, -2}, .b = 0.5};
  auto train = w::training<shape>(
      objective,
      w::optim::sgd_of<double>{.learning_rate = 0.1, .momentum = 0.9, .weight_decay = 0.01});
  reference a0{1}, a1{-2}, b{0.5};
  for (int t = 0; t < 10; ++t) {
    if (t == 5) train.optimizer.momentum = 0.5;
    const double momentum = train.optimizer.momentum;
    const double want = (3 * (a0.p * a0.p + a1.p * a1.p) + (b.p - 4) * (b.p - 4)) / 2;
    const double loss = train.step(model, 4.0);
    CHECK(loss == doctest::Approx(want).epsilon(1e-14));
    a0.step(3 * a0.p, 0.1, momentum, 0.01);
    a1.step(3 * a1.p, 0.1, momentum, 0.01);
    b.step(b.p - 4, 0.1, momentum, 0.01);
    CHECK(model.a(0) == doctest::Approx(a0.p).epsilon(1e-14));
    CHECK(model.a(1) == doctest::Approx(a1.p).epsilon(1e-14));
    CHECK(w::item(model.b) == doctest::Approx(b.p).epsilon(1e-14));
  }
}

TEST_CASE("clipping scales all gradients by one factor where their norm exceeds the limit") {
  pair<w::parameters> model{.a = {1, -2}, .b = 0.5};
  auto train = w::training<shape>(objective, w::optim::sgd_of<double>{.learning_rate = 0.1},
                                  w::clip_by_global_norm{.max_norm = 0.75f});
  double a0 = 1, a1 = -2, b = 0.5;
  for (int t = 0; t < 4; ++t) {
    if (t == 2) train.max_norm = 1e6f;
    train.step(model, 4.0);
    const double norm = std::sqrt(9 * a0 * a0 + 9 * a1 * a1 + (b - 4) * (b - 4));
    // The factor of the whole model is a float.
    const double scale = t < 2 ? 0.75 / norm : 1;
    a0 -= 0.1 * scale * 3 * a0;
    a1 -= 0.1 * scale * 3 * a1;
    b -= 0.1 * scale * (b - 4);
    CHECK(model.a(0) == doctest::Approx(a0).epsilon(1e-6));
    CHECK(model.a(1) == doctest::Approx(a1).epsilon(1e-6));
    CHECK(w::item(model.b) == doctest::Approx(b).epsilon(1e-6));
  }
  // No gradient at all: the norm is 0, the step is none.
  pair<w::parameters> still{.a = {0, 0}, .b = 4.0};
  const double loss = train.step(still, 4.0);
  CHECK(loss == 0);
  CHECK(w::item(still.b) == 4);
}

TEST_CASE("an optimizer of one's own; its step counts from 1") {
  pair<w::parameters> model{.a = {1, -2}, .b = 0.5};
  auto train = w::training<shape>(objective, sign_descent_of<float>{.learning_rate = 0.25f});
  for (int t = 0; t < 3; ++t) train.step(model, 4.0);
  const double moved = 0.25 + 0.25 / 2 + 0.25 / 3;
  CHECK(model.a(0) == doctest::Approx(1 - moved).epsilon(1e-6));
  CHECK(model.a(1) == doctest::Approx(-2 + moved).epsilon(1e-6));
  CHECK(w::item(model.b) == doctest::Approx(0.5 + moved).epsilon(1e-6));
}
