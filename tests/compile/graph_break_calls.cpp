// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/array/creation.hpp>
#include <weft/capture/host.hpp>
#include <weft/compile/control.hpp>
#include <weft/grad/transforms.hpp>
#include <weft/nn/init.hpp>
#include <weft/nn/linear.hpp>
#include <weft/op/square.hpp>
#include <weft/optim/sgd.hpp>
#include <weft/optim/training.hpp>

#include <doctest/doctest.h>
#include <base/allocations.hpp>
#include <support/tensors.hpp>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>

// Calls with C++ code in them: what is thrown, calls within calls, threads, memory.
namespace w = weft;
using namespace weft_test;
using w::index_t;

namespace {

/// Throws when its countdown ends.
struct fragile {
  static inline int calls_left = 0;
  void operator()(w::view<const double, 1>) const {
    if (calls_left-- == 0) throw std::runtime_error("the host function gave up");
  }
};
struct fragile_float {
  void operator()(w::view<const float, 2> x) const {
    if (fragile::calls_left-- == 0)
      throw std::runtime_error("gave up at " + std::to_string(x.extent(0)));
  }
};

double factorial(double n);
constexpr auto factorial_body = [](auto n) {
  return w::graph_break(
      n * 1.0, "recursion", [](double n) -> double { return n <= 1 ? 1 : n * factorial(n - 1); },
      [](double g, double) { return g; });
};
double factorial(double n) {
  return static_cast<double>(w::item(w::compile(factorial_body)(w::tensor<double>(n))));
}

template <class T>
struct line {
  w::nn::linear<T> map;
  constexpr auto operator()(auto const& x) const { return map(x); }
};
static constexpr line<w::spec> shape{.map = w::nn::linear_spec(3, 2)};

template <class M>
std::vector<float> parameters_of(const M& m) {
  std::vector<float> r(m.map.weight.data(), m.map.weight.data() + m.map.weight.size());
  r.insert(r.end(), m.map.bias.data(), m.map.bias.data() + m.map.bias.size());
  return r;
}

}  // namespace

TEST_CASE("exceptions of host functions: no result is written, and the next call works") {
  // The first result is known before the first break, the second between, the third after.
  const auto f = w::compile([](auto x) {
    auto a = x * 2.0;
    auto b = w::graph_break(w::exp(a), "first", fragile{}) + 1.0;
    auto c = w::graph_break(b * b, "second", fragile{}) * 3.0;
    return std::tuple{a, b, c};
  });
  const w::vector<double> x{0, 0};
  w::vector<double> a{7, 7}, b{8, 8}, c{9, 9};
  for (const int left : {0, 1}) {
    CAPTURE(left);
    fragile::calls_left = left;
    CHECK_THROWS_WITH_AS(f.into(std::tie(a, b, c), x), "the host function gave up",
                         std::runtime_error);
    CHECK(holds(a, {7, 7}) == "");
    CHECK(holds(b, {8, 8}) == "");
    CHECK(holds(c, {9, 9}) == "");
  }
  fragile::calls_left = 100;
  f.into(std::tie(a, b, c), x);
  CHECK(holds(a, {0, 0}) == "");
  CHECK(holds(b, {2, 2}) == "");
  CHECK(holds(c, {12, 12}) == "");
  // In place: the argument keeps its values, too.
  const auto twice = w::compile([](auto x) { return w::graph_break(x * 2.0, "look", fragile{}); });
  fragile::calls_left = 0;
  a = {1, 2};
  CHECK_THROWS_AS(twice.into(a, a), std::runtime_error);
  CHECK(holds(a, {1, 2}) == "");
}

