// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/array/creation.hpp>
#include <weft/compile/compile.hpp>
#include <weft/grad/expression.hpp>

#include <doctest/doctest.h>
#include <support/tensors.hpp>

// What every value is, line by line, as compiled code gives it. Vectors are longer than a register,
// so that both the body and the tail of a loop meet each case.
namespace weft_test {

namespace w = weft;

inline constexpr float nan_f = std::numeric_limits<float>::quiet_NaN();
inline constexpr float inf_f = std::numeric_limits<float>::infinity();

/// One value, many times.
template <class T>
w::vector<T> many(T v) {
  return w::full<T>({35}, v);
}

/// Whether every element is this very number: NaN is NaN, zeros have their sign.
template <class X, class T>
bool is(const X& x, T wanted) {
  const auto v = w::eval(x);
  using V = typename decltype(v)::value_type;
  static_assert(std::is_same_v<V, T>);
  if (v.size() == 0) return false;
  for (index_t i = 0; i < v.size(); ++i) {
    const T a = v.data()[i];
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(a) != std::isnan(wanted)) return false;
      if (!std::isnan(a) && (a != wanted || std::signbit(a) != std::signbit(wanted))) return false;
    } else if (a != wanted) {
      return false;
    }
  }
  return true;
}
template <class X>
bool is_float(const X& x, double wanted) {
  return is(x, static_cast<float>(wanted));
}

}  // namespace weft_test
