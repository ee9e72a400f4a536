// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <doctest/doctest.h>

#include <weft/cpu/lane.hpp>

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

// What the tests of lanes share: awkward inputs, and the comparison with a scalar function.

namespace lane_check {

using weft::simd::lane;
using weft::simd::mask;

template <class T>
bool same(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return (a != a && b != b) || (a == b && std::signbit(a) == std::signbit(b));
  else
    return a == b;
}

template <class T>
std::vector<T> awkward() {
  using limits = std::numeric_limits<T>;
  if constexpr (std::is_floating_point_v<T>) {
    const T inf = limits::infinity(), tiny = limits::denorm_min(), least = limits::min();
    std::vector<T> r{T(0),
                     T(0.1),
                     T(0.5),
                     T(1),
                     T(1.5),
                     T(2.5),
                     T(3),
                     T(254.9),
                     T(255),
                     T(256),
                     T(1e5 + .7),
                     T(2147483520),
                     T(2147483647),
                     T(2147483648),
                     T(4294967295),
                     T(4294967296),
                     T(9.2e18),
                     T(9223372036854775807),
                     T(1.8e19),
                     T(18446744073709551615u),
                     T(8388607.5),
                     T(1e30),
                     T(1) / 3,
                     T(1) + limits::epsilon(),
                     tiny,
                     T(3) * tiny,
                     least,
                     limits::max(),
                     inf};
    for (std::size_t i = 0, n = r.size(); i < n; ++i) r.push_back(-r[i]);
    r.push_back(limits::quiet_NaN());
    return r;
  } else {
    std::vector<T> r{0, 1, 2, 3, 7, 8, 31, 32, 63, 64, 100, 127, 128, 200, 254, 255};
    for (auto x : {1000ull, 65537ull, 16777217ull, 0x7fffffffull, 0x80000000ull, 0xffffffffull,
                   0x100000000ull, 0x20000000000001ull, 0x7fffffffffffffffull,
                   0x8000000000000000ull, 0xfffffffffffffffull})
      r.push_back(T(x));
    for (std::size_t i = 0, n = r.size(); i < n; ++i) r.push_back(T(0 - std::uint64_t(r[i])));
    return r;
  }
}

/// f on arrays of W awkward values, place by place against g; every value gets every place. (One
/// instantiation for all functions of a type: these tests are many.)
template <class T, class R>
void compare(std::size_t width, void (*f)(const T*, const T*, R*), R (*g)(T, T)) {
  const auto values = awkward<T>();
  const std::size_t n = values.size();
  std::vector<T> a(width), b(width);
  const std::unique_ptr<R[]> r(new R[width]);
  int wrong = 0;
  for (std::size_t shift = 0; shift < n; ++shift)
    for (std::size_t first = 0; first < n; ++first) {
      for (std::size_t i = 0; i < width; ++i) {
        a[i] = values[(first + i) % n];
        b[i] = values[(first + i + shift) % n];
      }
      f(a.data(), b.data(), r.get());
      for (std::size_t i = 0; i < width; ++i) {
        const R want = g(a[i], b[i]);
        if (!same<R>(r[i], want) && ++wrong < 4) {
          const auto x = a[i], y = b[i];
          const R got = r[i];
          CAPTURE(x);
          CAPTURE(y);
          CAPTURE(width);
          CAPTURE(got);
          CAPTURE(want);
          FAIL_CHECK("differs from the scalar function");
        }
      }
    }
  CHECK(wrong == 0);
}

/// F on lanes of pairs of values, G on the pairs. Both are functions without state.
template <class T, std::size_t W, class F, class G>
void pairs(F, G) {
  using L = weft::simd::lane<T, W>;
  using R = decltype(G{}(T{}, T{}));
  compare<T, R>(
      W,
      [](const T* a, const T* b, R* r) {
        weft::simd::store(r, F{}(weft::simd::load<L>(a), weft::simd::load<L>(b)));
      },
      [](T a, T b) -> R { return G{}(a, b); });
}

/// F on lanes of single values.
template <class T, std::size_t W, class F, class G>
void singles(F, G) {
  using L = weft::simd::lane<T, W>;
  using R = decltype(G{}(T{}));
  compare<T, R>(
      W, [](const T* a, const T*, R* r) { weft::simd::store(r, F{}(weft::simd::load<L>(a))); },
      [](T a, T) -> R { return G{}(a); });
}

}  // namespace lane_check
