// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/along_axes.hpp>
#include <weft/op/divide.hpp>
#include <weft/op/exp.hpp>
#include <weft/op/log.hpp>
#include <weft/op/multiply.hpp>
#include <weft/op/stop_gradient.hpp>
#include <weft/op/subtract.hpp>

namespace weft {

namespace detail {

/// exp(x - max) and its sum over the axes of a mask, as softmax and its like share them.
template <class X>
struct shifted_exponentials {
  X z, e, total;
};
template <class X>
constexpr auto shift_by_max(X x, index_t mask) {
  const X z = x - stop_gradient(x.template reduce<reduce_max_>(mask));
  const X e = exp(z);
  return shifted_exponentials<X>{z, e, e.template reduce<reduce_sum_>(mask)};
}

}  // namespace detail

inline constexpr struct softmax_ final : detail::along_axes<softmax_, "softmax"> {
  static constexpr auto doc =
      "exp(x) over its sum along an axis, the last one by default: `softmax(x, axis<0>)`. Shifted "
      "by the maximum; a row of all -inf is NaN.";
  static constexpr auto body(const detail::attributes& a, auto x) {
    x.require_floating(name);
    const auto s = detail::shift_by_max(x, x.axes(a, name));
    return s.e / s.total;
  }
  /// Its own: one reduction in place of two.
  static constexpr auto vjp(const detail::attributes& a, auto g, auto, auto y) {
    auto gy = g * y;
    return gy - y * gy.template reduce<detail::reduce_sum_>(y.axes(a, name));
  }
} softmax;

inline constexpr struct log_softmax_ final : detail::along_axes<log_softmax_, "log_softmax"> {
  static constexpr auto doc =
      "The logarithm of softmax along an axis, the last one by default, without its overflow: "
      "[1000, 0] gives [0, -1000].";
  static constexpr auto body(const detail::attributes& a, auto x) {
    x.require_floating(name);
    const auto s = detail::shift_by_max(x, x.axes(a, name));
    return s.z - log(s.total);
  }
  /// Its own: cheaper, and finite where an element is -inf.
  static constexpr auto vjp(const detail::attributes& a, auto g, auto, auto y) {
    return g - exp(y) * g.template reduce<detail::reduce_sum_>(y.axes(a, name));
  }
} log_softmax;

}  // namespace weft
