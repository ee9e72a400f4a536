// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "lane_check.hpp"

using namespace lane_check;
using namespace weft::simd;

#include <algorithm>
#include <functional>

#define WEFT_TYPES \
  float, double, std::uint8_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t

namespace {

/// place i with place i + W/2, and so on
template <class T, class F>
T tree(std::vector<T> x, F f) {
  for (std::size_t h = x.size() / 2; h; h /= 2)
    for (std::size_t i = 0; i < h; ++i) x[i] = f(x[i], x[i + h]);
  return x[0];
}

template <class T, std::size_t W>
void reductions() {
  std::uint32_t state = 7;
  for (int round = 0; round < 200; ++round) {
    std::vector<T> x(W);
    for (auto& e : x) {
      state = state * 1664525u + 1013904223u;
      e = std::is_floating_point_v<T> ? T(std::int32_t(state)) / T(12345) : T(state >> 3);
    }
    const auto l = load<lane<T, W>>(x.data());
    const auto wide = [](T a) {
      return std::conditional_t<std::is_floating_point_v<T>, T, std::uint64_t>(a);
    };
    const auto add = [&](T a, T b) { return T(wide(a) + wide(b)); };
    const auto mul = [&](T a, T b) { return T(wide(a) * wide(b)); };
    CHECK(reduce_add(l) == tree(x, add));
    CHECK(reduce_mul(l) == tree(x, mul));
    CHECK(reduce_max(l) == *std::max_element(x.begin(), x.end()));
    CHECK(reduce_min(l) == *std::min_element(x.begin(), x.end()));
    if constexpr (std::is_same_v<T, float>)
      CHECK(reduce_add_double(l) ==
            tree(std::vector<double>(x.begin(), x.end()), std::plus<double>()));
    const auto n = iota<lane<T, W>>(T(round));
    for (std::size_t i = 0; i < W; ++i) CHECK(n[i] == T(T(round) + T(i)));
  }
  // every place counts
  for (std::size_t i = 0; i < W; ++i) {
    std::vector<T> x(W, T(5));
    x[i] = T(9);
    CHECK(reduce_max(load<lane<T, W>>(x.data())) == T(9));
    x[i] = T(2);
    CHECK(reduce_min(load<lane<T, W>>(x.data())) == T(2));
    if constexpr (std::is_floating_point_v<T>) {
      x[i] = std::numeric_limits<T>::quiet_NaN();
      CHECK(std::isnan(reduce_max(load<lane<T, W>>(x.data()))));
      CHECK(std::isnan(reduce_min(load<lane<T, W>>(x.data()))));
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE("lanes: reductions are one tree", T, WEFT_TYPES) {
  reductions<T, 32>();
  reductions<T, 16>();
  reductions<T, 4>();
  reductions<T, 2>();
}
