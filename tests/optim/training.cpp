// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/array/creation.hpp>
#include <weft/compile/explain.hpp>
#include <weft/op/take.hpp>
#include <weft/optim/sgd.hpp>
#include <weft/optim/training.hpp>

#include <doctest/doctest.h>
#include <base/allocations.hpp>

#include <array>

namespace w = weft;

namespace {

/// Rows of a table, looked up by number and mapped to another space.
template <class T>
struct lookup {
  w::leaf<T, 2> table;
  std::array<w::leaf<T, 2>, 2> map;
  int unused = 3;
  constexpr auto operator()(const auto& i) const {
    return w::matmul(w::matmul(w::take(table, i), map[0]), map[1]);
  }
};
constexpr lookup<w::spec> shape{.table = {{6, 4}, w::initializer::ones, 1},
                                .map = {{{{4, 3}}, {{3, 2}}}}};

constexpr auto objective = [](auto const& model, auto i, auto y) {
  return w::mean(w::square(model(i) - y));
};

lookup<w::parameters> fresh() {
  lookup<w::parameters> m{w::zeros<float>(6, 4), {w::zeros<float>(4, 3), w::zeros<float>(3, 2)}};
  float v = -1;
  w::detail::each_leaf(m, [&](auto& leaf) {
    for (w::index_t i = 0; i < leaf.size(); ++i) leaf.data()[i] = (v = v > 1 ? -1 : v + 0.17f);
  });
  return m;
}

std::vector<float> values(const lookup<w::parameters>& m) {
  std::vector<float> v;
  w::detail::each_leaf(
      m, [&](const auto& leaf) { v.insert(v.end(), leaf.data(), leaf.data() + leaf.size()); });
  return v;
}

}  // namespace

TEST_CASE("training a model of several leaves lowers the loss, in place") {
  auto model = fresh();
  auto train =
      w::training<shape>(objective, w::optim::sgd{.learning_rate = 0.05f, .momentum = 0.9f});
  const w::vector<std::int32_t> i{0, 2, 5, 5, -1};
  const auto y = w::ones<float>(5, 2);
  const float first = train.step(model, i, y);
  const float* const place = model.table.data();
  const std::size_t before = weft_test::allocations();
  float last = first;
  for (int t = 0; t < 100; ++t) last = train.step(model, i, y);
  CHECK(weft_test::allocations() == before);
  CHECK(last < 1e-3f * first);
  CHECK(model.table.data() == place);
  CHECK(model.table(1, 0) == fresh().table(1, 0));  // never looked up
  // A batch of another size: new memory once.
  const w::vector<std::int32_t> more{0, 2, 5, 5, 1, 1, 0};
  const auto ys = w::ones<float>(7, 2);
  train.step(model, more, ys);
  const std::size_t again = weft_test::allocations();
  train.step(model, more, ys);
  train.step(model, i, y);
  CHECK(weft_test::allocations() == again);
  CHECK(train.steps() == 104);
}

TEST_CASE("a step that throws leaves model, state and count as they were") {
  auto model = fresh(), other = fresh();
  auto train =
      w::training<shape>(objective, w::optim::sgd{.learning_rate = 0.05f, .momentum = 0.9f});
  auto undisturbed = train;
  const w::vector<std::int32_t> i{0, 2, 5, 1, 1};
  const w::vector<std::int32_t> outside{0, 2, 5, 6, 1};
  const auto y = w::ones<float>(5, 2);
  for (int t = 0; t < 2; ++t) {
    const auto before = values(model);
    // The index is found out of range only in the course of the step.
    CHECK_THROWS_AS(train.step(model, outside, y), w::index_error);
    CHECK_THROWS_AS(train.step(model, i, w::ones<float>(5, 3)), w::shape_error);
    CHECK_THROWS_AS(train.step(model, i, w::ones<float>(4, 2)), w::shape_error);
    CHECK(values(model) == before);
    CHECK(train.steps() == t);
    // The state is untouched, too: the next step is that of a training without errors.
    const float a = train.step(model, i, y), b = undisturbed.step(other, i, y);
    CHECK(a == b);
    CHECK(values(model) == values(other));
  }
}

TEST_CASE("inputs may be numbers, views and the parameters themselves") {
  auto model = fresh(), same = fresh();
  auto train = w::training<shape>(objective, w::optim::sgd{.learning_rate = 0.05f});
  auto train2 = train;
  const w::vector<std::int32_t> i{1, 3, 4};
  // y is the last layer itself, read as it was before the step.
  const w::matrix<float> y = same.map[1];
  const float a = train.step(model, i, model.map[1]), b = train2.step(same, i, y);
  CHECK(a == b);
  CHECK(values(model) == values(same));
}

TEST_CASE("explain tells what a step became, and runs nothing") {
  const auto model = fresh();
  const auto train = w::training<shape>(objective, w::optim::sgd{});
  const w::vector<std::int32_t> i{0, 2, 5, 5, 1};
  const w::report r = explain(train, model, i, w::ones<float>(5, 2));
  CHECK(r.captured_nodes > 20);
  CHECK(r.launches() > 5);
  CHECK(r.bytes() > 0);
  CHECK(r.bytes() < r.bytes_unfused);
  CHECK(train.steps() == 0);
  CHECK_THROWS_AS(static_cast<void>(explain(train, model, i, w::ones<float>(5, 3))),
                  w::shape_error);
}
