// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/plan/phases.hpp>
#include <weft/plan/text.hpp>

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

// C++ for what plans hold: shared by explain, source and the dump of passes.
namespace weft::detail {

/// A dtype as the C++ type that holds it.
inline const char* cpp_type(dtype t) {
  switch (t) {
    case dtype::boolean:
      return "bool";
    case dtype::uint8:
      return "std::uint8_t";
    case dtype::int32:
      return "std::int32_t";
    case dtype::uint32:
      return "std::uint32_t";
    case dtype::int64:
      return "std::int64_t";
    case dtype::uint64:
      return "std::uint64_t";
    case dtype::float32:
      return "float";
    case dtype::float64:
      return "double";
    case dtype::float16:
      return "weft::half";
    case dtype::bfloat16:
      return "weft::bfloat16";
  }
  return "?";
}

/// The shortest decimal that reads back as v, and beside it the exact number in hex where the
/// decimal is rounded.
template <class T>
std::string floating_literal(T v, const char* suffix) {
  const std::string limits =
      std::string("std::numeric_limits<") + (sizeof(T) == 4 ? "float" : "double") + ">::";
  if (std::isnan(v)) return limits + "quiet_NaN()";
  if (std::isinf(v)) return (v < 0 ? "-" : "") + limits + "infinity()";
  char digits[64];
  std::string s(digits, std::to_chars(digits, digits + sizeof digits, v).ptr);
  if (s.find_first_of(".e") == std::string::npos) s += ".0";
  s += suffix;
  const double scaled = static_cast<double>(v) * 1024;
  if (std::trunc(scaled) == scaled && std::abs(scaled) < 1e9) return s;
  std::string hex(digits,
                  std::to_chars(digits, digits + sizeof digits, v, std::chars_format::hex).ptr);
  hex.insert(hex[0] == '-' ? 1 : 0, "0x");
  return s + " /* " + hex + " */";
}

/// The constant that a node's bits stand for.
inline std::string literal_text(dtype t, index_t bits) {
  switch (t) {
    case dtype::boolean:
      return bits ? "true" : "false";
    case dtype::float32:
    case dtype::float16:
    case dtype::bfloat16:
      return floating_literal(static_cast<float>(std::bit_cast<double>(bits)), "f");
    case dtype::float64:
      return floating_literal(std::bit_cast<double>(bits), "");
    case dtype::uint64:
      return "std::uint64_t{" + std::to_string(static_cast<std::uint64_t>(bits)) + "u}";
    case dtype::uint32:
      return std::to_string(static_cast<std::uint32_t>(bits)) + "u";
    case dtype::uint8:
      return "std::uint8_t{" +
             std::to_string(static_cast<unsigned>(static_cast<std::uint8_t>(bits))) + "}";
    case dtype::int64:  // the least number has no literal of its own
      if (bits == std::numeric_limits<index_t>::min())
        return "std::numeric_limits<std::int64_t>::min()";
      return "std::int64_t{" + std::to_string(bits) + "}";
    case dtype::int32:
      if (static_cast<std::int32_t>(bits) == std::numeric_limits<std::int32_t>::min())
        return "std::numeric_limits<std::int32_t>::min()";
      return std::to_string(static_cast<std::int32_t>(bits));
  }
  return "?";
}

}  // namespace weft::detail
