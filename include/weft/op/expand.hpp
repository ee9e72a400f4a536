// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/primitive.hpp>

namespace weft {

inline constexpr struct expand_ final : derived_with<expand_, "expand", 1> {
  static constexpr auto doc =
      "Extents of 1, and missing ones in front, repeated to a shape: `expand(x, shape<4, -1>)`; "
      "-1 keeps an extent. The gradient is summed back.";
  template <detail::operand X, index_t... E>
  constexpr auto operator()(const X& x, detail::shape_tag<E...>,
                            std::source_location where = std::source_location::current()) const {
    return detail::apply_with<expand_, detail::pack_shape<E...>()>(where, x);
  }
  static constexpr auto body(const detail::attributes& a, auto x) { return x.expanded(a); }
} expand;

/// The array API's name for expand.
inline constexpr const expand_& broadcast_to = expand;

}  // namespace weft
