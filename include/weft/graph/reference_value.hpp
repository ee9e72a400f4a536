// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/array/dtype.hpp>
#include <weft/array/extents.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

// Values of the reference evaluator: plain vectors, and the conversions between dtypes.
namespace weft::detail {

/// A dense row-major array. Floats are in `reals`, which hold every float and double exactly;
/// integers and bools are in `bits`: two's complement, sign-extended from their dtype's width,
/// bools 0 or 1.
struct reference_value {
  dtype type = dtype::float32;
  std::vector<index_t> shape;
  std::vector<long double> reals;
  std::vector<std::uint64_t> bits;

  reference_value() = default;
  /// Zeros.
  reference_value(dtype t, std::vector<index_t> s) : type(t), shape(std::move(s)) {
    const auto n = static_cast<std::size_t>(size());
    if (is_floating(type))
      reals.assign(n, 0);
    else
      bits.assign(n, 0);
  }

  int rank() const { return static_cast<int>(shape.size()); }
  index_t size() const {
    index_t n = 1;
    for (index_t e : shape) n *= e;
    return n;
  }
  /// Element i in row-major order as a number; a large integer may round.
  long double operator[](index_t i) const {
    const auto k = static_cast<std::size_t>(i);
    if (is_floating(type)) return reals[k];
    if (is_signed(type)) return static_cast<long double>(static_cast<std::int64_t>(bits[k]));
    return static_cast<long double>(bits[k]);
  }
};

/// Integer bits brought to a dtype's width, as storing them would; bool is 0 or 1.
constexpr std::uint64_t wrapped(dtype t, std::uint64_t v) {
  switch (t) {
    case dtype::boolean:
      return v != 0;
    case dtype::uint8:
      return static_cast<std::uint8_t>(v);
    case dtype::uint32:
      return static_cast<std::uint32_t>(v);
    case dtype::int32:
      return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(v)));
    default:
      return v;
  }
}

/// A floating value rounded once to a dtype.
inline long double rounded(dtype t, long double v) {
  if (t == dtype::float32) return static_cast<float>(v);
  if (t == dtype::float16) return half(v);
  if (t == dtype::bfloat16) return bfloat16(v);
  if (t == dtype::float64) return static_cast<double>(v);
  return v;
}

/// A float as an integer: truncated, saturated, 0 for NaN; as bool, whether it differs from 0.
inline std::uint64_t integer_from(dtype t, long double v) {
  if (t == dtype::boolean) return v != 0;
  if (std::isnan(v)) return 0;
  auto saturate = [v]<class T>(T) {
    if (v <= static_cast<long double>(std::numeric_limits<T>::min()))
      return std::numeric_limits<T>::min();
    if (v >= static_cast<long double>(std::numeric_limits<T>::max()))
      return std::numeric_limits<T>::max();
    return static_cast<T>(v);
  };
  switch (t) {
    case dtype::uint8:
      return saturate(std::uint8_t{});
    case dtype::int32:
      return static_cast<std::uint64_t>(std::int64_t{saturate(std::int32_t{})});
    case dtype::uint32:
      return saturate(std::uint32_t{});
    case dtype::int64:
      return static_cast<std::uint64_t>(saturate(std::int64_t{}));
    default:
      return saturate(std::uint64_t{});
  }
}

/// Conversion by the rules of `cast`.
inline reference_value converted(const reference_value& x, dtype to) {
  reference_value r(to, x.shape);
  for (index_t i = 0; i < x.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (is_floating(to))
      r.reals[k] = rounded(to, x[i]);
    else if (is_floating(x.type))
      r.bits[k] = integer_from(to, x.reals[k]);
    else
      r.bits[k] = wrapped(to, x.bits[k]);
  }
  return r;
}

/// "float32 (2, 3)", for messages.
inline std::string described(const reference_value& x) {
  std::string s(name(x.type));
  s += " (";
  for (std::size_t i = 0; i < x.shape.size(); ++i)
    s += (i ? ", " : "") + std::to_string(x.shape[i]);
  return s + ")";
}

}  // namespace weft::detail
