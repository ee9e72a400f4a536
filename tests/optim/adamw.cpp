// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/array/creation.hpp>
#include <weft/optim/adamw.hpp>
#include <weft/optim/training.hpp>

#include <doctest/doctest.h>
#include <base/allocations.hpp>

#include <cmath>
#include <vector>

namespace w = weft;

namespace {

template <class T>
struct point {
  w::leaf<T, 1> at;
};
constexpr point<w::spec> shape{.at = {{5}, w::initializer::ones, 1}};

/// Half the squared distance: the gradient is at - x.
constexpr auto objective = [](auto const& model, auto x) {
  return w::sum(w::square(model.at - x)) / 2;
};

/// The algorithm as its paper writes it, one parameter at a time, in double.
struct reference {
  double p, m = 0, v = 0;
  void step(double g, int t, double rate, const w::optim::adamw& o) {
    const double b1 = o.beta1, b2 = o.beta2;
    m = b1 * m + (1 - b1) * g;
    v = b2 * v + (1 - b2) * g * g;
    const double mean = m / (1 - std::pow(b1, t)), deviation = std::sqrt(v / (1 - std::pow(b2, t)));
    p -= rate * (mean / (deviation + o.epsilon) + o.weight_decay * p);
  }
};

}  // namespace

TEST_CASE("adamw takes the steps of its paper; a new rate counts from the next step") {
  const w::vector<float> x{3, -2, 0.5f, 1e-4f, 100};
  point<w::parameters> model{.at = {1, 1, 1, -1, 0}};
  auto train =
      w::training<shape>(objective, w::optim::adamw{.learning_rate = 0.1f, .weight_decay = 0.05f});
  std::vector<reference> want;
  for (w::index_t i = 0; i < 5; ++i) want.push_back({model.at(i)});
  for (int t = 1; t <= 30; ++t) {
    CAPTURE(t);
    if (t == 11) train.optimizer.learning_rate = 0.01f;
    if (t == 21) train.optimizer.beta1 = 0.5f;
    double before = 0;
    for (std::size_t i = 0; i < 5; ++i) {
      const double d = want[i].p - x(static_cast<w::index_t>(i));
      before += d * d / 2;
    }
    const float loss = train.step(model, x);
    CHECK(loss == doctest::Approx(before).epsilon(1e-6));
    for (std::size_t i = 0; i < 5; ++i) {
      auto& r = want[i];
      r.step(r.p - x(static_cast<w::index_t>(i)), t, train.optimizer.learning_rate,
             train.optimizer);
      CHECK(model.at(static_cast<w::index_t>(i)) == doctest::Approx(r.p).epsilon(2e-6));
    }
  }
  CHECK(train.steps() == 30);
}

TEST_CASE("a step allocates nothing after the first") {
  const w::vector<float> x{3, -2, 0.5f, 1e-4f, 100};
  point<w::parameters> model{.at = {1, 1, 1, -1, 0}};
  auto train = w::training<shape>(objective, w::optim::adamw{});
  train.step(model, x);
  const float* const place = model.at.data();
  const std::size_t before = weft_test::allocations();
  float loss = 0;
  for (int t = 0; t < 3; ++t) loss = train.step(model, x);
  CHECK(weft_test::allocations() == before);
  CHECK(model.at.data() == place);
  CHECK(loss > 0);
}

TEST_CASE("a copy of a training goes on by itself") {
  const w::vector<float> x{3, -2, 0.5f, 1e-4f, 100};
  point<w::parameters> model{.at = {1, 1, 1, -1, 0}};
  auto train = w::training<shape>(objective, w::optim::adamw{});
  train.step(model, x);
  auto other = train;
  auto model2 = model;
  train.step(model, x);
  other.step(model2, x);
  for (w::index_t i = 0; i < 5; ++i) CHECK(model.at(i) == model2.at(i));
  other.step(model2, x);
  CHECK(train.steps() == 2);
  CHECK(other.steps() == 3);
  CHECK(model.at(4) != model2.at(4));
}

TEST_CASE("a model of another shape is refused, unchanged") {
  point<w::parameters> model{.at = {1, 2, 3}};
  auto train = w::training<shape>(objective, w::optim::adamw{});
  CHECK_THROWS_WITH_AS(train.step(model, w::vector<float>{0, 0, 0}),
                       "weft: training: parameter 0 of the model has shape (3), but its shape in "
                       "training<shape> is (5)",
                       w::shape_error);
  CHECK(model.at(2) == 3);
  CHECK(train.steps() == 0);
}
