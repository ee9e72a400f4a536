// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/primitive.hpp>

namespace weft {

namespace detail {
/// Two operands end to end along the axis of attribute 0.
struct concat_ final : structural<concat_, "concat", 2, op_kind::other> {
  static constexpr auto vjp(auto g, auto x, auto y, auto r) {
    const int axis = static_cast<int>(r.node().at.v[0]);
    return std::tuple{g.sliced(axis, 0, 1, x.extent(axis)),
                      g.sliced(axis, x.extent(axis), 1, y.extent(axis))};
  }
};
}  // namespace detail

inline constexpr struct concatenate_ final : derived_with<concatenate_, "concat", 2> {
  static constexpr auto doc = "Tensors end to end along an axis: `concat(axis<0>, a, b, c)`.";
  template <index_t A, detail::operand X, detail::operand Y>
  constexpr auto operator()(detail::axis_tag<A>, const X& x, const Y& y,
                            std::source_location where = std::source_location::current()) const {
    return detail::apply_with<concatenate_, detail::attributes{{A}}>(where, x, y);
  }
  template <index_t A, detail::operand X, detail::operand Y, detail::operand... More>
    requires(sizeof...(More) > 0)
  constexpr auto operator()(detail::axis_tag<A> along, const X& x, const Y& y,
                            const More&... more) const {
    return (*this)(along, (*this)(along, x, y, std::source_location{}), more...);
  }
  static constexpr auto body(const detail::attributes& a, auto x, auto y) {
    return x.joined(y, a.v[0]);
  }
} concat;

}  // namespace weft
