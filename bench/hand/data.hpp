// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/array/tensor.hpp>

#include <cstdint>

namespace hand {

/// Numbers between low and high, the same at every run.
inline void fill(float* p, weft::index_t n, float low, float high, std::uint32_t seed = 1) {
  for (weft::index_t i = 0; i < n; ++i) {
    seed = seed * 1664525u + 1013904223u;
    p[i] = low + (high - low) * static_cast<float>(seed >> 8) / 16777216.0f;
  }
}
inline weft::vector<float> numbers(weft::index_t n, float low, float high, std::uint32_t seed = 1) {
  auto x = weft::vector<float>::uninitialized({n});
  fill(x.data(), n, low, high, seed);
  return x;
}
inline weft::matrix<float> table(weft::index_t rows, weft::index_t columns, float low, float high,
                                 std::uint32_t seed = 1) {
  auto x = weft::matrix<float>::uninitialized({rows, columns});
  fill(x.data(), rows * columns, low, high, seed);
  return x;
}

}  // namespace hand
