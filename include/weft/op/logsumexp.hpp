// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/abs.hpp>
#include <weft/op/add.hpp>
#include <weft/op/divide.hpp>
#include <weft/op/equal.hpp>
#include <weft/op/exp.hpp>
#include <weft/op/log.hpp>
#include <weft/op/multiply.hpp>
#include <weft/op/reduce.hpp>
#include <weft/op/stop_gradient.hpp>
#include <weft/op/subtract.hpp>
#include <weft/op/where.hpp>

#include <limits>

namespace weft {

inline constexpr struct logsumexp_ final : detail::reducing<logsumexp_, "logsumexp"> {
  static constexpr auto doc =
      "log(sum(exp(x))) over all axes, or those named, shifted by the maximum. -inf where empty "
      "or all -inf; inf where any is inf.";
  static constexpr auto body(const detail::attributes& a, auto x) {
    x.require_floating(name);
    const auto mask = x.axes(a, name);
    const auto s = shift(x, mask);
    auto total = exp(x - s).template reduce<detail::reduce_sum_>(mask);
    return (log(total) + s).squeezed(a, mask);
  }
  /// Its own: softmax, and 0 where all are -inf.
  static constexpr auto vjp(const detail::attributes& a, auto g, auto x, auto) {
    const auto mask = x.axes(a, name);
    auto e = exp(x - shift(x, mask));
    auto total = e.template reduce<detail::reduce_sum_>(mask);
    return where(total == 0, 0, g.reshaped(total.shape()) * (e / total));
  }

 private:
  /// The maximum where it is finite, or NaN: an infinite one would make differences of infinities.
  static constexpr auto shift(auto x, index_t mask) {
    auto m = stop_gradient(x.template reduce<detail::reduce_max_>(mask));
    return where(abs(m) == infinity, 0, m);
  }
  static constexpr double infinity = std::numeric_limits<double>::infinity();
} logsumexp;

}  // namespace weft
