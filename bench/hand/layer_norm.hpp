// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include "softmax.hpp"

namespace hand {

/// The sum of f(x[i]) over n numbers in blocks, in double.
template <class F>
[[gnu::always_inline]] inline double sum_of(const float* x, std::size_t n, F f) {
  double total = 0;
  for (std::size_t from = 0; from < n; from += block) {
    const std::size_t end = std::min(n, from + block);
    batch s[4] = {batch(0.0f), batch(0.0f), batch(0.0f), batch(0.0f)};
    std::size_t i = from;
    for (; i + 4 * width <= end; i += 4 * width)
      for (std::size_t u = 0; u < 4; ++u) s[u] = s[u] + f(load(x + i + u * width));
    for (; i + width <= end; i += width) s[0] = s[0] + f(load(x + i));
    if (i < end) s[0] = s[0] + first(f(load(x + i, end - i)), end - i, 0.0f);
    total += sum_double((s[0] + s[1]) + (s[2] + s[3]));
  }
  return total;
}

/// Rows of (x - mean(x)) / sqrt(var(x) + 1e-5) * weight + bias; the variance in a second pass.
[[gnu::noinline]] inline void layer_norm(const float* x, const float* weight, const float* bias,
                                         float* y, std::size_t rows, std::size_t columns) {
  const float count = static_cast<float>(columns);
  for (std::size_t r = 0; r < rows; ++r, x += columns, y += columns) {
    const batch mean(static_cast<float>(sum_of(x, columns, [](batch v) { return v; })) / count);
    const float variance = static_cast<float>(sum_of(x, columns,
                                                     [&](batch v) {
                                                       const batch d = keep(v - mean);
                                                       return keep(d * d);
                                                     })) /
                           count;
    const batch scale(1.0f / std::sqrt(variance + 1e-5f));
    std::size_t i = 0;
    for (; i + width <= columns; i += width)
      store(y + i, mul_add(keep((load(x + i) - mean) * scale), load(weight + i), load(bias + i)));
    if (const std::size_t n = columns - i; n > 0)
      store(y + i, n,
            mul_add(keep((load(x + i, n) - mean) * scale), load(weight + i, n), load(bias + i, n)));
  }
}

}  // namespace hand
