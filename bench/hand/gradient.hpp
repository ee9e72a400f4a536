// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include "layer_norm.hpp"

namespace hand {

/// sum((x^2 + 3x)(x - 1)/(x^2 + 1)) and its gradient, in one loop.
[[gnu::noinline]] inline float rational(const float* x, float* g, std::size_t n) {
  struct both {
    batch value, slope;
  };
  const auto one = [](batch v) -> both {
    const batch square = keep(v * v), p = square + keep(batch(3.0f) * v), q = v - batch(1.0f),
                below = square + batch(1.0f), above = keep(p * q), ratio = above / below;
    // ((2x + 3) q + p - 2x ratio) / below
    const batch twice = v + v;
    const batch top = mul_add(twice + batch(3.0f), q, p);
    return {ratio, mul_add(-twice, ratio, top) / below};
  };
  double total = 0;
  for (std::size_t from = 0; from < n; from += block) {
    const std::size_t end = std::min(n, from + block);
    batch s[2] = {batch(0.0f), batch(0.0f)};
    std::size_t i = from;
    for (; i + 2 * width <= end; i += 2 * width)
      for (std::size_t u = 0; u < 2; ++u) {
        const both r = one(load(x + i + u * width));
        store(g + i + u * width, r.slope);
        s[u] = s[u] + r.value;
      }
    for (; i + width <= end; i += width) {
      const both r = one(load(x + i));
      store(g + i, r.slope);
      s[0] = s[0] + r.value;
    }
    if (const std::size_t k = end - i; k > 0) {
      const both r = one(load(x + i, k));
      store(g + i, k, r.slope);
      s[0] = s[0] + first(r.value, k, 0.0f);
    }
    total += sum_double(s[0] + s[1]);
  }
  return static_cast<float>(total);
}

}  // namespace hand
