// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
//
// Value and gradient of sum((x^2+3x)(x-1)/(x^2+1)) against one fused loop. Expected: within 10%.
// Two divisions limit both; the derivative that the rules give has four operations more than the
// one made by hand.
#include <weft/compile/compile.hpp>
#include <weft/grad/transforms.hpp>
#include <weft/op/all.hpp>

#include <benchmark/benchmark.h>

#include "hand/data.hpp"
#include "hand/gradient.hpp"

namespace {

namespace w = weft;

void weft_(benchmark::State& state) {
  auto x = hand::numbers(state.range(0), -3, 3), g = hand::numbers(state.range(0), 0, 1);
  w::tensor<float> value;
  const auto f = w::compile(w::value_and_grad([](auto x) {
    return w::sum((w::square(x) + 3.0f * x) * (x - 1.0f) / (w::square(x) + 1.0f));
  }));
  for (auto _ : state) {
    f.into(std::tie(value, g), x);
    benchmark::ClobberMemory();
  }
}

void hand_(benchmark::State& state) {
  auto x = hand::numbers(state.range(0), -3, 3), g = hand::numbers(state.range(0), 0, 1);
  for (auto _ : state) {
    float value = hand::rational(x.data(), g.data(), static_cast<std::size_t>(state.range(0)));
    benchmark::DoNotOptimize(value);
    benchmark::ClobberMemory();
  }
}

void sizes(benchmark::internal::Benchmark* b) {
  b->Arg(1024)->Arg(65536)->Arg(1048576);
}
BENCHMARK(weft_)->Name("value_and_gradient/weft")->Apply(sizes);
BENCHMARK(hand_)->Name("value_and_gradient/hand")->Apply(sizes);

}  // namespace
