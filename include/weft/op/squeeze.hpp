// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/primitive.hpp>

namespace weft {

inline constexpr struct squeeze_ final : derived_with<squeeze_, "squeeze", 1> {
  static constexpr auto doc =
      "Without axes of extent 1: `squeeze(x, axis<0>)`; without a list, all those that the types "
      "know to be 1. An axis of another extent is an error.";
  template <detail::operand X>
  constexpr auto operator()(const X& x,
                            std::source_location where = std::source_location::current()) const {
    return detail::apply_with<squeeze_, detail::attributes{{0, 0, 1}}>(where, x);
  }
  template <detail::operand X, index_t... A>
  constexpr auto operator()(const X& x, detail::axis_tag<A...>,
                            std::source_location where = std::source_location::current()) const {
    return detail::apply_with<squeeze_, detail::attributes{{detail::pack_axes<A...>()}}>(where, x);
  }
  static constexpr auto body(const detail::attributes& a, auto x) { return x.without_axes(a); }
} squeeze;

}  // namespace weft
