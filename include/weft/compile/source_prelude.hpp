// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/array/extents.hpp>
#include <weft/array/half.hpp>
#include <weft/op/scalar.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

/// What the text of source() is written in: `using namespace weft::loops` in a namespace of your
/// own makes it compile.
namespace weft::loops {

using weft::index_t;

/// Elements by loop indices: the base, and a step in elements for each loop. Indices left out are
/// 0.
template <class T, int Loops>
struct elements {
  T* base = nullptr;
  index_t step[Loops]{};
  template <class... I>
  T& operator()(I... i) const {
    index_t at = 0;
    int d = 0;
    ((at += i * step[d++]), ...);
    return base[at];
  }
};

/// Positions along an axis: numbers that are read from no memory.
template <int Loops>
struct positions {
  index_t start = 0;
  index_t step[Loops]{};
  template <class... I>
  index_t operator()(I... i) const {
    index_t at = start;
    int d = 0;
    ((at += i * step[d++]), ...);
    return at;
  }
};

template <class T>
T maximum(T x, T y) {
  return detail::maximum_value(x, y);
}
template <class T>
T minimum(T x, T y) {
  return detail::minimum_value(x, y);
}
template <class T>
T divide(T x, T y) {
  return detail::divide_value(x, y);
}
template <class T>
T floor_divide(T x, T y) {
  return detail::floor_divide_value(x, y);
}
template <class T>
T floor_remainder(T x, T y) {
  return detail::remainder_value(x, y);
}
template <class T>
T sign(T x) {
  return detail::sign_value(x);
}
template <class T>
T abs(T x) {
  return detail::abs_value(x);
}
template <class T>
T relu(T x) {
  return detail::relu_value(x);
}
template <class T>
T sigmoid(T x) {
  return detail::sigmoid_value(x);
}
template <class T>
T rsqrt(T x) {
  return T(1) / std::sqrt(x);
}
template <class T>
T mul_zero(T x, T y) {
  return x == 0 ? T(0) : x * y;
}
template <class T>
using widest = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
template <class T>
T shift_left(T x, T y) {
  return static_cast<T>(detail::shift_left_value<widest<T>>(x, y));
}
template <class T>
T shift_right(T x, T y) {
  return static_cast<T>(detail::shift_right_value<widest<T>>(x, y));
}
/// Floats to integers truncate and saturate, NaN gives 0; everything else as static_cast.
template <class To, class X>
To cast(X x) {
  if constexpr (std::is_floating_point_v<X> && std::is_integral_v<To> &&
                !std::is_same_v<To, bool>) {
    if (x != x) return To(0);
    if (x <= static_cast<X>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
    if (x >= static_cast<X>(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
  }
  return static_cast<To>(x);
}

}  // namespace weft::loops
