// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/primitive.hpp>

namespace weft {

inline constexpr struct reshape_to_ final : derived_with<reshape_to_, "reshape", 1> {
  static constexpr auto doc =
      "The same elements in row-major order under another shape: `reshape(x, shape<2, -1>)`. "
      "One extent may be -1: it follows from the number of elements.";
  template <detail::operand X, index_t... E>
  constexpr auto operator()(const X& x, detail::shape_tag<E...>,
                            std::source_location where = std::source_location::current()) const {
    return detail::apply_with<reshape_to_, detail::pack_shape<E...>()>(where, x);
  }
  static constexpr auto body(const detail::attributes& a, auto x) { return x.reshaped(a); }
} reshape;

}  // namespace weft
