// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

// The two floating types of 16 bits. They are for storage: a value becomes a float, without an
// error, to be computed with, and rounds, to nearest even, when it comes back.
namespace weft {

struct half;
struct bfloat16;

namespace detail {

template <class T>
inline constexpr bool is_half_type =
    std::is_same_v<std::remove_cv_t<T>, half> || std::is_same_v<std::remove_cv_t<T>, bfloat16>;
/// A floating type, of 16 bits too.
template <class T>
inline constexpr bool is_real = std::is_floating_point_v<T> || is_half_type<T>;
/// A C++ number, a half too.
template <class T>
inline constexpr bool is_number_type = std::is_arithmetic_v<T> || is_half_type<T>;

/// x rounded to float so that a second rounding, to 16 bits, gives what one rounding would: towards
/// zero, with the last bit set where that was not exact.
template <class T>
constexpr float rounded_to_odd(T x) {
  constexpr T most = std::numeric_limits<float>::max();
  if (x > most) return std::numeric_limits<float>::infinity();
  if (x < -most) return -std::numeric_limits<float>::infinity();
  const float f = static_cast<float>(x);
  const T back = f;
  if (back == x || x != x) return f;
  const auto bits = std::bit_cast<std::uint32_t>(f);
  return std::bit_cast<float>((x < 0 ? back < x : back > x) ? (bits - 1) | 1u : bits | 1u);
}

/// Any number as a float that rounds to 16 bits as the number itself would.
template <class T>
constexpr float float_to_round(T x) {
  if constexpr (is_half_type<T> || std::is_same_v<T, float>) {
    return x;
  } else if constexpr (std::is_floating_point_v<T>) {
    return rounded_to_odd(x);
  } else if constexpr (sizeof(T) <= 2) {
    return static_cast<float>(x);
  } else if constexpr (sizeof(T) <= 4) {
    return rounded_to_odd(static_cast<double>(x));
  } else {
    // A double holds 53 bits: the last ones of a large number become one that says they are there.
    constexpr T bound = T{1} << 53, last = 0xfff;
    const bool small = x < bound && (std::is_unsigned_v<T> || x > T(0) - bound);
    if (!small) x = static_cast<T>((x & ~last) | ((x & last) != 0 ? 0x800 : 0));
    return rounded_to_odd(static_cast<double>(x));
  }
}

constexpr std::uint16_t half_bits(float x) {
  const auto f = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t sign = f >> 16 & 0x8000u, a = f & 0x7fffffffu;
  std::uint32_t r = 0;
  if (a > 0x7f800000u) {
    r = 0x7e00u | (a >> 13 & 0x3ffu);
  } else if (a >= 0x477ff000u) {  // 65520, half way past the greatest
    r = 0x7c00u;
  } else if (a >= 0x38800000u) {  // 2^-14
    r = (a - 0x38000000u + 0xfffu + (a >> 13 & 1u)) >> 13;
  } else if (a > 0x33000000u) {  // 2^-25
    const std::uint32_t m = (a & 0x7fffffu) | 0x800000u, shift = 126u - (a >> 23);
    const std::uint32_t rest = m & ((1u << shift) - 1u), middle = 1u << (shift - 1u);
    r = m >> shift;
    r += rest > middle || (rest == middle && (r & 1u));
  }
  return static_cast<std::uint16_t>(sign | r);
}
constexpr float half_value(std::uint16_t h) {
  const std::uint32_t sign = (h & 0x8000u) << 16, e = h >> 10 & 31u, m = h & 0x3ffu;
  if (e == 31)
    return std::bit_cast<float>(sign | 0x7f800000u | m << 13 | (m != 0 ? 0x400000u : 0u));
  if (e != 0) return std::bit_cast<float>(sign | (e + 112u) << 23 | m << 13);
  const float tiny = static_cast<float>(m) * 0x1p-24f;
  return sign ? -tiny : tiny;
}

constexpr std::uint16_t bfloat16_bits(float x) {
  const auto f = std::bit_cast<std::uint32_t>(x);
  const bool nan = (f & 0x7fffffffu) > 0x7f800000u;
  return static_cast<std::uint16_t>(nan ? f >> 16 | 0x40u : (f + 0x7fffu + (f >> 16 & 1u)) >> 16);
}
constexpr float bfloat16_value(std::uint16_t b) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(b) << 16);
}

}  // namespace detail

/// IEEE 754 binary16: 11 bits of precision, up to 65504. Any number rounds to it to nearest even,
/// once; NaN stays NaN. It is a float wherever one is wanted.
struct half {
  std::uint16_t bits;

  half() = default;
  template <class T>
    requires detail::is_number_type<T>
  explicit constexpr half(T x) : bits(detail::half_bits(detail::float_to_round(x))) {}
  constexpr operator float() const { return detail::half_value(bits); }
  static constexpr half from_bits(std::uint16_t b) {
    half h{};
    h.bits = b;
    return h;
  }
};

/// The upper 16 bits of a float: its range with 8 bits of precision. Conversions as of half.
struct bfloat16 {
  std::uint16_t bits;

  bfloat16() = default;
  template <class T>
    requires detail::is_number_type<T>
  explicit constexpr bfloat16(T x) : bits(detail::bfloat16_bits(detail::float_to_round(x))) {}
  constexpr operator float() const { return detail::bfloat16_value(bits); }
  static constexpr bfloat16 from_bits(std::uint16_t b) {
    bfloat16 h{};
    h.bits = b;
    return h;
  }
};

namespace detail {

/// What both types' limits share.
template <class T, int Digits, int MinExponent, int MaxExponent>
struct half_limits : std::numeric_limits<float> {
  static constexpr int digits = Digits;
  static constexpr int digits10 = (Digits - 1) * 301 / 1000;
  static constexpr int max_digits10 = 2 + Digits * 301 / 1000;
  static constexpr int min_exponent = MinExponent, max_exponent = MaxExponent;
  static constexpr int min_exponent10 = MinExponent * 301 / 1000;
  static constexpr int max_exponent10 = MaxExponent * 301 / 1000;
  // In order: the exponent's field begins above Digits - 1 bits.
  static constexpr T min() { return T::from_bits(1u << (Digits - 1)); }
  static constexpr T infinity() { return T::from_bits(0x7fffu >> (Digits - 1) << (Digits - 1)); }
  static constexpr T max() { return T::from_bits(infinity().bits - 1u); }
  static constexpr T lowest() { return T::from_bits(max().bits | 0x8000u); }
  static constexpr T epsilon() { return T(1.0f / static_cast<float>(1 << (Digits - 1))); }
  static constexpr T round_error() { return T(0.5f); }
  static constexpr T quiet_NaN() { return T::from_bits(infinity().bits | 1u << (Digits - 2)); }
  static constexpr T signaling_NaN() { return T::from_bits(infinity().bits | 1u); }
  static constexpr T denorm_min() { return T::from_bits(1); }
};

}  // namespace detail

}  // namespace weft

template <>
struct std::numeric_limits<weft::half> : weft::detail::half_limits<weft::half, 11, -13, 16> {};
template <>
struct std::numeric_limits<weft::bfloat16>
    : weft::detail::half_limits<weft::bfloat16, 8, -125, 128> {};
