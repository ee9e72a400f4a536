// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/cpu/gemm.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

namespace {

using weft::index_t;
using weft::detail::gemm;
using weft::detail::gemm_block_k;
using weft::detail::gemm_operand;
using weft::detail::gemm_shape;
using weft::detail::gemm_workspace;

enum class order { rows, columns, strided };

// A matrix in storage of its own, with neighbours that must not be read as elements.
template <class T>
struct operand {
  std::vector<T> storage;
  gemm_operand<T> view;
  operand(index_t rows, index_t columns, order o, unsigned seed) {
    const index_t pad = seed % 3;
    if (o == order::rows)
      view = {nullptr, columns + pad, 1};
    else if (o == order::columns)
      view = {nullptr, 1, rows + pad};
    else
      view = {nullptr, 2 * columns + pad, 2};
    const index_t size =
        rows && columns ? (rows - 1) * view.row_stride + (columns - 1) * view.column_stride + 1 : 0;
    storage.resize(static_cast<std::size_t>(size));
    view.data = storage.data();
    for (auto& x : storage) {
      seed = seed * 1664525u + 1013904223u;
      x = T(77);
    }
    for (index_t i = 0; i < rows; ++i)
      for (index_t j = 0; j < columns; ++j) {
        seed = seed * 1664525u + 1013904223u;
        T& x = storage[static_cast<std::size_t>(i * view.row_stride + j * view.column_stride)];
        if constexpr (std::is_floating_point_v<T>)
          x = T(int(seed >> 8) - (1 << 23)) / T(8388607);  // all bits used: sums round
        else
          x = static_cast<T>(seed * 0x9E3779B97F4A7C15ull >> 11);
      }
  }
  T operator()(index_t i, index_t j) const {
    return view.data[i * view.row_stride + j * view.column_stride];
  }
};

// The contract: blocks of k, a chain of fused multiply-adds in each, the blocks' sums added in
// order. With one row or column a block has 16 chains instead, added as a tree.
template <class T>
T expected(const operand<T>& a, const operand<T>& b, index_t i, index_t j, index_t k, bool vector) {
  if constexpr (std::is_floating_point_v<T>) {
    T total = 0;
    for (index_t k0 = 0; k0 < k; k0 += gemm_block_k) {
      T part[16] = {};
      for (index_t p = k0; p < k && p < k0 + gemm_block_k; ++p) {
        T& sum = part[vector ? p % 16 : 0];
        sum = std::fma(a(i, p), b(p, j), sum);
      }
      if (vector)
        for (int step = 1; step < 16; step *= 2)
          for (int at = 0; at < 16; at += 2 * step) part[at] += part[at + step];
      const T sum = part[0];
      total = k0 == 0 ? sum : total + sum;
    }
    return total;
  } else {
    (void)vector;
    std::uint64_t total = 0;
    for (index_t p = 0; p < k; ++p) total += std::uint64_t(a(i, p)) * std::uint64_t(b(p, j));
    return static_cast<T>(total);
  }
}

template <class T>
bool agrees(T got, T want, index_t k) {
  if constexpr (std::is_floating_point_v<T>) {
#if defined(__FMA__) || defined(__aarch64__)
    (void)k;
    return std::memcmp(&got, &want, sizeof(T)) == 0;
#else
    return std::abs(got - want) <= T(k + 1) * std::numeric_limits<T>::epsilon();
#endif
  } else {
    (void)k;
    return got == want;
  }
}

// Returns how many elements are wrong, left out or given twice; 0 is a pass.
template <class T>
index_t errors(gemm_shape s, order a_order, order b_order, bool in_place,
               index_t samples = 1 << 30) {
  const operand<T> a(s.m, s.k, a_order, 1u + unsigned(s.m)),
      b(s.k, s.n, b_order, 2u + unsigned(s.n));
  const index_t stride = s.n + (in_place ? 3 : 0);
  std::vector<T> c(static_cast<std::size_t>(s.m * stride), T(55)),
      out(static_cast<std::size_t>(s.m * s.n));
  std::vector<int> seen(out.size());
  const auto bytes = gemm_workspace<T>(s);
  std::vector<std::byte> workspace(bytes + 1, std::byte{0xA5});
  index_t wrong = 0;
  gemm<T>(s, a.view, b.view, in_place ? c.data() : nullptr, stride, workspace.data(),
          [&](index_t i0, index_t rows, index_t j0, index_t columns, const T* tile,
              index_t tile_stride) {
            if (in_place && tile != c.data() + i0 * stride + j0) ++wrong;
            for (index_t i = 0; i < rows; ++i)
              for (index_t j = 0; j < columns; ++j) {
                const auto at = static_cast<std::size_t>((i0 + i) * s.n + j0 + j);
                ++seen[at];
                out[at] = tile[i * tile_stride + j];
              }
          });
  if (workspace[bytes] != std::byte{0xA5}) ++wrong;
  for (int count : seen) wrong += count != 1;
  const index_t step = s.m * s.n > samples ? s.m * s.n / samples | 1 : 1;
  for (index_t at = 0; at < s.m * s.n; at += step) {
    const index_t i = at / s.n, j = at % s.n;
    const T want = expected(a, b, i, j, s.k, s.m == 1 || s.n == 1);
    wrong += !agrees(out[static_cast<std::size_t>(at)], want, s.k);
    if (in_place) wrong += !agrees(c[static_cast<std::size_t>(i * stride + j)], want, s.k);
  }
  if (in_place)
    for (index_t i = 0; i < s.m; ++i)
      for (index_t j = s.n; j < stride; ++j)
        wrong += c[static_cast<std::size_t>(i * stride + j)] != T(55);
  return wrong;
}

constexpr order orders[] = {order::rows, order::columns, order::strided};

template <class T>
void check(gemm_shape s, index_t samples = 1 << 30) {
  CAPTURE(s.m);
  CAPTURE(s.n);
  CAPTURE(s.k);
  for (order a : orders)
    for (order b : orders) {
      CAPTURE(int(a));
      CAPTURE(int(b));
      CHECK(errors<T>(s, a, b, (int(a) + int(b)) % 2 == 0, samples) == 0);
    }
}

}  // namespace

