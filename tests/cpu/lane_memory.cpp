// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "lane_check.hpp"

using namespace lane_check;
using namespace weft::simd;

#include <cstdlib>
#include <cstring>
#include <memory>

#define WEFT_TYPES \
  float, double, std::uint8_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t

namespace {

// Buffers have their exact size, on the heap: the address sanitizer sees one byte past the end.
template <class T, std::size_t W>
void memory() {
  using L = lane<T, W>;
  for (std::size_t n = 0; n <= W; ++n) {
    const std::unique_ptr<T[]> p(new T[n]), q(new T[n]);
    for (std::size_t i = 0; i < n; ++i) p[i] = T(i + 1);
    const L x = load_partial<L>(p.get(), n, T(99));
    for (std::size_t i = 0; i < W; ++i) CHECK(x[i] == (i < n ? T(i + 1) : T(99)));
    store_partial(q.get(), n, x);
    for (std::size_t i = 0; i < n; ++i) CHECK(q[i] == T(i + 1));

    T wide[W + 2];
    for (auto& w : wide) w = T(5);
    store_partial(wide + 1, n, x);
    for (std::size_t i = 0; i < W + 2; ++i) CHECK(wide[i] == (i >= 1 && i <= n ? T(i) : T(5)));

    for (const std::int64_t stride : {0, 1, 3, -1, -2}) {
      const std::size_t size = n ? (n - 1) * std::size_t(std::abs(stride)) + 1 : 0;
      const std::unique_ptr<T[]> s(new T[size]), t(new T[size]());
      for (std::size_t i = 0; i < size; ++i) s[i] = T(i + 1);
      const std::size_t first = stride < 0 && n ? size - 1 : 0;
      const L y = load_strided<L>(s.get() + first, stride, n, T(98));
      for (std::size_t i = 0; i < W; ++i) {
        const auto at = std::int64_t(first) + std::int64_t(i) * stride;
        CHECK(y[i] == (i < n ? T(at + 1) : T(98)));
      }
      store_strided(t.get() + first, stride, n, y);
      for (std::size_t i = 0; stride && i < n; ++i) {
        const auto at = std::size_t(std::int64_t(first) + std::int64_t(i) * stride);
        CHECK(t[at] == y[i]);
      }
    }
  }
  const std::unique_ptr<T[]> p(new T[W + 1]), q(new T[W + 1]());
  for (std::size_t i = 0; i <= W; ++i) p[i] = T(3 * i);
  store(q.get() + 1, load<L>(p.get() + 1));
  for (std::size_t i = 0; i <= W; ++i) CHECK(q[i] == (i ? T(3 * i) : T(0)));
}

template <class T, std::size_t W>
void bools() {
  using M = mask<T, W>;
  for (std::size_t n = 0; n <= W; ++n) {
    const std::unique_ptr<bool[]> p(new bool[n]), q(new bool[n]), s(new bool[n ? 2 * n - 1 : 0]);
    for (std::size_t i = 0; i < n; ++i) s[2 * i] = p[i] = i % 3 == 1;
    for (const bool fill : {false, true}) {
      const M x = load_partial<M>(p.get(), n, fill);
      const M y = load_strided<M>(s.get(), 2, n, fill);
      for (std::size_t i = 0; i < W; ++i) {
        CHECK(x[i] == (i < n ? i % 3 == 1 : fill));
        CHECK(y[i] == x[i]);
      }
      store_partial(q.get(), n, x);
      store_strided(s.get(), 2, n, y);
      for (std::size_t i = 0; i < n; ++i) {
        CHECK(q[i] == (i % 3 == 1));
        CHECK(s[2 * i] == q[i]);
      }
    }
  }
  bool full[W], copy[W];
  for (std::size_t i = 0; i < W; ++i) full[i] = i % 5 < 2;
  store(copy, load<M>(full));
  unsigned char bytes[W];
  std::memcpy(bytes, copy, W);
  for (std::size_t i = 0; i < W; ++i) CHECK(int(bytes[i]) == int(full[i]));
}

}  // namespace

TEST_CASE_TEMPLATE("lanes: memory, whole, partial and strided", T, WEFT_TYPES) {
  memory<T, 16>();
  memory<T, 8>();
  memory<T, 2>();
}
TEST_CASE_TEMPLATE("lanes: bools in memory", T, WEFT_TYPES) {
  bools<T, 32>();
  bools<T, 16>();
  bools<T, 4>();
}
