// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/cast.hpp>
#include <weft/op/divide.hpp>
#include <weft/op/equal.hpp>
#include <weft/op/multiply.hpp>
#include <weft/op/reduce.hpp>
#include <weft/op/sqrt.hpp>
#include <weft/op/where.hpp>

namespace weft {

inline constexpr struct norm_ final : detail::reducing<norm_, "norm"> {
  static constexpr auto doc =
      "The root of the sum of squares over all axes, or those named; summed in double. The "
      "gradient at 0 is 0.";
  static constexpr auto body(const detail::attributes& a, auto x) {
    x.require_floating(name);
    const auto mask = x.axes(a, name);
    return root(x, mask).as(x.type()).squeezed(a, mask);
  }
  /// Its own: x over the norm, and 0 at 0.
  static constexpr auto vjp(const detail::attributes& a, auto g, auto x, auto) {
    auto r = root(x, x.axes(a, name));
    auto wide = g.as(dtype::float64).reshaped(r.shape());
    return where(r == 0, 0, wide * (x.as(dtype::float64) / r)).as(x.type());
  }

 private:
  static constexpr auto root(auto x, index_t mask) {
    auto d = x.as(dtype::float64);
    return sqrt((d * d).template reduce<detail::reduce_sum_>(mask));
  }
} norm;

}  // namespace weft
