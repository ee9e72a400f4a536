// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "lane_check.hpp"

using namespace lane_check;
using namespace weft::simd;

#define WEFT_TYPES \
  float, double, std::uint8_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t

namespace {

template <class T>
T wrapped(auto f, T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return T(f(a, b));
  else
    return T(f(std::uint64_t(a), std::uint64_t(b)));
}

template <class T, std::size_t W>
void arithmetic() {
  pairs<T, W>([](auto a, auto b) { return a + b; },
              [](T a, T b) { return wrapped([](auto x, auto y) { return x + y; }, a, b); });
  pairs<T, W>([](auto a, auto b) { return a - b; },
              [](T a, T b) { return wrapped([](auto x, auto y) { return x - y; }, a, b); });
  pairs<T, W>([](auto a, auto b) { return a * b; },
              [](T a, T b) { return wrapped([](auto x, auto y) { return x * y; }, a, b); });
  singles<T, W>([](auto a) { return -a; },
                [](T a) {
                  if constexpr (std::is_floating_point_v<T>)
                    return -a;
                  else
                    return T(0 - std::uint64_t(a));
                });
}

template <class T, std::size_t W>
void relations() {
  pairs<T, W>([](auto a, auto b) { return a == b; }, [](T a, T b) { return a == b; });
  pairs<T, W>([](auto a, auto b) { return a != b; }, [](T a, T b) { return a != b; });
  pairs<T, W>([](auto a, auto b) { return a < b; }, [](T a, T b) { return a < b; });
  pairs<T, W>([](auto a, auto b) { return a <= b; }, [](T a, T b) { return a <= b; });
  pairs<T, W>([](auto a, auto b) { return a > b; }, [](T a, T b) { return a > b; });
  pairs<T, W>([](auto a, auto b) { return a >= b; }, [](T a, T b) { return a >= b; });
  pairs<T, W>([](auto a, auto b) { return select(a < b, a, b); },
              [](T a, T b) { return a < b ? a : b; });
  pairs<T, W>([](auto a, auto b) { return ((a < b) & (a == a)) | (a == b); },
              [](T a, T b) { return a <= b; });
  pairs<T, W>([](auto a, auto b) { return !(a < b) ^ (a == b); },
              [](T a, T b) { return bool(!(a < b) ^ (a == b)); });
  pairs<T, W>([](auto a, auto b) { return select(a < b, a == b, a != b); },
              [](T a, T b) { return a < b ? a == b : a != b; });
}

template <class T, std::size_t W>
void bits() {
  constexpr int size = 8 * sizeof(T);
  pairs<T, W>([](auto a, auto b) { return a & b; }, [](T a, T b) { return T(a & b); });
  pairs<T, W>([](auto a, auto b) { return a | b; }, [](T a, T b) { return T(a | b); });
  pairs<T, W>([](auto a, auto b) { return a ^ b; }, [](T a, T b) { return T(a ^ b); });
  singles<T, W>([](auto a) { return ~a; }, [](T a) { return T(~a); });
  pairs<T, W>([](auto a, auto b) { return a << b; },
              [](T a, T b) {
                const auto n = std::make_unsigned_t<T>(b);
                return n < size ? T(std::uint64_t(a) << n) : T(0);
              });
  pairs<T, W>([](auto a, auto b) { return a >> b; },
              [](T a, T b) {
                const auto n = std::make_unsigned_t<T>(b);
                return n < size ? T(a >> n) : T(a < 0 ? -1 : 0);
              });
}

}  // namespace

TEST_CASE_TEMPLATE("lanes: sums, differences and products", T, WEFT_TYPES) {
  arithmetic<T, 16>();
  arithmetic<T, 2>();
}
TEST_CASE_TEMPLATE("lanes: comparisons, masks and selection", T, WEFT_TYPES) {
  relations<T, 16>();
  relations<T, 4>();
}
TEST_CASE_TEMPLATE("lanes: bits and shifts", T, std::uint8_t, std::int32_t, std::uint32_t,
                   std::int64_t, std::uint64_t) {
  bits<T, 16>();
  bits<T, 2>();
}

TEST_CASE("lanes: a product and a sum are two roundings") {
  // (1 + e)^2 - (1 + 2e) is 0 in two roundings, e^2 in one; the values must not be constants
  volatile float x = 1 + 0x1p-12f, y = -(1 + 0x1p-11f);
  volatile double u = 1 + 0x1p-27, v = -(1 + 0x1p-26);
  const lane<float, 16> a(x), b(y);
  const lane<double, 16> c(u), d(v);
  const lane<float, 4> e(x), f(y);
  const lane<double, 2> g(u), h(v);
  CHECK((a * a + b)[3] == 0);
  CHECK((c * c + d)[3] == 0);
  CHECK((e * e + f)[3] == 0);
  CHECK((g * g + h)[1] == 0);
  CHECK((b + a * a)[3] == 0);
  CHECK((-b - a * a)[3] == 0);
  // a denormal over 2, plus the same: not one rounding of x * 0.5 + y
  volatile float t = std::numeric_limits<float>::denorm_min();
  const lane<float, 16> z(t);
  CHECK((z / lane<float, 16>(2) + z)[0] == t);
  CHECK((z * lane<float, 16>(0.5f) + z)[0] == t);
  if (has_fma<float>) {
    CHECK(fma(a, a, b)[3] == 0x1p-24f);
    CHECK(fma(c, c, d)[3] == 0x1p-54);
    CHECK(fma(e, e, f)[3] == 0x1p-24f);
    CHECK(fma(g, g, h)[1] == 0x1p-54);
  }
}

TEST_CASE("lanes: scalars are broadcast, and operators assign") {
  lane<int, 16> x = 3;
  x += 4;
  x *= 2;
  x -= 1;
  x /= 2;
  CHECK(all(x == 6));
  CHECK(all((x << 2) == 24));
  CHECK_FALSE(any(x != 6));
  CHECK(std::signbit(lane<float, 16>(-0.0f)[15]));
  CHECK(all(mask<float, 16>(true)));
  CHECK_FALSE(any(mask<std::uint8_t, 16>(false)));
  CHECK(all((x < 7) == (x > 5)));
  CHECK(all((x < 7) != (x > 7)));
}

TEST_CASE_TEMPLATE("lanes: any and all see every place", T, WEFT_TYPES) {
  const auto check = [](auto w) {
    constexpr std::size_t W = decltype(w)::value;
    for (std::size_t i = 0; i < W; ++i) {
      T a[W]{};
      a[i] = 1;
      const auto one = load<lane<T, W>>(a) == lane<T, W>(1);
      CHECK(any(one));
      CHECK_FALSE(all(one));
      CHECK_FALSE(all(!one));
      CHECK(one[i]);
    }
    CHECK(all(mask<T, W>(true)));
    CHECK_FALSE(any(mask<T, W>(false)));
  };
  check(std::integral_constant<std::size_t, 2>{});
  check(std::integral_constant<std::size_t, 8>{});
  check(std::integral_constant<std::size_t, 32>{});
}
