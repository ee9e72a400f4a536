// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
//
// A call on 16 floats: what remains of it is overhead. Expected: below 50 ns over the loop.
#include <weft/compile/compile.hpp>
#include <weft/op/all.hpp>

#include <benchmark/benchmark.h>

#include "hand/chain.hpp"
#include "hand/data.hpp"

namespace {

namespace w = weft;

struct inputs {
  w::vector<float> a = hand::numbers(16, -4, 4, 1), b = hand::numbers(16, -2, 2, 2),
                   c = hand::numbers(16, -1, 1, 3), y = hand::numbers(16, 0, 1);
};

void assignment(benchmark::State& state) {
  inputs x;
  for (auto _ : state) {
    x.y = w::tanh(x.a * x.b + x.c);
    benchmark::ClobberMemory();
  }
}

void static_assignment(benchmark::State& state) {
  inputs x;
  w::tensor<float, 16> a, b, c, y;
  a = x.a * 1.0f;
  b = x.b * 1.0f;
  c = x.c * 1.0f;
  for (auto _ : state) {
    y = w::tanh(a * b + c);
    benchmark::ClobberMemory();
  }
}

void compiled_into(benchmark::State& state) {
  inputs x;
  const auto f = w::compile([](auto a, auto b, auto c) { return w::tanh(a * b + c); });
  for (auto _ : state) {
    f.into(std::tie(x.y), x.a, x.b, x.c);
    benchmark::ClobberMemory();
  }
}

void loop(benchmark::State& state) {
  inputs x;
  for (auto _ : state) {
    hand::tanh_fma(x.a.data(), x.b.data(), x.c.data(), x.y.data(), 16);
    benchmark::ClobberMemory();
  }
}

BENCHMARK(assignment)->Name("overhead/weft/16");
BENCHMARK(static_assignment)->Name("overhead/weft_static/16");
BENCHMARK(compiled_into)->Name("overhead/weft_into/16");
BENCHMARK(loop)->Name("overhead/hand/16");

}  // namespace
