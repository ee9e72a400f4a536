// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/graph/reference.hpp>

#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

// Values for tests: made by hand or from seeds, and compared.
namespace weft_test {

using weft::dtype;
using weft::index_t;
using weft::detail::reference_value;

inline constexpr long double inf = std::numeric_limits<long double>::infinity();
inline constexpr long double qnan = std::numeric_limits<long double>::quiet_NaN();

/// A value of a dtype from numbers in row-major order.
inline reference_value values(dtype type, std::vector<index_t> shape,
                              const std::vector<long double>& numbers) {
  reference_value r(dtype::float64, std::move(shape));
  if (r.size() != static_cast<index_t>(numbers.size()))
    throw weft::shape_error("values: wrong number of numbers");
  r.reals = numbers;
  return weft::detail::converted(r, type);
}
inline reference_value scalar(double v, dtype type = dtype::float64) {
  return values(type, {}, {v});
}
inline reference_value vector_of(const std::vector<long double>& numbers,
                                 dtype type = dtype::float64) {
  return values(type, {static_cast<index_t>(numbers.size())}, numbers);
}

/// SplitMix64: the same numbers on every machine.
class generator {
 public:
  explicit generator(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  double uniform(double low = 0, double high = 1) {
    return low + (high - low) * static_cast<double>(bits() >> 11) * 0x1p-53;
  }
  int below(int n) { return static_cast<int>(bits() % static_cast<std::uint64_t>(n)); }

 private:
  std::uint64_t state_;
};

/// Seeded values of a dtype, uniform in [low, high).
inline reference_value filled(dtype type, std::vector<index_t> shape, std::uint64_t seed,
                              double low = -2, double high = 2) {
  generator g(seed);
  reference_value r(dtype::float64, std::move(shape));
  for (auto& v : r.reals)
    v = type == dtype::boolean ? static_cast<long double>(g.bits() & 1) : g.uniform(low, high);
  return weft::detail::converted(r, type);
}

/// How far a value may be from the expected one: within any of these bounds. NaN equals NaN, and
/// where `signs` is set a zero must have the expected sign.
struct tolerance {
  double ulp = 0;       ///< of the compared dtype, at the expected value
  double relative = 0;  ///< to the expected value
  double absolute = 0;
  bool signs = false;
};

/// The precision of a floating dtype in bits, and the exponent of its least and greatest numbers.
struct dtype_range {
  int digits, least, greatest;
};
inline dtype_range range_of(dtype type) {
  switch (type) {
    case dtype::float16:
      return {11, -24, 16};
    case dtype::bfloat16:
      return {8, -133, 128};
    case dtype::float32:
      return {24, -149, 128};
    default:
      return {53, -1074, 1024};
  }
}

/// The distance between neighbouring numbers of a floating dtype at v.
inline long double ulp_at(dtype type, long double v) {
  const auto [digits, least, greatest] = range_of(type);
  if (v == 0 || !std::isfinite(v)) return std::ldexp(1.0L, least);
  const int e = std::ilogb(v) - digits + 1;
  return std::ldexp(1.0L, e < least ? least : e);
}

inline bool near(dtype type, long double found, long double expected, const tolerance& t) {
  if (std::isnan(expected) || std::isnan(found)) return std::isnan(expected) && std::isnan(found);
  if (t.signs && found == 0 && expected == 0) return std::signbit(found) == std::signbit(expected);
  if (found == expected) return true;
  // What overflows the dtype is its infinity.
  const dtype_range range = range_of(type);
  const long double greatest =
      std::ldexp(1.0L, range.greatest) - std::ldexp(1.0L, range.greatest - range.digits);
  if (std::isinf(found) || std::isinf(expected))
    return std::signbit(found) == std::signbit(expected) &&
           std::fabs(std::isinf(found) ? expected : found) > greatest * (1 - 1e-6L) &&
           t.ulp + t.relative > 0;
  const long double distance = std::fabs(found - expected);
  return distance <= t.absolute || distance <= t.relative * std::fabs(expected) ||
         distance <= t.ulp * ulp_at(type, expected);
}

/// Empty if two values agree in dtype, shape and every element; otherwise the first difference.
inline std::string difference(const reference_value& found, const reference_value& expected,
                              const tolerance& t = {}) {
  using weft::detail::described;
  std::ostringstream s;
  s.precision(20);
  if (found.type != expected.type || found.shape != expected.shape)
    return described(found) + " is not " + described(expected);
  for (index_t i = 0; i < expected.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const bool floats = is_floating(expected.type);
    if (floats ? near(expected.type, found.reals[k], expected.reals[k], t)
               : found.bits[k] == expected.bits[k])
      continue;
    s << "element " << i << " of " << described(expected) << " is " << found[i] << ", expected "
      << expected[i];
    if (floats)
      s << " (" << std::fabs(found[i] - expected[i]) / ulp_at(expected.type, expected[i])
        << " ulp)";
    return s.str();
  }
  return "";
}

/// Empty if a value holds these numbers.
inline std::string difference(const reference_value& found, const std::vector<long double>& numbers,
                              const tolerance& t = {}) {
  if (found.size() != static_cast<index_t>(numbers.size()))
    return described(found) + " has not " + std::to_string(numbers.size()) + " elements";
  return difference(found, values(found.type, found.shape, numbers), t);
}

}  // namespace weft_test