TEST_CASE_TEMPLATE("gemm: small shapes, every layout", T, float, double) {
  for (index_t m : {1, 2, 3, 4, 5, 7, 8, 9, 13, 17})
    for (index_t n : {1, 2, 7, 8, 9, 16, 17, 31, 33, 40})
      for (index_t k : {1, 2, 5, 16, 19}) check<T>({m, n, k});
  check<T>({40, 39, 38});
  check<T>({64, 10, 32});
  check<T>({64, 32, 64});
  check<T>({32, 64, 64});
}

TEST_CASE_TEMPLATE("gemm: shapes around the block sizes", T, float, double) {
  for (index_t k : {gemm_block_k - 1, gemm_block_k, gemm_block_k + 1, 2 * gemm_block_k + 3})
    check<T>({9, 50, k}, 100);
  const index_t rows = weft::detail::gemm_tile_rows, columns = weft::detail::gemm_tile_columns<T>;
  check<T>({rows - 1, columns + 1, 65}, 300);
  check<T>({rows + 1, columns - 1, 70}, 300);
  check<T>({2 * rows + 5, 2 * columns + 9, gemm_block_k + 7}, 300);
}

TEST_CASE_TEMPLATE("gemm: one row or one column", T, float, double) {
  for (index_t n : {1, 3, 8, 15, 16, 17, 40})
    for (index_t k : {15, 16, 17, 31, 48, 300}) {
      check<T>({1, n, k});
      check<T>({n, 1, k});
    }
  check<T>({1, 300, 35});  // long rows are summed row by row
  check<T>({300, 1, 257});
  check<T>({1, weft::detail::gemm_tile_vector + 3, 5}, 100);
  check<T>({weft::detail::gemm_tile_vector + 3, 1, 5}, 100);
}

TEST_CASE_TEMPLATE("gemm: steps of a page along k", T, float, double) {
  // The left operand is packed there, several strips at once.
  check<T>({1024, 70, 9}, 200);
  check<T>({1030, 70, 9}, 200);
}

