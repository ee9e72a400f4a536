// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <array>
#include <string>
#include <type_traits>

#include <weft/array/extents.hpp>
#include <weft/array/forward.hpp>
#include <weft/base/error.hpp>

// Which tensors and views convert to a tensor, and what is said where one does not.
namespace weft::detail {

/// The extents in the type of a tensor, dyn for the axes of a view.
template <class X>
inline constexpr auto known_extents = X::static_extents;
template <class T, int Rank>
inline constexpr auto known_extents<view<T, Rank>> =
    dynamic_tensor<std::remove_const_t<T>, Rank>::static_extents;

/// Whether extents in two types of one rank can describe the same shape.
template <class X, class D>
constexpr bool extents_may_agree() {
  for (std::size_t i = 0; i < D::static_extents.size(); ++i) {
    const index_t a = known_extents<X>[i], b = D::static_extents[i];
    if (a != dyn && b != dyn && a != b) return false;
  }
  return true;
}

template <class X, class D>
constexpr bool converts() {
  if constexpr (!is_tensor<X> && !is_view<X>)
    return false;
  else if constexpr (!std::is_same_v<typename X::value_type, typename D::value_type>)
    return false;
  else if constexpr (X::rank != D::rank)
    return false;
  else
    return extents_may_agree<X, D>();
}

/// A tensor of another type, or a view, whose elements tensor D can take.
template <class X, class D>
concept source_for = !std::is_same_v<X, D> && converts<X, D>();

/// The sentence for a tensor or view that does not convert.
template <class X, class D>
constexpr void refuse_source() {
  constexpr bool same_dtype = std::is_same_v<typename X::value_type, typename D::value_type>;
  constexpr bool same_rank = X::rank == D::rank;
  static_assert(same_dtype, "weft: assignment between different dtypes; convert with cast<T>(x)");
  static_assert(!same_dtype || same_rank,
                "weft: assignment to a tensor from another rank; the ranks must be equal");
  static_assert(!same_dtype || !same_rank,
                "weft: assignment between static extents that differ; the shapes must be equal");
}

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_moved_from(const index_t* shape,
                                                                    int rank) {
  throw_error<value_error>(
      "weft: a tensor of shape %s was used after its storage was moved away; assign to it first",
      shape_text(shape, rank).text);
}

}  // namespace weft::detail
