// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
//
// Layer norm over rows. Expected: weft within 5% of the hand-written loop.
#include <weft/compile/compile.hpp>
#include <weft/op/all.hpp>

#include <benchmark/benchmark.h>

#include <Eigen/Core>

#include "hand/data.hpp"
#include "hand/layer_norm.hpp"

namespace {

namespace w = weft;

struct inputs {
  w::index_t rows, columns;
  w::matrix<float> x, y;
  w::vector<float> weight, bias;
  explicit inputs(const benchmark::State& state)
      : rows(state.range(0)),
        columns(state.range(1)),
        x(hand::table(rows, columns, -1, 3)),
        y(hand::table(rows, columns, 0, 1)),
        weight(hand::numbers(columns, 0, 2, 2)),
        bias(hand::numbers(columns, -1, 1, 3)) {}
};

void weft_(benchmark::State& state) {
  inputs d(state);
  const auto layer_norm =
      w::compile([](auto x, auto weight, auto bias) { return w::layer_norm(x, weight, bias); });
  for (auto _ : state) {
    layer_norm.into(std::tie(d.y), d.x, d.weight, d.bias);
    benchmark::ClobberMemory();
  }
}

void hand_(benchmark::State& state) {
  inputs d(state);
  for (auto _ : state) {
    hand::layer_norm(d.x.data(), d.weight.data(), d.bias.data(), d.y.data(),
                     static_cast<std::size_t>(d.rows), static_cast<std::size_t>(d.columns));
    benchmark::ClobberMemory();
  }
}

void eigen_(benchmark::State& state) {
  inputs d(state);
  using array = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using row = Eigen::Array<float, 1, Eigen::Dynamic>;
  Eigen::Map<array> x(d.x.data(), d.rows, d.columns), y(d.y.data(), d.rows, d.columns);
  Eigen::Map<row> weight(d.weight.data(), d.columns), bias(d.bias.data(), d.columns);
  for (auto _ : state) {
    for (Eigen::Index r = 0; r < x.rows(); ++r) {
      const float mean = x.row(r).mean();
      const float variance = (x.row(r) - mean).square().mean();
      y.row(r) = (x.row(r) - mean) * (1.0f / std::sqrt(variance + 1e-5f)) * weight + bias;
    }
    benchmark::ClobberMemory();
  }
}

void sizes(benchmark::internal::Benchmark* b) {
  b->Args({64, 100})->Args({1024, 768});
}
BENCHMARK(weft_)->Name("layer_norm/weft")->Apply(sizes);
BENCHMARK(hand_)->Name("layer_norm/hand")->Apply(sizes);
BENCHMARK(eigen_)->Name("layer_norm/eigen")->Apply(sizes);

}  // namespace
