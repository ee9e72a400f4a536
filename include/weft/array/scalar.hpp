// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include <weft/array/dtype.hpp>
#include <weft/base/error.hpp>

namespace weft::detail {

template <class S>
inline constexpr bool is_plain_integer = std::is_integral_v<S> && !std::is_same_v<S, bool>;

// Narrow and wide characters count as the integers they are.
template <class S>
constexpr auto widened(S value) {
  if constexpr (std::is_signed_v<S>)
    return static_cast<long long>(value);
  else
    return static_cast<unsigned long long>(value);
}

[[noreturn]] inline void throw_scalar_range(const std::string& value, dtype d) {
  throw value_error("weft: the scalar " + value + " is outside the range of " +
                    std::string(name(d)) + "; convert the tensor with cast<T>");
}

/// Whether a number is a value of an integer or bool dtype.
template <element T, class S>
constexpr bool scalar_fits(S value) {
  if constexpr (std::is_integral_v<T> && std::is_integral_v<S> && !std::is_same_v<S, bool>) {
    const auto wide = widened(value);
    if constexpr (std::is_same_v<T, bool>) return wide == 0 || wide == 1;
    else return std::in_range<T>(wide);
  }
  return true;
}

/// A C++ scalar in a tensor's dtype. A floating scalar for an integer tensor does not compile; an
/// integer outside the dtype throws value_error; a floating scalar rounds to the tensor's own.
template <element T, class S>
constexpr T scalar_to(S value) {
  static_assert(is_number_type<S>, "weft: a scalar is a C++ number or a bool");
  static_assert(!is_real<S> || is_real<T>,
                "weft: a floating scalar does not mix with an integer or bool tensor; convert the "
                "tensor with cast<float>(x), or the scalar with static_cast");
  if constexpr (std::is_integral_v<S>)
    if (!scalar_fits<T>(value)) throw_scalar_range(std::to_string(widened(value)), dtype_of<T>);
  return static_cast<T>(value);
}

}  // namespace weft::detail
