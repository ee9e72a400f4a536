// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/lane.hpp>
#include <weft/cpu/math.hpp>

namespace weft::simd {

namespace reg {
template <class T, class A, class F>
struct on_batch {
  F f;
  template <class... V>
  WEFT_INLINE auto operator()(V... x) const noexcept {
    using B = xsimd::batch<T, A>;
    using R = typename B::register_type;
    return vec<T, B::size>(f(B(R(x))...).data);
  }
};
}  // namespace reg

/// f, a function of xsimd batches to a batch, on all of a lane. It must treat every place alike:
/// lanes that are smaller than a batch fill it with copies.
template <class F, std::floating_point T, std::size_t W, class A, class... Rest>
WEFT_INLINE lane<T, W, A> map_batches(F f, lane<T, W, A> x, Rest... rest) noexcept {
  if constexpr (x.is_pair)
    return {map_batches(f, x.lo, rest.lo...), map_batches(f, x.hi, rest.hi...)};
  else {
    constexpr std::size_t size = reg::native_bytes<T, A>;
    return lane<T, W, A>(reg::fitted<size, size>(reg::on_batch<T, A, F>{f}, x.v, rest.v...));
  }
}

#define WEFT_LANE_MATH(name)                                                   \
  template <std::floating_point T, std::size_t W, class A>                     \
  WEFT_INLINE lane<T, W, A> name(lane<T, W, A> x) noexcept {                   \
    return map_batches([](xsimd::batch<T, A> b) { return math::name(b); }, x); \
  }
WEFT_LANE_MATH(exp)
WEFT_LANE_MATH(expm1)
WEFT_LANE_MATH(log)
WEFT_LANE_MATH(log1p)
WEFT_LANE_MATH(sin)
WEFT_LANE_MATH(cos)
WEFT_LANE_MATH(tanh)
WEFT_LANE_MATH(erf)
WEFT_LANE_MATH(erfc)
WEFT_LANE_MATH(sigmoid)
#undef WEFT_LANE_MATH

}  // namespace weft::simd
