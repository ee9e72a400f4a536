// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/array/creation.hpp>
#include <weft/compile/control.hpp>
#include <weft/compile/explain.hpp>
#include <weft/compile/random.hpp>
#include <weft/grad/checkpoint.hpp>
#include <weft/grad/transforms.hpp>
#include <weft/nn/init.hpp>
#include <weft/nn/linear.hpp>
#include <weft/optim/sgd.hpp>
#include <weft/optim/training.hpp>

#include <doctest/doctest.h>
#include <base/allocations.hpp>
#include <support/gradients.hpp>
#include <support/tensors.hpp>

// Compiled derivatives of control flow, and a recurrent network that learns.
namespace w = weft;
using namespace weft_test;
using w::index_t;

namespace {

/// One step of a network: rows of x are samples.
constexpr auto cell = [](auto h, auto x, auto m) { return w::tanh(w::matmul(h, m) + x); };

template <bool Checkpoint>
struct network {
  /// xs: (time, batch, features); m: (features, features).
  constexpr auto operator()(auto xs, auto h, auto m) const {
    const auto step = [m](auto h, auto x) {
      const auto n = cell(h, x, m);
      return std::tuple{n, w::sum(n * n)};
    };
    if constexpr (Checkpoint) {
      auto [last, ys] = w::scan(w::checkpoint(step), h, xs);
      return w::sum(last * last) + w::sum(ys);
    } else {
      auto [last, ys] = w::scan(step, h, xs);
      return w::sum(last * last) + w::sum(ys);
    }
  }
};

template <class T, bool Checkpoint>
void check_network(double accuracy) {
  const auto xs = filled_tensor<T, 3>({6, 4, 3}, 1, -1, 1);
  const auto h = filled_tensor<T, 2>({4, 3}, 2, -1, 1), m = filled_tensor<T, 2>({3, 3}, 3, -1, 1);
  const auto unrolled = [](auto xs, auto h, auto m) {
    auto total = h.number(0);
    for (int t = 0; t < 6; ++t) {
      h = cell(h, xs.sliced(0, t, 1, 1).reshaped(h.shape()), m);
      total = total + w::sum(h * h);
    }
    return w::sum(h * h) + total;
  };
  const auto expected = results(w::value_and_grad<0, 1, 2>(unrolled), read(xs), read(h), read(m));
  const tolerance near{.relative = accuracy, .absolute = accuracy};
  const auto [value, gx, gh, gm] = w::value_and_grad<0, 1, 2>(network<Checkpoint>{})(xs, h, m);
  CHECK(difference(read(value), expected[0], near) == "");
  CHECK(difference(gx, expected[1], near) == "");
  CHECK(difference(gh, expected[2], near) == "");
  CHECK(difference(gm, expected[3], near) == "");
}

template <class T>
struct recurrent {
  w::nn::linear<T> in, mix, out;
  /// The logit of whether the sum over time of x, (time, batch, 1), is positive: (batch, 1).
  constexpr auto operator()(auto const& xs, auto const& start) const {
    auto [h, none] = w::scan(
        [this](auto h, auto x) {
          return std::tuple{w::tanh(in(x) + mix(h)), std::tuple{}};
        },
        start, xs);
    return out(h);
  }
};
static constexpr recurrent<w::spec> shape{.in = w::nn::linear_spec(1, 8),
                                          .mix = w::nn::linear_spec(8, 8),
                                          .out = w::nn::linear_spec(8, 1)};

constexpr auto mixed = [](auto x) {
  return w::sum(w::fori(
      3,
      [x](auto, auto s) {
        return w::cond(
            w::sum(s) > 1.0, [x](auto s) { return w::sin(s) * x + s; },
            [x](auto s) { return s * s + x; }, s);
      },
      x));
};

}  // namespace

TEST_CASE("compiled gradients of a scan with products") {
  check_network<double, false>(1e-12);
  check_network<double, true>(1e-12);
  check_network<float, false>(1e-4);
}

