// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
//
// Compiled loops against the tile interpreter, which runs the same plans op by op.
#include <weft/jit.hpp>

#include <benchmark/benchmark.h>

#include "hand/data.hpp"

namespace {

namespace w = weft;

/// Ten simple ops: what costs an interpreter the most.
constexpr auto chain10 = [](auto a, auto b, auto c) {
  auto y = (a - b) * c;
  y = w::maximum(y, a) - b * 0.5f;
  y = y / (c + 3.0f);
  return w::minimum(y * y, b) - a;
};
/// Elementary functions among them.
constexpr auto chain = [](auto a, auto b, auto c) {
  return w::tanh(a * b + c) * w::sigmoid(a) - b;
};
/// Four selections by a comparison: first one after the other, then each of two computed values.
constexpr auto selections = [](auto a, auto b, auto c) {
  auto y = a * b + c;
  y = w::where(y > 0.0f, y, y * 0.1f) - b;
  y = w::where(y < -1.0f, c, y);
  y = w::where(y <= b, y * a, a);
  return w::where(y > 0.5f, 0.5f - c, y - c);
};
constexpr auto branches = [](auto a, auto b, auto c) {
  auto y = w::where(a > b, a - c, b * c);
  y = w::where(y < 0.5f, y * 2.0f, y + b);
  y = w::where(y >= c, w::maximum(y, a), y - a);
  return w::where(y == a, b, y * c) + a;
};
constexpr auto normalise = [](auto x) { return w::layer_norm(x); };
constexpr auto softmax = [](auto x) { return w::softmax(x); };
constexpr auto gradient = [](auto x, auto s, auto t) {
  return w::grad<0, 1, 2>(
      [](auto y, auto u, auto v) { return w::sum(w::square(w::layer_norm(y) * u + v)); })(x, s, t);
};

template <class F, class Y, class... X>
void run(benchmark::State& state, const F& f, Y&& results, const X&... x) {
  for (auto _ : state) {
    f.into(results, x...);
    benchmark::ClobberMemory();
  }
}
template <class F, class Make>
void vectors(benchmark::State& state, F f, Make make) {
  const w::index_t n = state.range(0);
  const w::vector<float> a(hand::numbers(n, -4, 4, 1)), b(hand::numbers(n, -2, 2, 2)),
      c(hand::numbers(n, -1, 1, 3));
  auto y = a;
  run(state, make(f), y, a, b, c);
  state.SetItemsProcessed(state.iterations() * n);
}
template <class F, class Make>
void matrices(benchmark::State& state, F f, Make make) {
  const auto x = hand::table(state.range(0), state.range(1), -2, 2);
  auto y = x;
  run(state, make(f), y, x);
  state.SetItemsProcessed(state.iterations() * x.size());
}
template <class Make>
void norm_gradient(benchmark::State& state, Make make) {
  const auto x = hand::table(state.range(0), state.range(1), -2, 2);
  const w::vector<float> s(hand::numbers(state.range(1), 0, 1, 2)), t = s;
  auto gx = x;
  auto gs = s, gt = t;
  run(state, make(gradient), std::tie(gx, gs, gt), x, s, t);
  state.SetItemsProcessed(state.iterations() * x.size());
}

/// A call of almost no work.
template <class Make>
void small_call(benchmark::State& state, Make make) {
  const w::vector<float> a(hand::numbers(8, 0, 1));
  auto y = a;
  run(state, make([](auto x) { return w::exp(x) + 1.0f; }), y, a);
}
/// What a first call costs: every turn captures another constant.
template <class Body>
void capture(benchmark::State& state, Body body) {
  const w::vector<float> a(hand::numbers(8, 0, 1));
  float turn = 0;
  for (auto _ : state) {
    turn += 1;
    benchmark::DoNotOptimize(
        w::jit([turn, body](auto x) { return body(x * turn); }, {.limit = 4})(a));
  }
}
constexpr auto ten_ops = [](auto x) {
  for (int i = 0; i < 5; ++i) x = w::tanh(x) * 0.5f;
  return x;
};
constexpr auto hundred_ops_with_gradient = [](auto x) {
  return w::grad([](auto y) {
    for (int i = 0; i < 50; ++i) y = w::sin(y) * 0.5f;
    return w::sum(y);
  })(x);
};

constexpr auto by_compile = [](auto f) { return w::compile(f); };
constexpr auto by_jit = [](auto f) { return w::jit(f); };

void sizes(benchmark::internal::Benchmark* b) {
  b->Arg(1024)->Arg(65536)->Arg(4194304);
}
void shapes(benchmark::internal::Benchmark* b) {
  b->Args({4096, 16})->Args({1024, 256})->Args({256, 4096});
}
#define WEFT_JIT_BENCH(name, set, how, ...)                        \
  BENCHMARK_CAPTURE(how, name##_compiled, __VA_ARGS__, by_compile) \
      ->Name(#name "/compiled")                                    \
      ->Apply(set);                                                \
  BENCHMARK_CAPTURE(how, name##_jit, __VA_ARGS__, by_jit)->Name(#name "/jit")->Apply(set)

WEFT_JIT_BENCH(chain10, sizes, vectors, chain10);
WEFT_JIT_BENCH(chain, sizes, vectors, chain);
WEFT_JIT_BENCH(selections, sizes, vectors, selections);
WEFT_JIT_BENCH(branches, sizes, vectors, branches);
WEFT_JIT_BENCH(softmax, shapes, matrices, softmax);
WEFT_JIT_BENCH(layer_norm, shapes, matrices, normalise);
BENCHMARK_CAPTURE(norm_gradient, compiled, by_compile)
    ->Name("norm_gradient/compiled")
    ->Apply(shapes);
BENCHMARK_CAPTURE(norm_gradient, jit, by_jit)->Name("norm_gradient/jit")->Apply(shapes);
BENCHMARK_CAPTURE(small_call, compiled, by_compile)->Name("small_call/compiled");
BENCHMARK_CAPTURE(small_call, jit, by_jit)->Name("small_call/jit");
BENCHMARK_CAPTURE(capture, ten_ops, ten_ops)->Name("first_call/10 ops");
BENCHMARK_CAPTURE(capture, hundred_ops, hundred_ops_with_gradient)
    ->Name("first_call/100 ops and their gradient");

}  // namespace
