// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
//
// Softmax over rows. Expected: weft within 5% of the hand-written loop.
#include <weft/compile/compile.hpp>
#include <weft/op/all.hpp>

#include <benchmark/benchmark.h>

#include <Eigen/Core>

#include "hand/data.hpp"
#include "hand/softmax.hpp"

namespace {

namespace w = weft;

struct inputs {
  w::matrix<float> x, y;
  explicit inputs(const benchmark::State& state)
      : x(hand::table(state.range(0), state.range(1), -5, 5)),
        y(hand::table(state.range(0), state.range(1), 0, 1)) {}
};

void weft_(benchmark::State& state) {
  inputs d(state);
  const auto softmax = w::compile([](auto x) { return w::softmax(x); });
  for (auto _ : state) {
    softmax.into(std::tie(d.y), d.x);
    benchmark::ClobberMemory();
  }
}

void hand_(benchmark::State& state) {
  inputs d(state);
  for (auto _ : state) {
    hand::softmax(d.x.data(), d.y.data(), static_cast<std::size_t>(state.range(0)),
                  static_cast<std::size_t>(state.range(1)));
    benchmark::ClobberMemory();
  }
}

void eigen_(benchmark::State& state) {
  inputs d(state);
  using array = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::Map<array> x(d.x.data(), state.range(0), state.range(1)),
      y(d.y.data(), state.range(0), state.range(1));
  for (auto _ : state) {
    for (Eigen::Index r = 0; r < x.rows(); ++r) {
      y.row(r) = (x.row(r) - x.row(r).maxCoeff()).exp();
      y.row(r) /= y.row(r).sum();
    }
    benchmark::ClobberMemory();
  }
}

void sizes(benchmark::internal::Benchmark* b) {
  b->Args({64, 10})->Args({64, 100})->Args({1024, 1024});
}
BENCHMARK(weft_)->Name("softmax/weft")->Apply(sizes);
BENCHMARK(hand_)->Name("softmax/hand")->Apply(sizes);
BENCHMARK(eigen_)->Name("softmax/eigen")->Apply(sizes);

}  // namespace
