// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/lane_convert.hpp>
#include <weft/cpu/lane_float.hpp>
#include <weft/cpu/lane_memory.hpp>

// One tree for every reduction of a lane: place i meets place i + W/2, and so on. The order of a
// sum is part of a kernel's result, so it must not depend on the instruction set.

namespace weft::simd {

namespace reg {

struct add_op {
  template <class L>
  WEFT_INLINE static L apply(L a, L b) noexcept {
    return a + b;
  }
};
struct mul_op {
  template <class L>
  WEFT_INLINE static L apply(L a, L b) noexcept {
    return a * b;
  }
};
struct max_op {
  template <class L>
  WEFT_INLINE static L apply(L a, L b) noexcept {
    return maximum(a, b);
  }
};
struct min_op {
  template <class L>
  WEFT_INLINE static L apply(L a, L b) noexcept {
    return minimum(a, b);
  }
};

/// every place meets place i ^ D, then i ^ D/2, ...: place 0 has the tree's result
template <class Op, std::size_t D, class L, std::size_t... I>
WEFT_INLINE L butterfly(L x, std::index_sequence<I...> places) noexcept {
  x = Op::apply(x, L(pick(x.v, x.v, std::index_sequence<(I ^ D)...>{})));
  if constexpr (D > 1)
    return butterfly<Op, D / 2>(x, places);
  else
    return x;
}

template <class Op, class T, std::size_t W, class A>
WEFT_INLINE T reduce(lane<T, W, A> x) noexcept {
  if constexpr (x.is_pair || sizeof(x) > 16)
    return reduce<Op>(Op::apply(low_half(x), high_half(x)));
  else
    return butterfly<Op, W / 2>(x, std::make_index_sequence<W>{}).v[0];
}

template <class L, std::size_t... I>
WEFT_INLINE L counting(std::index_sequence<I...>) noexcept {
  using T = lane_value_t<L>;
  const T x[] = {T(I)...};
  return load<L>(x);
}

}  // namespace reg

/// The sum of the places; integers wrap.
template <class T, std::size_t W, class A>
WEFT_INLINE T reduce_add(lane<T, W, A> x) noexcept {
  return reg::reduce<reg::add_op>(x);
}
template <class T, std::size_t W, class A>
WEFT_INLINE T reduce_mul(lane<T, W, A> x) noexcept {
  return reg::reduce<reg::mul_op>(x);
}
/// The greatest place, NaN if any is.
template <class T, std::size_t W, class A>
WEFT_INLINE T reduce_max(lane<T, W, A> x) noexcept {
  return reg::reduce<reg::max_op>(x);
}
/// The least place, NaN if any is.
template <class T, std::size_t W, class A>
WEFT_INLINE T reduce_min(lane<T, W, A> x) noexcept {
  return reg::reduce<reg::min_op>(x);
}
/// The sum of the places, each widened to double first.
template <std::size_t W, class A>
WEFT_INLINE double reduce_add_double(lane<float, W, A> x) noexcept {
  return reduce_add(convert<double>(x));
}

/// start, start + 1, ...
template <class L>
  requires is_lane<L> WEFT_INLINE L iota(lane_value_t<L> start)
noexcept {
  return L(start) + reg::counting<L>(std::make_index_sequence<width<L>>{});
}

}  // namespace weft::simd
