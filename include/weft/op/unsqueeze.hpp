// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/primitive.hpp>

namespace weft {

inline constexpr struct unsqueeze_ final : derived_with<unsqueeze_, "unsqueeze", 1> {
  static constexpr auto doc =
      "With new axes of extent 1, which stand at these places of the result: `unsqueeze(x, "
      "axis<0, -1>)`.";
  template <detail::operand X, index_t... A>
  constexpr auto operator()(const X& x, detail::axis_tag<A...>,
                            std::source_location where = std::source_location::current()) const {
    return detail::apply_with<unsqueeze_, detail::attributes{{detail::pack_axes<A...>()}}>(where,
                                                                                           x);
  }
  static constexpr auto body(const detail::attributes& a, auto x) { return x.with_axes(a); }
} unsqueeze;

/// NumPy's name for unsqueeze.
inline constexpr const unsqueeze_& expand_dims = unsqueeze;

}  // namespace weft
