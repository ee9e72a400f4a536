// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/greater.hpp>
#include <weft/op/primitive.hpp>
#include <weft/op/reduce.hpp>
#include <weft/op/truth.hpp>

namespace weft {

inline constexpr struct any_ final : detail::reducing<any_, "any"> {
  static constexpr auto doc =
      "Whether any element is not 0, over all axes or those named; false where empty. NaN counts "
      "as true.";
  static constexpr detail::non_differentiable vjp{};
  static constexpr auto body(const detail::attributes& a, auto x) {
    const auto mask = x.axes(a, name);
    auto ones = detail::truth(x).as(dtype::int32);
    return (ones.template reduce<detail::reduce_max_>(mask) > 0).squeezed(a, mask);
  }
} any;

inline constexpr struct all_ final : detail::reducing<all_, "all"> {
  static constexpr auto doc =
      "Whether no element is 0, over all axes or those named; true where empty. NaN counts as "
      "true. Also the index of a whole axis: `a(all, 0)`.";
  static constexpr detail::non_differentiable vjp{};
  static constexpr auto body(const detail::attributes& a, auto x) {
    const auto mask = x.axes(a, name);
    auto ones = detail::truth(x).as(dtype::int32);
    return (ones.template reduce<detail::reduce_min_>(mask) > 0).squeezed(a, mask);
  }
} all;

}  // namespace weft
