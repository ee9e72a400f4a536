// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "lane_check.hpp"

using namespace lane_check;
using namespace weft::simd;

#define WEFT_TYPES \
  float, double, std::uint8_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t

namespace {

template <class U, class T>
U converted(T x) {
  using limits = std::numeric_limits<U>;
  if constexpr (std::is_floating_point_v<T> && std::is_integral_v<U>) {
    // in long double every bound is exact
    const long double y = x;
    if (y != y) return 0;
    if (y >= static_cast<long double>(limits::max())) return limits::max();
    return y <= static_cast<long double>(limits::min()) ? limits::min() : U(y);
  } else
    return U(x);
}

template <class U, class T, std::size_t W>
void one() {
  singles<T, W>([](auto a) { return convert<U>(a); }, [](T a) { return converted<U>(a); });
  // selects by a mask of another type, through convert_mask
  singles<T, W>([](auto a) { return select(a < lane<T, W>(T(3)), lane<U, W>(8), lane<U, W>(9)); },
                [](T a) { return a < T(3) ? U(8) : U(9); });
}
template <class T, std::size_t W>
void each() {
  one<float, T, W>();
  one<double, T, W>();
  one<std::uint8_t, T, W>();
  one<std::int32_t, T, W>();
  one<std::uint32_t, T, W>();
  one<std::int64_t, T, W>();
  one<std::uint64_t, T, W>();
  singles<T, W>([](auto a) { return convert<bool>(a); }, [](T a) { return a != 0; });
  singles<T, W>([](auto a) { return convert<T>(convert<bool>(a)); }, [](T a) { return T(a != 0); });
}

}  // namespace

TEST_CASE_TEMPLATE("lanes: conversions, 16 places", T, WEFT_TYPES) {
  each<T, 16>();
}
TEST_CASE_TEMPLATE("lanes: conversions, 8 places", T, WEFT_TYPES) {
  each<T, 8>();
}
TEST_CASE_TEMPLATE("lanes: conversions, 2 places", T, WEFT_TYPES) {
  each<T, 2>();
}
