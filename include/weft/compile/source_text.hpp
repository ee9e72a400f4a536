// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/plan/encode.hpp>
#include <weft/plan/phases.hpp>

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

// Words for what plans hold: shared by explain, source and the dump of passes.
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

/// An extent as text: a number, or how it follows from the arguments' shapes ("a0[1] * 64").
inline std::string extent_text(index_t e, const extent_expr* table, bool inner = false) {
  if (!is_symbol(e)) return std::to_string(e);
  const extent_expr& x = table[symbol_number(e)];
  auto part = [&](index_t v) { return extent_text(v, table, true); };
  auto joined = [&](const char* by) {
    const std::string s = part(x.a) + by + part(x.b);
    return inner ? "(" + s + ")" : s;
  };
  switch (x.kind) {
    case extent_kind::argument:
      return "a" + std::to_string(x.a) + "[" + std::to_string(x.b) + "]";
    case extent_kind::stride:
      return "a" + std::to_string(x.a) + ".step[" + std::to_string(x.b) + "]";
    case extent_kind::product:
      return joined(" * ");
    case extent_kind::sum:
      return joined(" + ");
    case extent_kind::quotient:
      return joined(" / ");
    case extent_kind::ceiling:
      return "ceil(" + part(x.a) + " / " + part(x.b) + ")";
    case extent_kind::broadcast:
      return "broadcast(" + part(x.a) + ", " + part(x.b) + ")";
    case extent_kind::unless_one:
      return "(" + part(x.a) + " == 1 ? 0 : " + part(x.b) + ")";
    case extent_kind::least:
      return "min(" + part(x.a) + ", " + part(x.b) + ")";
    case extent_kind::excess:
      return "max(" + part(x.a) + " - " + part(x.b) + ", 0)";
  }
  return "?";
}

/// Whether a node of a kernel is work, not a load or a constant.
inline bool is_work(const kernel_node& n) {
  return n.load < 0 && n.op != id_of<constant_>;
}

/// A name made of a kernel's ops in order; a long one keeps its ends
/// ("max_subtract_exp_..._divide").
inline std::string kernel_name(const kernel& k) {
  std::vector<std::string> words;
  auto add = [&](std::string_view s) {
    if (words.empty() || words.back() != s) words.emplace_back(s);
  };
  for (int i = 0; i < k.size; ++i)
    if (is_work(k.nodes[i])) add(info(k.nodes[i].op).name);
  for (int s = 0; s < k.store_count; ++s)
    if (k.stores[s].kind == store_kind::column)
      add(std::string(info(k.stores[s].reduce).name) + "_columns");
  if (words.empty()) return k.loads ? "copy" : "fill";
  std::string name;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool skipped = words.size() > 6 && i >= 4 && i + 1 < words.size();
    if (skipped && i > 4) continue;
    name += (i ? "_" : "") + (skipped ? std::string("...") : words[i]);
  }
  return name;
}

inline const char* step_name(step_kind k) {
  switch (k) {
    case step_kind::kernel:
      return "kernel";
    case step_kind::product:
      return "matmul";
    case step_kind::gather:
      return "take";
    case step_kind::scatter_add:
      return "scatter_add";
    case step_kind::arg_max:
      return "argmax";
    case step_kind::arg_min:
      return "argmin";
    case step_kind::sum_to:
      return "sum_to";
  }
  return "?";
}

/// The number of a step's first access that is a store, and of its first load of memory.
inline int first_store(const step& s, const kernel* kernels) {
  switch (s.kind) {
    case step_kind::kernel:
      return kernels[s.kernel].loads;
    case step_kind::product:
      return s.kernel < 0 ? 3 : 3 + kernels[s.kernel].loads;
    case step_kind::gather:
    case step_kind::scatter_add:
      return 2;
    default:
      return 1;
  }
}

inline std::string padded(std::string s, std::size_t width, bool right = false) {
  if (s.size() < width) s.insert(right ? 0 : s.size(), width - s.size(), ' ');
  return s;
}

}  // namespace weft::detail
