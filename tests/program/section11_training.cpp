// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
//
// Program 5 of the README, as it stands, with the model above it.
#include <weft/weft.hpp>

#include <doctest/doctest.h>

#include "support/captured_output.hpp"

#include <iostream>
#include <sstream>
#include <type_traits>
#include <vector>

namespace w = weft;

namespace {

template <class T>
struct classifier {
  w::nn::linear<T> hidden, out;
  constexpr auto operator()(auto const& x) const { return out(w::relu(hidden(x))); }
};
static constexpr classifier<w::spec> shape{.hidden = w::nn::linear_spec(64, 128),
                                           .out = w::nn::linear_spec(128, 10)};

/// Five batches of noise and labels, over and over: a network of this size learns them by heart.
std::vector<std::pair<w::matrix<float>, w::vector<std::int64_t>>> some_batches() {
  std::vector<std::pair<w::matrix<float>, w::vector<std::int64_t>>> all;
  for (int epoch = 0; epoch < 12; ++epoch)
    for (int k = 0; k < 5; ++k) {
      w::matrix<float> x = w::random::normal<float>(w::random::key(100 + k), 32, 64);
      auto y = w::vector<std::int64_t>::uninitialized({32});
      for (int i = 0; i < 32; ++i) y(i) = (i * 7 + k) % 10;
      all.emplace_back(std::move(x), std::move(y));
    }
  return all;
}

}  // namespace

TEST_CASE("program 5: a training loop") {
  const auto batches = some_batches();
  test_support::captured_output out;

  // clang-format off
  auto objective = [](auto const& model, auto x, auto y) {
    return w::nn::cross_entropy(model(x), y);
  };
  auto model = w::init(shape, w::random::key(0));                            // classifier<float>
  auto train = w::training<shape>(objective, w::optim::adamw{.learning_rate = 1e-3f});
  for (auto [x, y] : batches) {
    float l = train.step(model, x, y);        // forward, backward and update: one program
    std::cout << l << '\n';
  }
  // clang-format on

  std::istringstream losses(out.end());
  std::vector<float> l;
  for (float one; losses >> one;) l.push_back(one);
  REQUIRE(l.size() == 60);
  CHECK(l.front() > 1.5f);
  CHECK(l.back() < 0.75f * l.front());
  CHECK(train.steps() == 60);

  // A rate of 0 takes effect at the next step: the model stays as it is.
  train.optimizer.learning_rate = 0;
  const w::matrix<float> weight = model.hidden.weight;
  const auto& [x, y] = batches[0];
  train.step(model, x, y);
  bool same = true;
  for (w::index_t i = 0; i < weight.size(); ++i)
    same = same && weight.data()[i] == model.hidden.weight.data()[i];
  CHECK(same);

  // The loss is that of the model before the update; a model is a function of tensors, too.
  const float from_step = train.step(model, x, y);
  const float direct = w::nn::cross_entropy(model(x), y);
  CHECK(from_step == doctest::Approx(direct));

  const auto report = explain(train, model, x, y);
  CHECK(report.kernels > 0);
  CHECK(source(train, model, x, y).text.find("matmul of float32") != std::string::npos);
}
