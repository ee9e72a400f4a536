// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
//
// The pointwise chain tanh(a*b+c)*sigmoid(a)-b. Expected: weft within 5% of the hand-written loop.
#include <weft/compile/evaluate.hpp>
#include <weft/op/all.hpp>

#include <benchmark/benchmark.h>

#include <Eigen/Core>

#include "hand/chain.hpp"
#include "hand/data.hpp"

namespace {

namespace w = weft;

struct inputs {
  w::vector<float> a, b, c, y;
  explicit inputs(w::index_t n)
      : a(hand::numbers(n, -4, 4, 1)),
        b(hand::numbers(n, -2, 2, 2)),
        c(hand::numbers(n, -1, 1, 3)),
        y(hand::numbers(n, 0, 1)) {}
};

void weft_(benchmark::State& state) {
  inputs x(state.range(0));
  for (auto _ : state) {
    x.y = w::tanh(x.a * x.b + x.c) * w::sigmoid(x.a) - x.b;
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void hand_(benchmark::State& state) {
  inputs x(state.range(0));
  for (auto _ : state) {
    hand::chain(x.a.data(), x.b.data(), x.c.data(), x.y.data(),
                static_cast<std::size_t>(state.range(0)));
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void eigen_(benchmark::State& state) {
  inputs x(state.range(0));
  using map = Eigen::Map<Eigen::ArrayXf>;
  map a(x.a.data(), state.range(0)), b(x.b.data(), state.range(0)), c(x.c.data(), state.range(0)),
      y(x.y.data(), state.range(0));
  for (auto _ : state) {
    y = (a * b + c).tanh() * a.logistic() - b;
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void sizes(benchmark::internal::Benchmark* b) {
  b->Arg(1024)->Arg(65536)->Arg(4194304);
}
BENCHMARK(weft_)->Name("chain/weft")->Apply(sizes);
BENCHMARK(hand_)->Name("chain/hand")->Apply(sizes);
BENCHMARK(eigen_)->Name("chain/eigen")->Apply(sizes);

}  // namespace