TEST_CASE("compiled gradients: checkpoint keeps less") {
  const auto xs = filled_tensor<float, 3>({50, 4, 3}, 1);
  const auto h = filled_tensor<float, 2>({4, 3}, 2), m = filled_tensor<float, 2>({3, 3}, 3);
  const w::report kept = w::explain(w::grad<2>(network<false>{}), xs, h, m),
                  again = w::explain(w::grad<2>(network<true>{}), xs, h, m);
  CHECK(again.arena_bytes <= kept.arena_bytes);
  CHECK(kept.breaks.empty());
}

TEST_CASE("compiled gradients: the count of steps does not change the plan") {
  const auto f = w::grad<2>(network<false>{});
  const auto h = w::zeros<float>(4, 3), m = w::full<float>({3, 3}, 0.1);
  const w::report few = w::explain(f, w::zeros<float>(2, 4, 3), h, m),
                  many = w::explain(f, w::zeros<float>(1000, 4, 3), h, m);
  CHECK(few.steps.size() == many.steps.size());
  CHECK(few.kernels == many.kernels);
}

TEST_CASE("compiled second derivatives of loops and conditions") {
  const auto x = filled_tensor<double, 1>({3}, 5), v = filled_tensor<double, 1>({3}, 6);
  const auto hv = [](auto x, auto v) { return std::get<1>(w::jvp(w::grad(mixed))(x, v)); };
  const auto vh = [](auto x, auto v) {
    return w::grad([v](auto x) { return w::sum(w::grad(mixed)(x) * v); })(x);
  };
  const auto expected = result(hv, read(x), read(v));
  const tolerance near{.relative = 1e-12, .absolute = 1e-12};
  CHECK(difference(w::compile(hv)(x, v), expected, near) == "");
  CHECK(difference(w::compile(vh)(x, v), expected, near) == "");
}

TEST_CASE("compiled gradients: vjp, steps that are not taken, and arguments that do not matter") {
  const auto f = [](auto x, auto y) {
    return w::while_loop([](auto s) { return w::sum(s) < 4.0; }, [x](auto s) { return s * x; }, x,
                         w::max_steps<6>) +
           y * 0.0;
  };
  const w::vector<double> two{2, 1}, y{7, 7}, g{1, 10};
  const auto [value, gx, gy] = w::vjp(f)(two, y, g);  // 2, 1 -> 4, 1
  CHECK(difference(read(value), {4, 1}) == "");
  CHECK(difference(read(gx), {4, 20}) == "");
  CHECK(difference(read(gy), {0, 0}) == "");
  const w::vector<double> big{5, 1};
  const auto [same, one, none] = w::vjp(f)(big, y, g);
  CHECK(difference(read(same), {5, 1}) == "");
  CHECK(difference(read(one), {1, 10}) == "");
}

TEST_CASE("training: a recurrent network learns, one program a step, without allocations") {
  const auto objective = [](auto const& model, auto xs, auto start, auto y) {
    return w::mean(w::square(model(xs, start) - y));
  };
  auto model = w::init(shape, w::random::key(1));
  auto train = w::training<shape>(objective, w::optim::sgd{.learning_rate = 0.2f});
  const auto start = w::zeros<float>(16, 8);
  float first = 0, last = 0;
  std::size_t allocated = 0;
  for (int step = 0; step < 150; ++step) {
    const auto xs = filled_tensor<float, 3>({5, 16, 1}, static_cast<std::uint64_t>(step), -1, 1);
    auto y = w::zeros<float>(16, 1);
    for (index_t b = 0; b < 16; ++b)
      for (index_t t = 0; t < 5; ++t) y(b, 0) += xs(t, b, 0) * 0.3f;
    const std::size_t before = weft_test::allocations();
    last = train.step(model, xs, start, y);
    if (step == 0)
      first = last;
    else
      allocated += weft_test::allocations() - before;
  }
  CHECK(first > 0.05f);
  CHECK(last < first / 8);
  CHECK(allocated == 0);
}
