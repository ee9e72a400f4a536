// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/math.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

/// How the elementary functions are judged: the distance to a wider reference in units of the last
/// place, and whether a lane's result depends on its neighbours.

namespace math_check {

template <class T>
using bits_of = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
template <class T>
using wider = std::conditional_t<sizeof(T) == 4, double, long double>;

inline constexpr double wrong = 1e30;

/// |got - want| in ulps of want; `wrong` for a NaN, an infinity or a sign of zero out of place.
template <class T>
double ulps(T got, wider<T> want) {
  if (std::isnan(want) || std::isnan(got)) {
    return std::isnan(want) && std::isnan(got) ? 0 : wrong;
  }
  T const rounded = static_cast<T>(want);
  if (std::bit_cast<bits_of<T>>(rounded) == std::bit_cast<bits_of<T>>(got)) return 0.5;
  if (std::isinf(want) || (got == 0 && want == 0)) return wrong;
  int exponent;
  std::frexp(want, &exponent);
  exponent = std::max(exponent, std::numeric_limits<T>::min_exponent);
  wider<T> const ulp = std::ldexp(wider<T>(1), exponent - std::numeric_limits<T>::digits);
  // An infinity stands for the first value out of range.
  wider<T> const value =
      std::isinf(got) ? std::copysign(std::ldexp(wider<T>(1), std::numeric_limits<T>::max_exponent),
                                      wider<T>(got))
                      : wider<T>(got);
  return static_cast<double>(std::abs(value - want) / ulp);
}

template <class T>
struct worst {
  double ulps = 0;
  T at = 0;
};

/// The worst error of batch function f against g over the values next() gives, `count` of them.
template <class T, class F, class G, class Next>
worst<T> sweep(F f, G g, std::size_t count, Next next) {
  using batch = xsimd::batch<T>;
  worst<T> w;
  T in[batch::size];
  T out[batch::size];
  for (std::size_t i = 0; i < count; i += batch::size) {
    for (T& x : in) x = next();
    f(batch::load_unaligned(in)).store_unaligned(out);
    for (std::size_t lane = 0; lane < batch::size; ++lane) {
      double const u = math_check::ulps(out[lane], wider<T>(g(wider<T>(in[lane]))));
      if (u > w.ulps) w = {u, in[lane]};
    }
  }
  return w;
}

/// Values whose results are easy to get wrong, for every function.
template <class T>
inline constexpr T edges[] = {T(0),
                              T(-0.0),
                              std::numeric_limits<T>::infinity(),
                              -std::numeric_limits<T>::infinity(),
                              std::numeric_limits<T>::quiet_NaN(),
                              std::numeric_limits<T>::denorm_min(),
                              -std::numeric_limits<T>::denorm_min(),
                              std::numeric_limits<T>::min(),
                              -std::numeric_limits<T>::min(),
                              std::numeric_limits<T>::max(),
                              std::numeric_limits<T>::lowest(),
                              T(1),
                              T(-1),
                              T(0.5),
                              T(-0.5),
                              T(2),
                              T(-2),
                              std::numeric_limits<T>::epsilon(),
                              T(1) - std::numeric_limits<T>::epsilon() / 2,
                              T(1) + std::numeric_limits<T>::epsilon(),
                              std::numeric_limits<T>::epsilon() / 2 - T(1),
                              T(88.37),
                              T(88.72),
                              T(88.73),
                              T(-87.4),
                              T(-88.8),
                              T(-103.9),
                              T(-104.1),
                              T(709.7),
                              T(709.79),
                              T(-708.5),
                              T(-745.1),
                              T(-745.2),
                              T(9),
                              T(-9.2),
                              T(10),
                              T(10.05),
                              T(10.06),
                              T(26.5),
                              T(27.2),
                              T(-17.4),
                              T(-37.5),
                              T(19.1),
                              T(1e30),
                              T(-3e38),
                              T(1e5),
                              T(6.989676),
                              T(100001),
                              T(12000),
                              T(12001),
                              T(1e-8),
                              T(-1e-20),
                              T(1.5707963267948966),
                              T(3.14159274101257324),
                              T(3.141592653589793),
                              T(6.283185307179586),
                              T(16367173.0) * T(0x1p72),
                              T(-1000),
                              T(1000)};

/// Over the edges.
template <class T, class F, class G>
worst<T> sweep_edges(F f, G g) {
  std::size_t i = 0;
  std::size_t const n = std::size(edges<T>);
  return sweep<T>(f, g, n, [&] { return edges<T>[i++ % n]; });
}

/// Every `step`th bit pattern of T = float.
template <class F, class G>
worst<float> sweep_floats(F f, G g, std::uint32_t step) {
  std::uint32_t b = 0;
  return sweep<float>(f, g, (std::size_t{1} << 32) / step,
                      [&] { return std::bit_cast<float>(std::exchange(b, b + step)); });
}

/// Random bit patterns of double over all exponents, or random mantissas in a range of exponents.
template <class F, class G>
worst<double> sweep_doubles(F f, G g, std::size_t count, int low = -1074, int high = 1024) {
  std::mt19937_64 bits(42);
  return sweep<double>(f, g, count, [&] {
    if (low == -1074) return std::bit_cast<double>(bits());
    double const m = std::ldexp(static_cast<double>(bits() >> 11), -53) + 1;
    double const x =
        std::ldexp(m, low + static_cast<int>(bits() % static_cast<unsigned>(high - low)));
    return bits() & 1 ? x : -x;
  });
}

/// The number of values whose result changes with their lane or their neighbours.
template <class T, class F>
int dependent_lanes(F f, int count) {
  using batch = xsimd::batch<T>;
  std::mt19937_64 random(7);
  auto const any_bits = [&] { return std::bit_cast<T>(static_cast<bits_of<T>>(random())); };
  int dependent = 0;
  T in[batch::size];
  T out[batch::size];
  for (int i = 0; i < count; ++i) {
    T const x =
        i & 1 ? any_bits() : static_cast<T>(static_cast<double>(random() % 200000) / 1000 - 100);
    f(batch(x)).store_unaligned(out);
    bits_of<T> const alone = std::bit_cast<bits_of<T>>(out[0]);
    for (std::size_t lane = 0; lane < batch::size; ++lane) {
      for (T& other : in) other = any_bits();
      in[lane] = x;
      f(batch::load_unaligned(in)).store_unaligned(out);
      if (std::bit_cast<bits_of<T>>(out[lane]) != alone) ++dependent;
    }
  }
  return dependent;
}

/// Wraps an overloaded batch or scalar function as an object.
#define WEFT_FUNCTION(name) [](auto x) { return weft::simd::math::name(x); }
#define WEFT_SCALAR(name) [](auto x) { return std::name(x); }

}  // namespace math_check
