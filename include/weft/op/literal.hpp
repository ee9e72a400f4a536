// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/array/operators.hpp>

#include <bit>
#include <cstdint>

namespace weft {

namespace detail {
/// A number as a template argument, for compilers that do not take floating ones.
struct constant {
  std::uint64_t bits = 0;
  bool floating = false;
  constexpr constant(std::floating_point auto v)
      : bits(std::bit_cast<std::uint64_t>(static_cast<double>(v))), floating(true) {}
  constexpr constant(std::integral auto v)
      : bits(static_cast<std::uint64_t>(static_cast<std::int64_t>(v))) {}
};

template <constant C>
struct literal {
  static constexpr auto value() {
    if constexpr (C.floating)
      return std::bit_cast<double>(C.bits);
    else
      return static_cast<std::int64_t>(C.bits);
  }
};
template <constant C>
inline constexpr bool is_literal<literal<C>> = true;
}  // namespace detail

/// A number that is part of the program: `x * lit<0.5f>`. A plain 0.5f beside a tensor is an
/// argument of the program, so that a changed value compiles nothing new; lit lets the compiler see
/// it.
template <detail::constant C>
inline constexpr detail::literal<C> lit{};

}  // namespace weft
