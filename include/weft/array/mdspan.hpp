// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <version>

#if defined(__cpp_lib_mdspan)

#include <array>
#include <cstddef>
#include <mdspan>
#include <string>
#include <type_traits>
#include <utility>

#include <weft/array/tensor.hpp>

namespace weft {
namespace detail {

template <class Extents>
constexpr shape_t<static_cast<int>(Extents::rank())> mdspan_shape(const Extents& extents) {
  shape_t<static_cast<int>(Extents::rank())> shape{};
  for (std::size_t i = 0; i < shape.size(); ++i)
    shape[i] = static_cast<index_t>(extents.extent(i));
  return shape;
}

template <std::size_t Extent>
inline constexpr index_t mdspan_extent =
    Extent == std::dynamic_extent ? dyn : static_cast<index_t>(Extent);

template <class T, class Extents, std::size_t... I>
auto tensor_for(const Extents& extents, std::index_sequence<I...>) {
  return tensor<T, mdspan_extent<Extents::static_extent(I)>...>::uninitialized(
      mdspan_shape(extents));
}

}  // namespace detail

/// The elements of a tensor as a std::mdspan, without a copy; static extents stay static. The
/// tensor must outlive it.
template <class T, index_t... E>
auto to_mdspan(tensor<T, E...>& x) {
  using extents_type =
      std::extents<index_t, (E == dyn ? std::dynamic_extent : static_cast<std::size_t>(E))...>;
  return std::mdspan<T, extents_type>(x.data(), extents_type(x.shape()));
}
template <class T, index_t... E>
auto to_mdspan(const tensor<T, E...>& x) {
  using extents_type =
      std::extents<index_t, (E == dyn ? std::dynamic_extent : static_cast<std::size_t>(E))...>;
  return std::mdspan<const T, extents_type>(x.data(), extents_type(x.shape()));
}

/// A view as a strided std::mdspan. Throws value_error for a stride that is not positive, which
/// std::layout_stride does not have.
template <class T, int Rank>
auto to_mdspan(const view<T, Rank>& x) {
  for (int i = 0; i < Rank; ++i)
    if (x.stride(i) <= 0)
      throw value_error("weft: to_mdspan: stride " + std::to_string(x.stride(i)) + " of axis " +
                        std::to_string(i) + " is not positive; copy the view first");
  using extents_type = std::dextents<index_t, static_cast<std::size_t>(Rank)>;
  using mapping = std::layout_stride::mapping<extents_type>;
  return std::mdspan<T, extents_type, std::layout_stride>(
      x.data(), mapping(extents_type(x.shape()), x.strides()));
}

/// A tensor with the elements of any std::mdspan, whatever its layout; static extents stay static.
template <class T, class Extents, class Layout, class Accessor>
auto from_mdspan(const std::mdspan<T, Extents, Layout, Accessor>& m) {
  constexpr std::size_t rank = Extents::rank();
  auto out = detail::tensor_for<std::remove_const_t<T>>(m.extents(),
                                                        std::make_index_sequence<rank>{});
  std::array<index_t, rank> at{};
  auto* const to = out.data();
  const index_t count = out.size();
  for (index_t n = 0; n < count; ++n) {
    to[n] = m[at];
    for (std::size_t i = rank; i-- > 0;) {
      if (++at[i] < static_cast<index_t>(m.extent(i))) break;
      at[i] = 0;
    }
  }
  return out;
}

/// A view of the elements of a strided std::mdspan, without a copy. What the span refers to must
/// outlive the view.
template <class T, class Extents, class Layout>
auto view_mdspan(const std::mdspan<T, Extents, Layout>& m) {
  constexpr int rank = static_cast<int>(Extents::rank());
  shape_t<rank> strides{};
  for (std::size_t i = 0; i < strides.size(); ++i)
    strides[i] = static_cast<index_t>(m.stride(i));
  return view<T, rank>({}, m.data_handle(), detail::mdspan_shape(m.extents()), strides);
}

}  // namespace weft

#endif
