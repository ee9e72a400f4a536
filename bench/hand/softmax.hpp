// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include "simd.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hand {

/// The greater value, NaN where either is NaN: one comparison more than the instruction.
[[gnu::always_inline]] inline batch greater(batch a, batch b) {
  using lane = weft::simd::lane<float, width>;
  const auto as = [](batch x) { return lane(typename lane::data_type(x.data)); };
  return batch(batch::register_type(weft::simd::maximum(as(a), as(b)).v));
}
[[gnu::always_inline]] inline float greatest(batch x) {
  alignas(64) float part[width];
  x.store_aligned(part);
  float best = part[0];
  for (float p : part) best = best < p || p != p ? p : best;
  return best;
}
/// x in the first n places, fill in the others.
[[gnu::always_inline]] inline batch first(batch x, std::size_t n, float fill) {
  alignas(64) static const float steps[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  return xsimd::select(batch::load_aligned(steps) < batch(float(n)), x, batch(fill));
}

/// Rows of exp(x - max(x)) / sum(exp(x - max(x))).
[[gnu::noinline]] inline void softmax(const float* x, float* y, std::size_t rows,
                                      std::size_t columns) {
  constexpr float lowest = -std::numeric_limits<float>::infinity();
  constexpr std::size_t four = 4 * width;
  const std::size_t whole = columns / width * width, rest = columns - whole;
  for (std::size_t r = 0; r < rows; ++r, x += columns, y += columns) {
    batch m[4] = {batch(lowest), batch(lowest), batch(lowest), batch(lowest)};
    std::size_t i = 0;
    for (; i + four <= columns; i += four)
      for (std::size_t u = 0; u < 4; ++u) m[u] = greater(m[u], load(x + i + u * width));
    for (; i < whole; i += width) m[0] = greater(m[0], load(x + i));
    if (rest) m[0] = greater(m[0], first(load(x + whole, rest), rest, lowest));
    const batch top(greatest(greater(greater(m[0], m[1]), greater(m[2], m[3]))));
    double total = 0;
    for (std::size_t from = 0; from < columns; from += block) {
      const std::size_t end = std::min(columns, from + block),
                        full = from + (end - from) / width * width;
      batch s[2] = {batch(0.0f), batch(0.0f)};
      for (i = from; i + 2 * width <= full; i += 2 * width)
        for (std::size_t u = 0; u < 2; ++u) {
          const batch e = weft::simd::math::exp(load(x + i + u * width) - top);
          store(y + i + u * width, e);
          s[u] += e;
        }
      for (; i < full; i += width) {
        const batch e = weft::simd::math::exp(load(x + i) - top);
        store(y + i, e);
        s[0] += e;
      }
      if (full < end) {
        const std::size_t n = end - full;
        const batch e = weft::simd::math::exp(load(x + full, n) - top);
        store(y + full, n, e);
        s[0] += first(e, n, 0.0f);
      }
      total += sum_double(s[0] + s[1]);
    }
    const batch sum(static_cast<float>(total));
    for (i = 0; i < whole; i += width) store(y + i, load(y + i) / sum);
    if (rest) store(y + whole, rest, load(y + whole, rest) / sum);
  }
}

}  // namespace hand
