// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/lane_memory.hpp>
#include <weft/cpu/math.hpp>

#include <cstddef>
#include <xsimd/xsimd.hpp>

// What the hand-written loops share. They obey the conventions that Weft obeys: the same elementary
// functions, FMA only where a product with one use feeds an addition, tails through the functions
// of the body, sums in blocks whose totals are double.
namespace hand {

using batch = xsimd::batch<float>;
inline constexpr std::size_t width = batch::size;
inline constexpr std::size_t block = 1024;

using weft::simd::keep;
using weft::simd::mul_add;

[[gnu::always_inline]] inline batch load(const float* p) {
  return batch::load_unaligned(p);
}
/// n < width numbers, zeros after them.
[[gnu::always_inline]] inline batch load(const float* p, std::size_t n) {
  using lane = weft::simd::lane<float, width>;
  return batch(batch::register_type(weft::simd::load_partial<lane>(p, n).v));
}
[[gnu::always_inline]] inline void store(float* p, batch x) {
  x.store_unaligned(p);
}
[[gnu::always_inline]] inline void store(float* p, std::size_t n, batch x) {
  using lane = weft::simd::lane<float, width>;
  weft::simd::store_partial(p, n, lane(typename lane::data_type(x.data)));
}

/// The sum of the places, in double.
[[gnu::always_inline]] inline double sum_double(batch x) {
#if defined(__AVX512F__)
  const __m512d low = _mm512_cvtps_pd(_mm512_castps512_ps256(x.data));
  const __m512d high =
      _mm512_cvtps_pd(_mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(x.data), 1)));
  return _mm512_reduce_add_pd(_mm512_add_pd(low, high));
#else
  alignas(64) float part[width];
  x.store_aligned(part);
  double total = 0;
  for (float p : part) total += double(p);
  return total;
#endif
}

}  // namespace hand
