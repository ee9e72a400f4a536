// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/lane_select.hpp>

namespace weft::simd {

/// The values as U: floats to integers truncate and saturate, with 0 for NaN; integers wrap when
/// narrowed; integers to floats round to nearest; to bool is != 0 (the mask<T, W> of a lane<T, W>).
template <class U, class T, std::size_t W, class A>
WEFT_INLINE auto convert(lane<T, W, A> x) noexcept {
  if constexpr (std::is_same_v<T, U>)
    return x;
  else if constexpr (std::is_same_v<U, bool>)
    return x != lane<T, W, A>(T(0));
  else if constexpr (std::is_same_v<T, float> && std::is_integral_v<U> && sizeof(U) == 8)
    return convert<U>(convert<double>(x));
  else if constexpr (x.is_pair || lane<U, W, A>::is_pair)
    return join(convert<U>(low_half(x)), convert<U>(high_half(x)));
  else if constexpr (std::is_floating_point_v<T> && std::is_integral_v<U>)
    return lane<U, W, A>(reg::float_to_integer<U>(x.v));
  else
    return lane<U, W, A>(reg::cast_vector<U>(x.v));
}
/// Truth values as 1 and 0 of U (U = bool: the mask itself).
template <class U, class T, std::size_t W, class A>
WEFT_INLINE auto convert(mask<T, W, A> m) noexcept {
  if constexpr (std::is_same_v<U, bool>)
    return m;
  else
    return select(m, lane<U, W, A>(U(1)), lane<U, W, A>(U(0)));
}

}  // namespace weft::simd
