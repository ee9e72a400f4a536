// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <doctest/doctest.h>

#include <weft/array/creation.hpp>
#include <weft/capture/host.hpp>
#include <weft/compile/control.hpp>
#include <weft/compile/evaluate.hpp>

#include <atomic>
#include <thread>
#include <vector>

// Calls from several threads at once: run under ThreadSanitizer by the preset tsan, too.
namespace w = weft;

namespace {

/// Runs f(thread, round) from several threads that start together; counts calls that gave false.
template <class F>
int wrong_of(F f) {
  constexpr int threads = 4, rounds = 25;
  std::atomic<int> ready{0}, wrong{0};
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t)
    all.emplace_back([&, t] {
      ++ready;
      while (ready.load() < threads) std::this_thread::yield();
      for (int r = 0; r < rounds; ++r) wrong += !f(t, r);
    });
  for (std::thread& t : all) t.join();
  return wrong.load();
}

TEST_CASE("threads: the first calls of one function, of several shapes") {
  const auto f = w::compile([](auto x) { return w::sum(w::tanh(x) * x) + w::sum(x); });
  CHECK(wrong_of([&](int t, int r) {
          const w::vector<double> x = w::full<double>({10 + t + r % 3}, 1.);
          const double n = static_cast<double>(x.size());
          return w::item(f(x)) == doctest::Approx(n * (1 + std::tanh(1.)));
        }) == 0);
}

TEST_CASE("threads: gradients through breaks, branches and loops, each call on memory of its own") {
  static std::atomic<int> seen{0};
  seen = 0;
  const auto f = w::compile(w::value_and_grad([](auto x) {
    auto y = w::graph_break(x * 2., "count", [](w::view<const double, 1>) { ++seen; });
    auto z = w::branch(
        w::sum(y) > 0., [](auto a) { return a * a; }, [](auto a) { return a * 3.; }, y);
    return w::sum(w::fori(
        3, [](auto, auto s) { return s * 2.; }, z));
  }));
  CHECK(wrong_of([&](int t, int r) {
          const double v = (r % 2 ? 1 : -1) * (1. + t);
          const w::vector<double> x = w::full<double>({5 + r % 2}, v);
          auto [loss, g] = f(x);
          const double want = v > 0 ? 8 * 8 * v : 8 * 6;
          bool right = true;
          for (w::index_t i = 0; i < g.size(); ++i) right = right && g(i) == doctest::Approx(want);
          return right && w::item(loss) == doctest::Approx(static_cast<double>(x.size()) *
                                                           (v > 0 ? 32 * v * v : 48 * v));
        }) == 0);
  CHECK(seen == 100);
}

TEST_CASE("threads: what a host function throws ends its call and no other") {
  const auto f = w::compile([](auto x) {
    return w::sum(w::graph_break(x, "check", [](w::view<const double, 1> v) {
      if (v(0) < 0) throw w::value_error("negative");
    }));
  });
  CHECK(wrong_of([&](int t, int r) {
          const w::vector<double> x = w::full<double>({4}, (t + r) % 2 ? 1. : -1.);
          try {
            return w::item(f(x)) == 4. && (t + r) % 2 == 1;
          } catch (const w::value_error&) {
            return (t + r) % 2 == 0;
          }
        }) == 0);
}

TEST_CASE("threads: expressions share their program") {
  const w::vector<float> a = w::full<float>({100}, 2.f);
  CHECK(wrong_of([&](int t, int) {
          const w::vector<float> y = a * static_cast<float>(t) + 1.f;
          return y(0) == 2.f * static_cast<float>(t) + 1.f && y(99) == y(0);
        }) == 0);
}

}  // namespace
