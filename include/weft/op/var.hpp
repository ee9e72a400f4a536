// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/add.hpp>
#include <weft/op/cast.hpp>
#include <weft/op/divide.hpp>
#include <weft/op/equal.hpp>
#include <weft/op/greater.hpp>
#include <weft/op/maximum.hpp>
#include <weft/op/mean.hpp>
#include <weft/op/multiply.hpp>
#include <weft/op/reduce.hpp>
#include <weft/op/sqrt.hpp>
#include <weft/op/stop_gradient.hpp>
#include <weft/op/subtract.hpp>
#include <weft/op/where.hpp>

#include <limits>

namespace weft {

namespace detail {

/// What var and std share: axes, keepdims, ddof (attribute 3), and the elements less their mean.
template <class Derived, fixed_string Name>
struct spread : reducing<Derived, Name> {
  using reducing<Derived, Name>::operator();
  template <operand X, int N>
  constexpr auto operator()(const X& x, ddof_tag<N>,
                            std::source_location where = std::source_location::current()) const {
    return apply_with<Derived, attributes{{0, 0, 1, N}}>(where, x);
  }
  template <operand X, index_t... A, int N>
  constexpr auto operator()(const X& x, axis_tag<A...>, ddof_tag<N>,
                            std::source_location where = std::source_location::current()) const {
    return apply_with<Derived, attributes{{pack_axes<A...>(), 0, 0, N}}>(where, x);
  }
  template <operand X, index_t... A, int N>
  constexpr auto operator()(const X& x, axis_tag<A...>, keepdims_tag, ddof_tag<N>,
                            std::source_location where = std::source_location::current()) const {
    return apply_with<Derived, attributes{{pack_axes<A...>(), 1, 0, N}}>(where, x);
  }

 protected:
  /// In double, so that squares of floats neither vanish nor overflow. Doubles are first shifted by
  /// their maximum, which makes a constant's deviations exactly 0.
  static constexpr auto deviations(auto x, index_t mask) {
    auto d = x.as(dtype::float64);
    if (x.type() == dtype::float64) d = d - stop_gradient(d.template reduce<reduce_max_>(mask));
    return d - d.template reduce<reduce_sum_>(mask) / d.count(mask);
  }
  /// n - ddof, or NaN where that is not positive.
  static constexpr auto freedom(auto d, index_t mask, index_t ddof) {
    auto n = d.count(mask);
    if (ddof == 0) return n;
    const auto by = static_cast<double>(ddof);
    return where(n > by, n - by, std::numeric_limits<double>::quiet_NaN());
  }
  static constexpr auto variance(const attributes& a, auto x, index_t mask) {
    auto d = deviations(x, mask);
    return (d * d).template reduce<reduce_sum_>(mask) / freedom(d, mask, a.v[3]);
  }
};

}  // namespace detail

inline constexpr struct var_ final : detail::spread<var_, "var"> {
  static constexpr auto doc =
      "The variance over all axes, or those named: two passes, in double, divided by n - ddof "
      "(`ddof<1>`; 0 by default, as in NumPy), NaN where that is not positive.";
  static constexpr auto body(const detail::attributes& a, auto x) {
    x.require_floating(name);
    const auto mask = x.axes(a, name);
    return variance(a, x, mask).as(x.type()).squeezed(a, mask);
  }
  /// Its own: the mean's share cancels.
  static constexpr auto vjp(const detail::attributes& a, auto g, auto x, auto) {
    const auto mask = x.axes(a, name);
    auto d = deviations(x, mask);
    auto n = freedom(d, mask, a.v[3]);
    auto wide = g.as(dtype::float64).reshaped(d.template reduce<detail::reduce_sum_>(mask).shape());
    return (wide * (d * (2 / n))).as(x.type());
  }
} var;

// Not `std`, which would hide the standard library from readers.
inline constexpr struct stddev_ final : detail::spread<stddev_, "stddev"> {
  static constexpr auto doc =
      "The standard deviation over all axes, or those named: the root of var, with its ddof. The "
      "gradient at a constant is 0.";
  static constexpr auto body(const detail::attributes& a, auto x) {
    x.require_floating(name);
    const auto mask = x.axes(a, name);
    return sqrt(variance(a, x, mask)).as(x.type()).squeezed(a, mask);
  }
  /// Its own: 0 where the deviation is 0, and not 0 * inf.
  static constexpr auto vjp(const detail::attributes& a, auto g, auto x, auto) {
    const auto mask = x.axes(a, name);
    auto d = deviations(x, mask);
    auto root = sqrt(variance(a, x, mask));
    auto n = freedom(d, mask, a.v[3]);
    auto wide = g.as(dtype::float64).reshaped(root.shape());
    return where(root == 0, 0, wide * (d / (n * root))).as(x.type());
  }
} stddev;

}  // namespace weft
