// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/primitive.hpp>

namespace weft {

namespace detail {
/// Slices of x at the places y (int32 or int64) of the axis of attribute 0, which y's axes replace.
struct gather_ final : structural<gather_, "take", 2, op_kind::other> {
  static constexpr auto vjp(auto g, auto x, auto y, auto r) {
    return std::tuple{g.scattered(x, y, r.node().at.v[0]), no_gradient{}};
  }
};
/// Zeros, with the slices of x added at the places y of the axis of attribute 0. The gradient of
/// take.
struct scatter_add_ final : structural<scatter_add_, "scatter_add", 2, op_kind::other> {
  static constexpr auto vjp(auto g, auto, auto y, auto r) {
    return std::tuple{g.gathered(y, r.node().at.v[0]), no_gradient{}};
  }
};
}  // namespace detail

inline constexpr struct take_ final : derived_with<take_, "take", 2> {
  static constexpr auto doc =
      "Elements of x at integer indices along an axis (0 by default): `take(x, indices, "
      "axis<1>)`. Negative indices count from the end; one out of range is an index_error, before "
      "anything is written.";
  template <detail::operand X, detail::operand Y>
  constexpr auto operator()(const X& x, const Y& indices,
                            std::source_location where = std::source_location::current()) const {
    return detail::apply_with<take_, detail::attributes{}>(where, x, indices);
  }
  template <detail::operand X, detail::operand Y, index_t A>
  constexpr auto operator()(const X& x, const Y& indices, detail::axis_tag<A>,
                            std::source_location where = std::source_location::current()) const {
    return detail::apply_with<take_, detail::attributes{{A}}>(where, x, indices);
  }
  static constexpr auto body(const detail::attributes& a, auto x, auto indices) {
    return x.taken(indices, a.v[0]);
  }
} take;

}  // namespace weft
