// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/plan/program.hpp>

#include <algorithm>
#include <string>
#include <vector>

// Extents as a kernel knows them: literals of its text, or its parameters.
namespace weft::detail::cuda {

/// An extent, a stride or what follows from them. One with a name differs from call to call, and is
/// a parameter of the kernels that say it; schedules are chosen by its hint and are right for any
/// value. What a text takes from a value otherwise (that it is 0 or 1, or a multiple of a vector's
/// width) makes another text, which is a kernel of its own: texts are the guards.
struct number {
  index_t value = 0, hint = 0;
  std::string name;  ///< what it is, without spaces; empty: a literal

  number() = default;
  number(index_t v) : value(v), hint(v) {}  // NOLINT: literals are numbers
  number(index_t v, index_t h, std::string n) : value(v), hint(h), name(std::move(n)) {}

  bool is_dynamic() const { return !name.empty(); }
  bool divides_by(index_t w) const { return value % w == 0; }
  /// What a schedule counts on.
  index_t expected() const { return is_dynamic() ? hint : value; }
  std::string text() const { return is_dynamic() ? name : std::to_string(value); }

  /// Compares values: what a text follows from, or a check that holds for all.
  friend bool operator==(const number& a, const number& b) { return a.value == b.value; }
};

inline number operator*(const number& a, const number& b) {
  if (!a.is_dynamic() && !b.is_dynamic()) return a.value * b.value;
  if (!a.is_dynamic() && a.value == 1) return b;
  if (!b.is_dynamic() && b.value == 1) return a;
  if ((!a.is_dynamic() && a.value == 0) || (!b.is_dynamic() && b.value == 0)) return 0;
  return {a.value * b.value, a.hint * b.hint, a.text() + "*" + b.text()};
}
inline number operator+(const number& a, const number& b) {
  if (!a.is_dynamic() && !b.is_dynamic()) return a.value + b.value;
  if (!a.is_dynamic() && a.value == 0) return b;
  if (!b.is_dynamic() && b.value == 0) return a;
  return {a.value + b.value, a.hint + b.hint, "(" + a.text() + "+" + b.text() + ")"};
}
inline number operator-(const number& a, index_t b) {
  if (!a.is_dynamic()) return a.value - b;
  return {a.value - b, a.hint - b, "(" + a.text() + "-" + std::to_string(b) + ")"};
}
/// How many pieces of `by` hold a.
inline number pieces(const number& a, const number& by) {
  auto up = [](index_t n, index_t d) { return (n + d - 1) / d; };
  if (!a.is_dynamic() && !by.is_dynamic()) return up(a.value, by.value);
  if (!by.is_dynamic() && by.value == 1) return a;
  return {up(a.value, by.value), up(a.hint, std::max<index_t>(by.hint, 1)),
          "ceil(" + a.text() + "/" + by.text() + ")"};
}
/// A number that schedules make of dynamic ones, named after what it is for.
inline number named(index_t value, std::string name) {
  return {value, value, std::move(name)};
}

/// The values of a plan's extent symbols at a call. Symbols that are dynamic are parameters of
/// kernels, unless they are 0 or 1, of which loops are made that others have not.
struct extent_values {
  const index_t* value = nullptr;
  const index_t* hint = nullptr;
  const char* dynamic = nullptr;  ///< by symbol; null: none is

  extent_values(const index_t* v) : value(v) {}  // NOLINT: literals all of them
  extent_values(const index_t* v, const index_t* h, const char* d)
      : value(v), hint(h), dynamic(d) {}

  number of(index_t e) const {
    if (!is_symbol(e)) return e;
    const int k = symbol_number(e);
    if (!dynamic || !dynamic[k] || (value[k] >= 0 && value[k] <= 1)) return value[k];
    return {value[k], hint[k], "e" + std::to_string(k)};
  }
};

}  // namespace weft::detail::cuda
