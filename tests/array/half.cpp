// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/array/creation.hpp>
#include <weft/array/print.hpp>
#include <weft/array/tensor.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <sstream>

using weft::bfloat16;
using weft::half;

namespace {

/// Of both types: precision, the exponent of the least number above 0, and bits in the fraction.
struct format {
  int digits, least;
};
template <class H>
inline constexpr format format_of = std::is_same_v<H, half> ? format{11, -24} : format{8, -133};

/// What the bits mean, by arithmetic in double.
template <class H>
double meaning(unsigned bits) {
  constexpr int fraction = format_of<H>.digits - 1;
  const int field = static_cast<int>(bits >> fraction & ((1u << (15 - fraction)) - 1));
  const double m = bits & ((1u << fraction) - 1);
  const double sign = bits >> 15 ? -1 : 1;
  if (field == (1 << (15 - fraction)) - 1) return m == 0 ? sign * INFINITY : NAN;
  if (field == 0) return sign * std::ldexp(m, format_of<H>.least);
  return sign * std::ldexp(m + (1 << fraction), format_of<H>.least + field - 1);
}

template <class H>
bool same(H found, double wanted) {
  const double x = found;
  if (std::isnan(x) || std::isnan(wanted)) return std::isnan(x) && std::isnan(wanted);
  return x == wanted && std::signbit(x) == std::signbit(wanted);
}

template <class H>
void check_every_pattern() {
  int wrong = 0;
  for (unsigned b = 0; b < 65536; ++b) {
    const H h = H::from_bits(static_cast<std::uint16_t>(b));
    wrong += !same(h, meaning<H>(b));
    const float x = h;
    const H back(x);
    wrong += std::isnan(x) ? !std::isnan(static_cast<float>(back)) : back.bits != h.bits;
  }
  CHECK(wrong == 0);
}

/// Between each two neighbours: the middle goes to the even one, what is beside it to the nearer
/// one; from float, and from double where float would not see the difference.
template <class H>
void check_rounding() {
  const unsigned infinity = std::numeric_limits<H>::infinity().bits;
  int wrong = 0;
  for (unsigned b = 0; b < infinity; ++b) {
    const double low = meaning<H>(b);
    const bool last = b + 1 == infinity;
    const double high = last ? 2 * low - meaning<H>(b - 1) : meaning<H>(b + 1);
    const double middle = low / 2 + high / 2;
    const unsigned even = b % 2 ? b + 1 : b;
    for (const double sign : {1.0, -1.0}) {
      const unsigned s = sign < 0 ? 0x8000 : 0;
      const auto bits = [&](double x) { return H(sign * x).bits - s; };
      wrong += bits(middle) != even;
      wrong += bits(std::nextafter(middle, low)) != b;
      wrong += bits(std::nextafter(middle, high)) != b + 1;
      const float f = static_cast<float>(middle);
      const auto float_bits = [&](float x) { return H(static_cast<float>(sign) * x).bits - s; };
      if (static_cast<double>(f) != middle) continue;  // below the least float
      wrong += float_bits(f) != even;
      wrong += float_bits(std::nextafterf(f, static_cast<float>(low))) != b;
      wrong += float_bits(std::nextafterf(f, INFINITY)) != b + 1;
    }
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE_TEMPLATE("all 65,536 patterns mean what the format says, and come back", H, half,
                   bfloat16) {
  check_every_pattern<H>();
}

TEST_CASE_TEMPLATE("numbers round once, to nearest even", H, half, bfloat16) {
  check_rounding<H>();
}

TEST_CASE("what overflows is infinite, NaN stays NaN") {
  CHECK(half(65519.996f) == 65504.0f);
  CHECK(half(65520.0f) == INFINITY);
  CHECK(half(-1e30) == -INFINITY);
  CHECK(half(1e300) == INFINITY);
  CHECK(bfloat16(1e300) == INFINITY);
  CHECK(bfloat16(-std::numeric_limits<float>::max()) == -INFINITY);
  // A NaN whose upper bits are 0 must not become an infinity.
  const float nan = std::bit_cast<float>(0x7f800001u);
  CHECK(std::isnan(half(nan)));
  CHECK(std::isnan(bfloat16(nan)));
  CHECK(half(0x1p-25f).bits == 0);
  CHECK(half(0x1.000002p-25f).bits == 1);
  CHECK(half(-1e-30f).bits == 0x8000);
}

TEST_CASE("integers round once, too") {
  CHECK(bfloat16((1 << 30) + (1 << 22) + 1) == 0x1p30f + 0x1p23f);
  CHECK(bfloat16((1 << 30) + (1 << 22)) == 0x1p30f);
  const std::int64_t tie = (std::int64_t{1} << 62) + (std::int64_t{1} << 54);
  CHECK(bfloat16(tie) == 0x1p62f);
  CHECK(bfloat16(tie + 1) == 0x1p62f + 0x1p55f);
  CHECK(bfloat16(-tie - 1) == -0x1p62f - 0x1p55f);
  CHECK(bfloat16(std::numeric_limits<std::int64_t>::min()) == -0x1p63f);
  CHECK(bfloat16(std::numeric_limits<std::uint64_t>::max()) == 0x1p64f);
  CHECK(half(2049) == 2048.0f);
  CHECK(half(2051u) == 2052.0f);
  CHECK(half(true) == 1.0f);
}

TEST_CASE("limits") {
  using h = std::numeric_limits<half>;
  using b = std::numeric_limits<bfloat16>;
  static_assert(h::is_specialized && h::has_infinity && h::digits == 11 && b::digits == 8);
  static_assert(h::max() == 65504.0f && h::lowest() == -65504.0f && h::min() == 0x1p-14f);
  static_assert(h::epsilon() == 0x1p-10f && h::denorm_min() == 0x1p-24f);
  static_assert(b::max() == 0x1.fep127f && b::min() == 0x1p-126f && b::epsilon() == 0x1p-7f);
  CHECK(std::isnan(h::quiet_NaN()));
  CHECK(std::isnan(b::quiet_NaN()));
  CHECK(h::infinity() == INFINITY);
}

TEST_CASE("constants and arithmetic: a half is a float") {
  constexpr half x(0.1f);
  static_assert(x.bits == 0x2e66);
  static_assert(std::is_same_v<decltype(x + x), float>);
  static_assert(sizeof(half) == 2 && std::is_trivially_copyable_v<bfloat16>);
  static_assert(!std::is_convertible_v<float, half> && std::is_convertible_v<half, float>);
  CHECK(bfloat16(x) == bfloat16(static_cast<float>(x)));
}

TEST_CASE_TEMPLATE("tensors of them: creation, braces, scalars, print", H, half, bfloat16) {
  const weft::matrix<H> x{{1, 2.5}, {-3, 4}};
  CHECK(x(1, 0) == -3.0f);
  std::ostringstream text;
  text << x << weft::tensor<H>(0.5f);
  CHECK(text.str() == "[[ 1.   2.5]\n [-3.   4. ]]0.5");
  CHECK(weft::zeros<H>(3)(2) == 0.0f);
  CHECK(weft::ones<H>(2)(1) == 1.0f);
  CHECK(weft::full<H>({2, 2}, 0.1)(1, 1) == H(0.1));
  const auto a = weft::arange<H>(0, 1, 0.25);
  CHECK(a.size() == 4);
  CHECK(a(3) == 0.75f);
  CHECK(weft::eye<H>(2)(1, 1) == 1.0f);
  weft::vector<H> v = weft::zeros<H>(4);
  v(weft::range(0, 2)) = 7;
  CHECK(v(1) == 7.0f);
  CHECK(v(2) == 0.0f);
  v(3) = H(2);
  const float y = v(3);
  CHECK(y == 2.0f);
}
