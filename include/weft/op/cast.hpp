// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/primitive.hpp>

namespace weft {

namespace detail {
/// Conversion to the dtype of attribute 0. Its SIMD form is `simd::convert`, which takes the type.
struct cast_ final : structural<cast_, "cast", 1, op_kind::pointwise> {
  static constexpr auto doc =
      "x as another dtype, elementwise: floats to integers truncate and saturate, NaN gives 0; "
      "integers wrap; rounds always, even between fused ops.";
  /// Between floats only: integers and bools block gradients.
  static constexpr auto vjp(auto g, auto x, auto) {
    return is_floating(g.type()) && is_floating(x.type()) ? g.as(x.type()) : decltype(g){};
  }
  static constexpr auto cuda = "cast<$T>($0)";
};
}  // namespace detail

/// x as dtype T: `cast<double>(x)`.
template <element T, detail::operand X>
constexpr auto cast(const X& x, std::source_location where = std::source_location::current()) {
  return detail::apply_with<detail::cast_, detail::attributes{{static_cast<index_t>(dtype_of<T>)}}>(
      where, x);
}

}  // namespace weft
