// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/array/extents.hpp>
#include <weft/array/operators.hpp>

namespace weft {

namespace detail {

/// What an op needs besides its operands: resolved axes, a permutation, bounds of a slice, target
/// extents. Structural, since attributes are part of an expression's type.
struct attributes {
  index_t v[max_rank]{};
  constexpr bool operator==(const attributes& o) const {
    static_assert(max_rank == 6);  // spelled out: a loop costs constant evaluation more than this
    return v[0] == o.v[0] && v[1] == o.v[1] && v[2] == o.v[2] && v[3] == o.v[3] && v[4] == o.v[4] &&
           v[5] == o.v[5];
  }
};

template <index_t... A>
struct axis_tag {
  static constexpr int size = sizeof...(A);
  static constexpr index_t values[sizeof...(A) + 1]{A..., 0};
};
template <index_t... E>
struct shape_tag {
  static constexpr int size = sizeof...(E);
  static constexpr index_t values[sizeof...(E) + 1]{E..., 0};
};
struct keepdims_tag {};

/// In an attribute word: an axis list of up to six axes, a nibble each (axis + 7; 0 ends the list).
template <index_t... A>
constexpr index_t pack_axes() {
  static_assert(((A >= -max_rank && A < max_rank) && ...),
                "weft: axis<...>: an axis is out of range: a tensor has at most 6 axes");
  static_assert(sizeof...(A) <= max_rank, "weft: axis<...>: more axes than a tensor can have");
  index_t word = 0, shift = 0;
  ((word |= (A + 7) << shift, shift += 4), ...);
  return word;
}

/// In attribute words: extents, each + 2, so that 0 ends them.
template <index_t... E>
constexpr attributes pack_shape() {
  static_assert(sizeof...(E) <= max_rank, "weft: a shape has at most 6 axes");
  attributes a;
  int i = 0;
  ((a.v[i++] = E + 2), ...);
  return a;
}

template <int N>
struct ddof_tag {};

}  // namespace detail

/// Names the axes of a reduction: `sum(x, axis<0, -1>)`. Negative axes count from the end.
template <index_t... A>
inline constexpr detail::axis_tag<A...> axis{};

/// A shape known to the compiler: `reshape(x, shape<2, -1>)`; -1 stands for the extent that follows
/// from the size.
template <index_t... E>
inline constexpr detail::shape_tag<E...> shape{};

/// Keeps reduced axes with extent 1: `max(x, axis<-1>, keepdims)`.
inline constexpr detail::keepdims_tag keepdims{};

/// What var and std take from the number of elements before they divide: `var(x, axis<0>,
/// ddof<1>)`.
template <int N>
inline constexpr detail::ddof_tag<N> ddof{};

/// The open end of a slice: `slice<0, 2, to_end>(x)`; going backwards, `slice<0, to_end, to_front,
/// -1>(x)`.
inline constexpr index_t to_end = 0x7fffffffffffffff;
inline constexpr index_t to_front = -to_end;

}  // namespace weft
