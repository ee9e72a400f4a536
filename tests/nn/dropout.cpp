// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/array/creation.hpp>
#include <weft/nn/dropout.hpp>
#include <weft/nn/init.hpp>
#include <weft/optim/sgd.hpp>
#include <weft/optim/training.hpp>

#include <doctest/doctest.h>
#include <base/allocations.hpp>

namespace w = weft;

namespace {

/// One weight for each of 1,000 inputs, some of which fall out.
template <class T>
struct net {
  w::nn::dropout<T> drop;
  w::leaf<T, 1> weight;
};
constexpr net<w::spec> shape{.drop = w::nn::dropout_spec(0.25f),
                             .weight = {{1000}, w::initializer::ones}};

/// The gradient of a weight is its input where that stayed.
constexpr auto objective = [](auto const& model, auto x, auto key) {
  return w::sum(model.drop(x, key) * model.weight);
};

}  // namespace

TEST_CASE("dropout in a training: the mask of the key, forward and backward, scaled") {
  auto model = w::init(shape, w::random::key(0));
  CHECK(model.drop.rate == 0.25f);
  auto train = w::training<shape>(objective, w::optim::sgd{.learning_rate = 1});
  const auto x = w::ones<float>(1000);
  const w::philox_key keys = w::random::key(7);
  w::vector<float> weight = model.weight;
  for (int t = 0; t < 3; ++t) {
    const w::philox_key key = w::random::fold_in(keys, static_cast<std::uint64_t>(t));
    const float loss = train.step(model, x, key);
    double want = 0;
    int stayed = 0;
    for (w::index_t i = 0; i < 1000; ++i) {
      const bool kept = w::random_float(key, static_cast<std::uint64_t>(i)) >= 0.25f;
      stayed += kept;
      const float gradient = kept ? 1 / 0.75f : 0;
      want += double{gradient} * weight(i);
      CHECK(model.weight(i) == doctest::Approx(weight(i) - gradient).epsilon(1e-6));
    }
    CHECK(loss == doctest::Approx(want).epsilon(1e-5));
    CHECK(std::abs(stayed - 750) < 60);
    weight = model.weight;
  }
  const std::size_t before = weft_test::allocations();
  train.step(model, x, w::random::fold_in(keys, 3));
  CHECK(weft_test::allocations() == before);
}

TEST_CASE("dropout without a key is the identity") {
  const w::nn::dropout<w::parameters> drop{0.5f};
  const auto x = w::full<float>({3}, 2);
  CHECK(drop(x)(1) == 2);
}
