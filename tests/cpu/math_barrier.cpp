// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors

#include <weft/cpu/barrier.hpp>

#include <doctest/doctest.h>

#include <cmath>

namespace {

// (1 + e)^2 - 1 - 2e is 0 with a rounded square and e^2 with a fused one.
template <class T>
struct square_less {
  T x;
  T c;
};
constexpr square_less<float> f{1 + 0x1p-13f, -(1 + 0x1p-12f)};
constexpr square_less<double> d{1 + 0x1p-30, -(1 + 0x1p-29)};

// Through volatile, so that nothing is folded.
template <class V, class T>
V hidden(T x) {
  T volatile v = x;
  return V(static_cast<T>(v));
}

template <class T>
void check_barrier(square_less<T> k) {
  using V = xsimd::batch<T>;
  auto const x = hidden<V>(k.x);
  auto const c = hidden<V>(k.c);
  CHECK((weft::simd::keep(x * x) + c).get(0) == 0);
  CHECK((c + weft::simd::keep(x * x)).get(0) == 0);
  T const fused = std::fma(k.x, k.x, k.c);
  CHECK(fused != 0);
  T const expected = weft::simd::fuses<typename V::arch_type> ? fused : T(0);
  CHECK(weft::simd::mul_add(x, x, c).get(0) == expected);
  CHECK(weft::simd::mul_sub(x, x, -c).get(0) == expected);
  CHECK(weft::simd::neg_mul_add(x, x, -c).get(0) == -expected);
  auto const sx = hidden<T>(k.x);
  auto const sc = hidden<T>(k.c);
  CHECK(weft::simd::keep(sx * sx) + sc == 0);
  CHECK(weft::simd::mul_add(sx, sx, sc) == fused);
}

}  // namespace

TEST_CASE("keep rounds a product before it is added, mul_add fuses where the architecture does") {
  check_barrier(f);
  check_barrier(d);
}

TEST_CASE("keep passes integers through") {
  CHECK(weft::simd::keep(3) == 3);
  CHECK(weft::simd::keep(xsimd::batch<int>(3)).get(0) == 3);
}