TEST_CASE_TEMPLATE("gemm: integers wrap around", T, std::int32_t, std::int64_t, std::uint8_t,
                   std::uint32_t, std::uint64_t) {
  check<T>({1, 1, 1});
  check<T>({7, 9, 11});
  check<T>({130, 33, 20}, 300);
}

TEST_CASE_TEMPLATE("gemm: empty extents", T, float, double, std::int32_t) {
  check<T>({3, 5, 0});  // zeros, given to done like any other
  int calls = 0;
  const auto count = [&](auto...) { ++calls; };
  gemm<T>({0, 5, 3}, {nullptr, 3, 1}, {nullptr, 5, 1}, nullptr, 0, nullptr, count);
  gemm<T>({5, 0, 3}, {nullptr, 3, 1}, {nullptr, 0, 1}, nullptr, 0, nullptr, count);
  CHECK(calls == 0);
}

TEST_CASE("gemm: an element does not depend on the shape around it, nor on the run") {
  const operand<float> a(200, 300, order::rows, 5), b(300, 500, order::rows, 6);
  const auto product = [&](index_t m, index_t n) {
    std::vector<float> c(static_cast<std::size_t>(m * n));
    std::vector<std::byte> workspace(gemm_workspace<float>({m, n, 300}));
    gemm<float>({m, n, 300}, a.view, b.view, c.data(), n, workspace.data(), [](auto...) {});
    return c;
  };
  const auto whole = product(200, 500);
  CHECK(std::memcmp(whole.data(), product(200, 500).data(), whole.size() * sizeof(float)) == 0);
  const auto part = product(13, 21);
  int different = 0;
  for (std::size_t i = 0; i < 13; ++i)
    for (std::size_t j = 0; j < 21; ++j) different += part[i * 21 + j] != whole[i * 500 + j];
  CHECK(different == 0);
}

TEST_CASE("gemm: ranges of tiles give the whole product's bits") {
  const gemm_shape s{600, 500, 30};
  const operand<float> a(s.m, s.k, order::columns, 5), b(s.k, s.n, order::rows, 6);
  std::vector<float> whole(static_cast<std::size_t>(s.m * s.n)), parts(whole.size());
  std::vector<std::byte> workspace(2 * gemm_workspace<float>(s));
  gemm<float>(s, a.view, b.view, whole.data(), s.n, workspace.data(), [](auto...) {});
  const index_t tiles = weft::detail::gemm_tiles<float>(s);
  CHECK(tiles > 4);
  for (index_t t : {tiles - 2, index_t(0), index_t(1)}) {
    const index_t last = t == 1 ? tiles - 2 : t == 0 ? 1 : tiles;
    weft::detail::gemm_range<float>(t, last, s, a.view, b.view, parts.data(), s.n, workspace.data(),
                                    [](auto...) {});
  }
  CHECK(std::memcmp(whole.data(), parts.data(), whole.size() * sizeof(float)) == 0);
#if defined(_OPENMP)
  std::fill(parts.begin(), parts.end(), 0.0f);
  weft::detail::gemm_parallel<float>(2, s, a.view, b.view, parts.data(), s.n, workspace.data(),
                                     [](auto...) {});
  CHECK(std::memcmp(whole.data(), parts.data(), whole.size() * sizeof(float)) == 0);
#endif
}

TEST_CASE("gemm: infinities and NaN follow the arithmetic") {
  const float inf = std::numeric_limits<float>::infinity();
  const float a[4] = {0, 1, inf, 2}, b[4] = {inf, 1, 1, 2};
  float c[4];
  std::vector<std::byte> workspace(gemm_workspace<float>({2, 2, 2}));
  gemm<float>({2, 2, 2}, {a, 2, 1}, {b, 2, 1}, c, 2, workspace.data(), [](auto...) {});
  CHECK(std::isnan(c[0]));
  CHECK(c[1] == 2);
  CHECK(c[2] == inf);
  CHECK(c[3] == inf);
}
