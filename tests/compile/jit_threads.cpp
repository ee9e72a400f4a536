// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/jit.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

// One function, captured and called by several threads at once.
namespace w = weft;
using w::index_t;

TEST_CASE("threads share the programs of a function") {
  auto power = [](int n) {
    return w::jit(
        [n](auto x) {
          auto y = x;
          for (int i = 1; i < n; ++i) y = y * x;
          return y;
        },
        {.limit = 8});
  };
  std::atomic<int> wrong{0};
  std::vector<std::thread> team;
  for (int t = 0; t < 4; ++t)
    team.emplace_back([&, t] {
      for (int turn = 0; turn < 60; ++turn) {
        const int n = 1 + (turn + t) % 5;
        const index_t size = 1 + (turn * 7) % 40;
        auto x = w::vector<float>::uninitialized({size});
        for (index_t i = 0; i < size; ++i) x.data()[i] = 2.0f;
        const w::vector<float> y = power(n)(x);
        for (index_t i = 0; i < size; ++i) wrong += y.data()[i] != static_cast<float>(1 << n);
      }
    });
  for (std::thread& t : team) t.join();
  CHECK(wrong == 0);
  const auto s = power(1).statistics();
  CHECK(s.programs <= 8);
  CHECK(s.evictions > 0);
  CHECK(s.captures >= 8);
}
