// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/primitive.hpp>

namespace weft {

inline constexpr struct transpose_ final : derived_with<transpose_, "transpose", 1> {
  static constexpr auto doc =
      "The axes in reverse order, or in the order given: `transpose(x, axis<0, 2, 1>)`.";
  template <detail::operand X>
  constexpr auto operator()(const X& x,
                            std::source_location where = std::source_location::current()) const {
    return detail::apply_with<transpose_, detail::attributes{{0, 1}}>(where, x);
  }
  template <detail::operand X, index_t... A>
  constexpr auto operator()(const X& x, detail::axis_tag<A...>,
                            std::source_location where = std::source_location::current()) const {
    return detail::apply_with<transpose_, detail::attributes{{detail::pack_axes<A...>(), 0,
                                                              sizeof...(A)}}>(where, x);
  }
  static constexpr auto body(const detail::attributes& a, auto x) { return x.transposed(a); }
} transpose;

}  // namespace weft
