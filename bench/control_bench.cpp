// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
//
// What control flow costs: steps of a scan beside a loop by hand, a graph break beside none, and a
// training step with a break beside the same split by hand. Expected: a break below 200 ns, the
// training step within 5%.
#include <weft/weft.hpp>

#include <benchmark/benchmark.h>

#include <cmath>

#include "hand/data.hpp"

namespace {

namespace w = weft;

constexpr w::index_t steps = 1000;

// A state of `width` floats through 1,000 steps: h = h * 0.9 + x.
void scan(benchmark::State& state) {
  const auto width = static_cast<w::index_t>(state.range(0));
  const w::matrix<float> xs = w::full<float>({steps, width}, 0.5);
  w::vector<float> h = w::zeros<float>(width), y = w::zeros<float>(width);
  const auto f = w::compile([](auto h, auto xs) {
    return std::get<0>(w::scan(
        [](auto h, auto x) {
          return std::tuple{h * 0.9f + x, std::tuple{}};
        },
        h, xs));
  });
  for (auto _ : state) {
    f.into(std::tie(y), h, xs);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * steps);
}

void scan_by_hand(benchmark::State& state) {
  const auto width = static_cast<w::index_t>(state.range(0));
  const w::matrix<float> xs = w::full<float>({steps, width}, 0.5);
  w::vector<float> y = w::zeros<float>(width);
  for (auto _ : state) {
    for (w::index_t i = 0; i < width; ++i) y.data()[i] = 0;
    for (w::index_t t = 0; t < steps; ++t) {
      const float* x = xs.data() + t * width;
      float* h = y.data();
      for (w::index_t i = 0; i < width; ++i) h[i] = std::fma(h[i], 0.9f, x[i]);
      benchmark::ClobberMemory();
    }
  }
  state.SetItemsProcessed(state.iterations() * steps);
}

// The same step, called from a C++ loop.
void step_by_step(benchmark::State& state) {
  const auto width = static_cast<w::index_t>(state.range(0));
  const w::matrix<float> xs = w::full<float>({steps, width}, 0.5);
  w::vector<float> h = w::zeros<float>(width);
  const auto f = w::compile([](auto h, auto x) { return h * 0.9f + x; });
  for (auto _ : state) {
    for (w::index_t t = 0; t < steps; ++t) f.into(std::tie(h), h, xs(t, w::all));
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * steps);
}

float seen = 0;

void without_break(benchmark::State& state) {
  const w::vector<float> x = hand::numbers(16, -1, 1, 1);
  w::vector<float> y = x;
  const auto f = w::compile([](auto x) {
    auto y = x * 2.0f;
    return std::tuple{y, y + 1.0f};
  });
  w::vector<float> z = x;
  for (auto _ : state) {
    f.into(std::tie(y, z), x);
    benchmark::ClobberMemory();
  }
}
template <int Breaks>
void with_breaks(benchmark::State& state) {
  const w::vector<float> x = hand::numbers(16, -1, 1, 1);
  w::vector<float> y = x, z = x;
  const auto f = w::compile([](auto x) {
    auto y = x * 2.0f;
    for (int k = 0; k < Breaks; ++k)
      y = w::graph_break(y, "look", [](w::view<const float, 1> v) { seen += v(0); });
    return std::tuple{y, y + 1.0f};
  });
  for (auto _ : state) {
    f.into(std::tie(y, z), x);
    benchmark::ClobberMemory();
  }
}

// A classifier of 64 samples, whose hidden layer is looked at.
template <class T>
struct network {
  w::nn::linear<T> hidden, out;
};
static constexpr network<w::spec> shape{.hidden = w::nn::linear_spec(64, 128),
                                        .out = w::nn::linear_spec(128, 10)};

constexpr auto look = [](w::view<const float, 2> h) { seen += h(0, 0); };

struct batch {
  w::matrix<float> x = w::random::normal<float>(w::random::key(1), 64, 64);
  w::vector<std::int64_t> y = w::vector<std::int64_t>::uninitialized({64});
  batch() {
    for (int i = 0; i < 64; ++i) y(i) = i % 10;
  }
};

template <bool Break>
void training(benchmark::State& state) {
  const auto objective = [](auto const& m, auto x, auto y) {
    auto h = w::relu(m.hidden(x));
    if constexpr (Break) h = w::graph_break(h, "look", look);
    return w::nn::cross_entropy(m.out(h), y);
  };
  auto model = w::init(shape, w::random::key(0));
  auto train = w::training<shape>(objective, w::optim::sgd{.learning_rate = 1e-3f});
  const batch b;
  for (auto _ : state) {
    const float loss = train.step(model, b.x, b.y);
    benchmark::DoNotOptimize(loss);
  }
}

// Three programs and the tape between them by hand: the hidden layer, the loss with its gradients,
// the rest of the gradient and the update, which is sgd's.
void training_split_by_hand(benchmark::State& state) {
  auto model = w::init(shape, w::random::key(0));
  auto momenta = model;
  momenta.hidden.weight *= 0.0f, momenta.hidden.bias *= 0.0f;
  momenta.out.weight *= 0.0f, momenta.out.bias *= 0.0f;
  const batch b;
  const auto first = w::compile(
      [](auto x, auto weight, auto bias) { return w::relu(w::matmul(x, weight) + bias); });
  const auto second =
      w::compile(w::value_and_grad<0, 1, 2>([](auto h, auto weight, auto bias, auto y) {
        return w::nn::cross_entropy(w::matmul(h, weight) + bias, y);
      }));
  const auto third = w::compile([](auto x, auto h, auto gh, auto p, auto m, auto gv, auto gb,
                                   auto rate, auto momentum, auto decay) {
    auto g = w::where(h > 0.0f, gh, 0.0f);
    auto update = [=](auto p, auto g, auto m) {
      auto b = momentum * m + (g + decay * p);
      return std::tuple{p - rate * b, b};
    };
    return std::tuple_cat(update(p.hidden.weight, w::matmul(w::transpose(x), g), m.hidden.weight),
                          update(p.hidden.bias, w::sum(g, w::axis<0>), m.hidden.bias),
                          update(p.out.weight, gv, m.out.weight),
                          update(p.out.bias, gb, m.out.bias));
  });
  w::matrix<float> h, gh, gw;
  w::vector<float> gb;
  w::tensor<float> loss;
  for (auto _ : state) {
    first.into(h, b.x, model.hidden.weight, model.hidden.bias);
    look(h);
    second.into(std::tie(loss, gh, gw, gb), h, model.out.weight, model.out.bias, b.y);
    third.into(
        std::tie(model.hidden.weight, momenta.hidden.weight, model.hidden.bias, momenta.hidden.bias,
                 model.out.weight, momenta.out.weight, model.out.bias, momenta.out.bias),
        b.x, h, gh, model, momenta, gw, gb, 1e-3f, 0.0f, 0.0f);
    benchmark::DoNotOptimize(loss);
  }
}

BENCHMARK(scan)->Name("control/scan_1000_steps")->Arg(16)->Arg(256);
BENCHMARK(step_by_step)->Name("control/calls_1000_steps")->Arg(16)->Arg(256);
BENCHMARK(scan_by_hand)->Name("control/hand_1000_steps")->Arg(16)->Arg(256);
BENCHMARK(without_break)->Name("control/no_break");
BENCHMARK(with_breaks<1>)->Name("control/one_break");
BENCHMARK(with_breaks<4>)->Name("control/four_breaks");
BENCHMARK(training<false>)->Name("control/training");
BENCHMARK(training<true>)->Name("control/training_with_a_break");
BENCHMARK(training_split_by_hand)->Name("control/training_split_by_hand");

}  // namespace
