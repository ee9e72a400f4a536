// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/array/tensor.hpp>
#include <weft/array/view.hpp>
#include <weft/base/error.hpp>

#include <Eigen/Core>

#include <string>
#include <type_traits>

// The interop with Eigen, without a copy in either direction. weft.hpp does not include this
// header.
namespace weft {

namespace detail {

constexpr int eigen_extent(index_t e) {
  return e == dyn ? Eigen::Dynamic : static_cast<int>(e);
}

/// T, if Eigen can compute with it. (Eigen has types of 16 bits, but they are not Weft's.)
template <class T>
struct eigen_scalar {
  static_assert(!is_half_type<T>,
                "weft: as_eigen: Eigen does not know half and bfloat16: give it cast<float>(x)");
  using type = T;
};

/// A row-major matrix of these extents. Eigen has no row-major columns; they are the same in
/// memory.
template <class T, index_t Rows, index_t Columns>
using eigen_matrix =
    Eigen::Matrix<typename eigen_scalar<T>::type, eigen_extent(Rows), eigen_extent(Columns),
                  Columns == 1 && Rows != 1 ? Eigen::ColMajor : Eigen::RowMajor>;
template <class T, index_t Extent>
using eigen_vector = Eigen::Matrix<typename eigen_scalar<T>::type, eigen_extent(Extent), 1>;

/// A matrix or array, or a map or block of one: values that lie in memory.
template <class M>
concept eigen_direct = std::is_base_of_v<Eigen::EigenBase<M>, M> &&
                       (M::Flags& Eigen::DirectAccessBit) != 0;

template <class T>
constexpr void check_eigen_scalar() {
  static_assert(element<T>,
                "weft: from_eigen(matrix): the scalar must be one of bool, uint8_t, int32_t, "
                "uint32_t, int64_t, uint64_t, float, double: cast<float> in Eigen");
}

/// Eigen's maps do not go backwards.
inline void check_eigen_strides(const index_t* strides, int rank) {
  for (int i = 0; i < rank; ++i)
    if (strides[i] < 0)
      throw value_error("weft: as_eigen: axis " + std::to_string(i) + " of the view has stride " +
                        std::to_string(strides[i]) +
                        ", and Eigen::Map takes none below 0: give it view.copy()");
}

}  // namespace detail

/// The elements of a tensor of rank 1 or 2 as an Eigen::Map: a column, or a row-major matrix.
/// Nothing is copied; what the tensor knows of its extents the map knows, too. Valid while the
/// tensor keeps its storage.
template <class T, index_t Rows, index_t Columns>
auto as_eigen(tensor<T, Rows, Columns>& x) {
  return Eigen::Map<detail::eigen_matrix<T, Rows, Columns>>(x.data(), x.extent(0), x.extent(1));
}
template <class T, index_t Rows, index_t Columns>
auto as_eigen(const tensor<T, Rows, Columns>& x) {
  return Eigen::Map<const detail::eigen_matrix<T, Rows, Columns>>(x.data(), x.extent(0),
                                                                  x.extent(1));
}
template <class T, index_t Extent>
auto as_eigen(tensor<T, Extent>& x) {
  return Eigen::Map<detail::eigen_vector<T, Extent>>(x.data(), x.extent(0));
}
template <class T, index_t Extent>
auto as_eigen(const tensor<T, Extent>& x) {
  return Eigen::Map<const detail::eigen_vector<T, Extent>>(x.data(), x.extent(0));
}

/// The same of a view, with its strides: an Eigen::Map with Eigen::Stride or Eigen::InnerStride.
template <class T>
auto as_eigen(const view<T, 2>& x) {
  detail::check_eigen_strides(x.strides().data(), 2);
  using matrix_type = detail::eigen_matrix<std::remove_const_t<T>, dyn, dyn>;
  using map = Eigen::Map<std::conditional_t<std::is_const_v<T>, const matrix_type, matrix_type>,
                         Eigen::Unaligned, Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>>;
  return map(x.data(), x.extent(0), x.extent(1), {x.stride(0), x.stride(1)});
}
template <class T>
auto as_eigen(const view<T, 1>& x) {
  detail::check_eigen_strides(x.strides().data(), 1);
  using vector_type = detail::eigen_vector<std::remove_const_t<T>, dyn>;
  using map = Eigen::Map<std::conditional_t<std::is_const_v<T>, const vector_type, vector_type>,
                         Eigen::Unaligned, Eigen::InnerStride<Eigen::Dynamic>>;
  return map(x.data(), x.extent(0), Eigen::InnerStride<Eigen::Dynamic>(x.stride(0)));
}
/// A map of a tensor that is about to end would be left without its elements.
template <class T, index_t... E>
void as_eigen(tensor<T, E...>&&) = delete;

namespace detail {

template <class M>
auto viewed_from_eigen(M& m) {
  using T = std::remove_reference_t<decltype(*m.data())>;
  check_eigen_scalar<std::remove_const_t<T>>();
  const storage_ptr none;  // the caller keeps the elements alive
  if constexpr (M::IsVectorAtCompileTime) {
    const index_t step = M::ColsAtCompileTime == 1 ? m.rowStride() : m.colStride();
    return view<T, 1>(none, m.data(), {m.size()}, {step});
  } else {
    return view<T, 2>(none, m.data(), {m.rows(), m.cols()}, {m.rowStride(), m.colStride()});
  }
}

template <class M>
auto copied_from_eigen(const M& m) {
  using T = typename M::Scalar;
  check_eigen_scalar<T>();
  constexpr auto known = [](int e) { return e == Eigen::Dynamic ? dyn : index_t{e}; };
  if constexpr (M::IsVectorAtCompileTime) {
    auto out = tensor<T, known(M::SizeAtCompileTime)>::uninitialized({m.size()});
    if constexpr (M::ColsAtCompileTime == 1)
      as_eigen(out) = m.matrix();
    else
      as_eigen(out).transpose() = m.matrix();
    return out;
  } else {
    auto out = tensor<T, known(M::RowsAtCompileTime), known(M::ColsAtCompileTime)>::uninitialized(
        {m.rows(), m.cols()});
    as_eigen(out) = m.matrix();
    return out;
  }
}

}  // namespace detail

/// An Eigen matrix or array (or a map or block of one) that has a name becomes a view, whatever its
/// storage order: nothing is copied, and the view is valid while the matrix keeps its memory. Of a
/// const matrix it is a view through which nothing is written. An expression, or a matrix that is
/// about to end, becomes a tensor of its own, whose type knows the extents that Eigen's knows. Both
/// have rank 2, or rank 1 for a column or row whose type says so.
template <class M>
  requires std::is_base_of_v<Eigen::EigenBase<std::remove_cvref_t<M>>, std::remove_cvref_t<M>>
auto from_eigen(M&& m) {
  if constexpr (std::is_lvalue_reference_v<M> && detail::eigen_direct<std::remove_cvref_t<M>>)
    return detail::viewed_from_eigen(m);
  else
    return detail::copied_from_eigen(m);
}

}  // namespace weft
