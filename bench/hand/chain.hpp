// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include "simd.hpp"

namespace hand {

/// y = tanh(a*b + c) * sigmoid(a) - b
[[gnu::noinline]] inline void chain(const float* a, const float* b, const float* c, float* y,
                                    std::size_t n) {
  const auto one = [](batch u, batch v, batch w) {
    namespace m = weft::simd::math;
    return mul_add(keep(m::tanh(mul_add(u, v, w))), keep(m::sigmoid(u)), -v);
  };
  std::size_t i = 0;
  for (; i + width <= n; i += width) store(y + i, one(load(a + i), load(b + i), load(c + i)));
  if (const std::size_t r = n - i; r > 0)
    store(y + i, r, one(load(a + i, r), load(b + i, r), load(c + i, r)));
}

/// y = tanh(a*b + c)
[[gnu::noinline]] inline void tanh_fma(const float* a, const float* b, const float* c, float* y,
                                       std::size_t n) {
  const auto one = [](batch u, batch v, batch w) {
    return weft::simd::math::tanh(mul_add(u, v, w));
  };
  std::size_t i = 0;
  for (; i + width <= n; i += width) store(y + i, one(load(a + i), load(b + i), load(c + i)));
  if (const std::size_t r = n - i; r > 0)
    store(y + i, r, one(load(a + i, r), load(b + i, r), load(c + i, r)));
}

}  // namespace hand