TEST_CASE("exceptions of host functions: in bodies, at any step") {
  const auto f = w::compile([](auto x) {
    auto y = w::fori(
        5, [](auto, auto s) { return w::graph_break(s + 1.0, "step", fragile{}); }, x);
    return w::branch(
        w::sum(y) > 0.0, [](auto a) { return w::graph_break(a, "then", fragile{}); },
        [](auto a) { return a; }, y);
  });
  w::vector<double> y{-1};
  const w::vector<double> x{1};
  for (int left = 0; left < 6; ++left) {
    fragile::calls_left = left;
    CHECK_THROWS_AS(f.into(y, x), std::runtime_error);
    CHECK(y(0) == -1);
  }
  fragile::calls_left = 6;
  f.into(y, x);
  CHECK(y(0) == 6);
}

TEST_CASE("exceptions of host functions: a training step leaves the parameters as they were") {
  const auto objective = [](auto const& model, auto x, auto y) {
    return w::mean(w::square(w::graph_break(model(x), "look", fragile_float{}) - y));
  };
  auto model = w::init(shape, w::random::key(1));
  auto train = w::training<shape>(objective, w::optim::sgd{.learning_rate = 0.1f});
  const auto x = w::full<float>({4, 3}, 0.5), y = w::full<float>({4, 2}, 2);
  fragile::calls_left = 1000;
  const float first = train.step(model, x, y);
  const auto before = parameters_of(model);
  fragile::calls_left = 0;
  CHECK_THROWS_WITH(train.step(model, x, y), "gave up at 4");
  CHECK(parameters_of(model) == before);
  fragile::calls_left = 1000;
  const float second = train.step(model, x, y);
  CHECK(second < first);
  CHECK(parameters_of(model) != before);
}

TEST_CASE("calls within calls: a host function may call the function that called it") {
  CHECK(factorial(1) == 1);
  CHECK(factorial(6) == 720);
  CHECK(factorial(10) == 3628800);
}

TEST_CASE("threads: each call has its own tape") {
  static std::atomic<int> calls{0};
  const auto f = w::compile(w::value_and_grad([](auto x) {
    auto y = w::fori(
        4,
        [x](auto, auto s) {
          return w::graph_break(s * x, "count", [](w::view<const double, 1>) { ++calls; });
        },
        x);
    return w::sum(w::branch(
        w::sum(y) > 10.0, [](auto a) { return a * 2.0; }, [](auto a) { return a; }, y));
  }));
  std::atomic<int> wrong{0};
  const auto work = [&](double start) {
    const w::vector<double> x{start, 1};
    const double y = std::pow(start, 5) + 1, k = y > 10 ? 2 : 1;
    for (int i = 0; i < 200; ++i) {
      const auto [value, g] = f(x);
      if (std::fabs(static_cast<double>(w::item(value)) - k * y) > 1e-12 * y ||
          std::fabs(g(0) - k * 5 * std::pow(start, 4)) > 1e-10 * y || g(1) != k * 5)
        ++wrong;
    }
  };
  std::vector<std::thread> threads;
  for (const double start : {0.5, 1.5, 2.0, 3.0}) threads.emplace_back(work, start);
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
  CHECK(calls == 4 * 200 * 4);
}

TEST_CASE("memory: views, numbers and branches cost no allocation, tensors do") {
  static double total = 0;
  const auto f = w::compile([](auto x) {
    auto y = w::graph_break(x * 2.0, "view", [](w::view<const double, 1> v) { total += v(0); });
    y = w::branch(
        w::sum(y) > 0.0, [](auto a) { return a + 1.0; }, [](auto a) { return a; }, y);
    return y * w::item(w::sum(y));
  });
  const auto g = w::compile([](auto x) {
    return w::graph_break(x * 2.0, "tensor", [](const w::vector<double>& v) { total += v(0); });
  });
  const w::vector<double> x{1, 2};
  w::vector<double> y{0, 0};
  const auto allocations_of = [&](const auto& f) {
    f.into(y, x);
    const std::size_t before = weft_test::allocations();
    for (int i = 0; i < 3; ++i) f.into(y, x);
    return weft_test::allocations() - before;
  };
  CHECK(allocations_of(f) == 0);
  CHECK(holds(y, {24, 40}) == "");
  CHECK(allocations_of(g) > 0);
  CHECK(total == 4 * 2 + 4 * 2);
}
