// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "lane_check.hpp"

using namespace lane_check;
using namespace weft::simd;

namespace {

template <class T>
T quotient(T a, T b) {
  if (b == 0) return 0;
  if (std::is_signed_v<T> && b == T(-1)) return T(0 - std::uint64_t(a));
  return T(a / b);
}
template <class T>
T modulus(T a, T b) {
  return b == 0 || (std::is_signed_v<T> && b == T(-1)) ? (b == 0 ? a : T(0)) : T(a % b);
}
template <class T>
T floor_modulus(T a, T b) {
  const T r = modulus(a, b);
  return b != 0 && r != 0 && (r < 0) != (b < 0) ? T(r + b) : r;
}
template <class T>
T floor_quotient(T a, T b) {
  const T r = modulus(a, b);
  return b != 0 && r != 0 && (r < 0) != (b < 0) ? T(quotient(a, b) - 1) : quotient(a, b);
}

template <class T, std::size_t W>
void divisions() {
  pairs<T, W>([](auto a, auto b) { return a / b; }, [](T a, T b) { return quotient(a, b); });
  pairs<T, W>([](auto a, auto b) { return fmod(a, b); }, [](T a, T b) { return modulus(a, b); });
  pairs<T, W>([](auto a, auto b) { return remainder(a, b); },
              [](T a, T b) { return floor_modulus(a, b); });
  pairs<T, W>([](auto a, auto b) { return floor_divide(a, b); },
              [](T a, T b) { return floor_quotient(a, b); });
  pairs<T, W>([](auto a, auto b) { return maximum(a, b); },
              [](T a, T b) { return std::max(a, b); });
  pairs<T, W>([](auto a, auto b) { return minimum(a, b); },
              [](T a, T b) { return std::min(a, b); });
  singles<T, W>([](auto a) { return abs(a); },
                [](T a) { return a < 0 ? T(0 - std::uint64_t(a)) : a; });
}

}  // namespace

TEST_CASE_TEMPLATE("lanes: integer division, remainders, maximum and minimum", T, std::uint8_t,
                   std::int32_t, std::uint32_t, std::int64_t, std::uint64_t) {
  divisions<T, 16>();
  divisions<T, 4>();
  divisions<T, 2>();
}

TEST_CASE("lanes: int32 quotients near multiples of the divisor") {
  std::uint64_t state = 1;
  for (int i = 0; i < 20000; ++i) {
    std::int32_t a[16], b[16];
    for (int j = 0; j < 16; ++j) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      b[j] = std::int32_t(state >> 32) >> (state & 31);
      b[j] = b[j] == 0 || b[j] == -1 ? 3 : b[j];
      const auto k = std::int64_t(std::int32_t(state >> 20)) / b[j];
      a[j] = std::int32_t(k * b[j] - int(state >> 8 & 1));
    }
    const auto q = load<lane<std::int32_t, 16>>(a) / load<lane<std::int32_t, 16>>(b);
    for (int j = 0; j < 16; ++j) REQUIRE(q[j] == quotient(a[j], b[j]));
  }
}

TEST_CASE("lanes: the upper half of a product") {
  constexpr auto exact = [](std::uint32_t a, std::uint32_t b) {
    return std::uint32_t(std::uint64_t(a) * b >> 32);
  };
  pairs<std::uint32_t, 16>([](auto a, auto b) { return mulhi(a, b); }, exact);
  pairs<std::uint32_t, 8>([](auto a, auto b) { return mulhi(a, b); }, exact);
  pairs<std::uint32_t, 2>([](auto a, auto b) { return mulhi(a, b); }, exact);
}
