// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "lane_check.hpp"

using namespace lane_check;
using namespace weft::simd;

namespace {

template <class T>
T greater(T a, T b) {
  if (a != a || b != b) return std::numeric_limits<T>::quiet_NaN();
  if (a == b) return std::signbit(a) ? b : a;
  return a < b ? b : a;
}
template <class T>
T lesser(T a, T b) {
  if (a != a || b != b) return std::numeric_limits<T>::quiet_NaN();
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

template <class T, std::size_t W>
void functions() {
  singles<T, W>([](auto a) { return sqrt(a); }, [](T a) { return std::sqrt(a); });
  singles<T, W>([](auto a) { return floor(a); }, [](T a) { return std::floor(a); });
  singles<T, W>([](auto a) { return ceil(a); }, [](T a) { return std::ceil(a); });
  singles<T, W>([](auto a) { return trunc(a); }, [](T a) { return std::trunc(a); });
  singles<T, W>([](auto a) { return rint(a); }, [](T a) { return std::nearbyint(a); });
  singles<T, W>([](auto a) { return abs(a); }, [](T a) { return std::fabs(a); });
  singles<T, W>([](auto a) { return rsqrt(a); }, [](T a) { return T(1) / std::sqrt(a); });
  singles<T, W>([](auto a) { return isnan(a); }, [](T a) { return std::isnan(a); });
  singles<T, W>([](auto a) { return isinf(a); }, [](T a) { return std::isinf(a); });
  singles<T, W>([](auto a) { return isfinite(a); }, [](T a) { return std::isfinite(a); });
  pairs<T, W>([](auto a, auto b) { return a / b; }, [](T a, T b) { return a / b; });
  pairs<T, W>([](auto a, auto b) { return copysign(a, b); },
              [](T a, T b) { return std::copysign(a, b); });
  pairs<T, W>([](auto a, auto b) { return maximum(a, b); }, [](T a, T b) { return greater(a, b); });
  pairs<T, W>([](auto a, auto b) { return minimum(a, b); }, [](T a, T b) { return lesser(a, b); });
  pairs<T, W>([](auto a, auto b) { return fma(a, b, a); },
              [](T a, T b) {
                if (has_fma<T>) return std::fma(a, b, a);
                const volatile T product = a * b;
                return product + a;
              });
  pairs<T, W>([](auto a, auto b) { return fmod(a, b); }, [](T a, T b) { return std::fmod(a, b); });
}

}  // namespace

TEST_CASE_TEMPLATE("lanes: functions of floats", T, float, double) {
  functions<T, 16>();
  functions<T, 2>();
}

TEST_CASE("lanes: maximum and minimum have NaN in either place, and order the zeros") {
  using L = lane<float, 16>;
  const L nan(std::numeric_limits<float>::quiet_NaN()), one(1), zero(0.0f), minus(-0.0f);
  CHECK(all(isnan(maximum(nan, one)) & isnan(maximum(one, nan))));
  CHECK(all(isnan(minimum(nan, one)) & isnan(minimum(one, nan))));
  CHECK_FALSE(std::signbit(maximum(zero, minus)[0]));
  CHECK_FALSE(std::signbit(maximum(minus, zero)[0]));
  CHECK(std::signbit(minimum(zero, minus)[0]));
  CHECK(std::signbit(minimum(minus, zero)[0]));
}

TEST_CASE("lanes: floor_divide and remainder of floats by the fmod algorithm") {
  using F = lane<float, 16>;
  using D = lane<double, 4>;
  CHECK(floor_divide(D(1.0), D(0.1))[3] == 9);
  CHECK(remainder(F(1e10f), F(1e-20f))[7] == std::fmod(1e10f, 1e-20f));
  CHECK(remainder(F(1e10f), F(1e-20f))[7] == doctest::Approx(2.64e-21).epsilon(0.01));
  CHECK(remainder(F(-7), F(3))[0] == 2);
  CHECK(remainder(F(7), F(-3))[0] == -2);
  CHECK(floor_divide(F(-7), F(3))[0] == -3);
  CHECK(floor_divide(F(7), F(-3))[0] == -3);
  CHECK(std::isnan(remainder(F(1), F(0))[0]));
  CHECK(floor_divide(F(1), F(0))[0] == std::numeric_limits<float>::infinity());
  CHECK(std::signbit(remainder(F(6), F(-3))[0]));
  CHECK_FALSE(std::signbit(remainder(F(-6), F(3))[0]));
}
