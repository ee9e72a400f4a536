// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <weft/array/dtype.hpp>
#include <weft/array/expression.hpp>
#include <weft/array/extents.hpp>
#include <weft/array/forward.hpp>
#include <weft/array/indexing.hpp>
#include <weft/array/operators.hpp>
#include <weft/array/scalar.hpp>
#include <weft/array/storage.hpp>
#include <weft/array/strided.hpp>

namespace weft {

namespace detail {
// A rank-0 view converts to its number, and so needs the operators that take it as it is.
template <class T>
struct operators<view<T, 0>> : plain_operators<view<T, 0>> {};
}  // namespace detail

/// A strided window on a tensor's storage, which it shares: it sees later writes, and keeps the
/// storage alive. Assignment writes elements and never rebinds. Strides count elements and may be
/// negative or 0. A view of a const tensor is a view<const T, Rank>.
template <class T, int Rank>
class view : public detail::operators<view<T, Rank>> {
  static_assert(element<std::remove_const_t<T>>,
                "weft: view<T>: T must be one of bool, uint8_t, int32_t, uint32_t, int64_t, "
                "uint64_t, float, double, half, bfloat16");
  static_assert(Rank >= 0 && Rank <= max_rank, "weft: a view has 0 to 6 axes");

 public:
  static constexpr int rank = Rank;
  using value_type = std::remove_const_t<T>;
  using element_type = T;
  using shape_type = shape_t<Rank>;

  /// A window by its parts. The storage may be empty: then the caller keeps the elements alive.
  view(detail::storage_ptr storage, T* data, const shape_type& shape, const shape_type& strides)
      : storage_(std::move(storage)), data_(data), shape_(shape), strides_(strides) {}

  view(const view&) = default;
  view(view&&) noexcept = default;
  ~view() = default;

  /// A view through which nothing is written.
  template <class U>
    requires(std::is_const_v<T> && std::is_same_v<U, value_type>)
  view(const view<U, Rank>& other)
      : view(other.storage(), other.address(), other.shape(), other.strides()) {}

  /// All of a tensor.
  template <index_t... E>
    requires(sizeof...(E) == Rank)
  view(tensor<value_type, E...>& x)
      : view(x.storage(), x.address(), x.shape(), row_major(x.shape())) {}
  template <index_t... E>
    requires(sizeof...(E) == Rank && std::is_const_v<T>)
  view(const tensor<value_type, E...>& x)
      : view(x.storage(), x.address(), x.shape(), row_major(x.shape())) {}

  [[nodiscard]] const shape_type& shape() const { return shape_; }
  [[nodiscard]] const shape_type& strides() const { return strides_; }
  [[nodiscard]] index_t extent(int axis) const { return shape_[static_cast<std::size_t>(axis)]; }
  [[nodiscard]] index_t stride(int axis) const { return strides_[static_cast<std::size_t>(axis)]; }
  [[nodiscard]] index_t size() const { return product(shape_); }
  /// The first element. Throws device_error where it is not on the host.
  [[nodiscard]] T* data() const {
    storage_.require_host();
    return data_;
  }
  /// The same, on whatever device it is.
  [[nodiscard]] T* address() const { return data_; }
  [[nodiscard]] weft::device device() const { return storage_.where(); }
  [[nodiscard]] const detail::storage_ptr& storage() const { return storage_; }
  [[nodiscard]] bool is_contiguous() const {
    return detail::is_row_major(shape_.data(), strides_.data(), Rank);
  }

  /// One element, or a view of the view: integers (negative ones count from the end), ranges, all.
  /// Throws index_error.
  template <class... I>
  decltype(auto) operator()(const I&... i) const {
    detail::check_indices<Rank, I...>();
    if constexpr ((detail::integer_index<I> && ...)) {
      index_t offset = 0;
      int axis = 0;
      ((offset += detail::checked_index(i, axis, extent(axis)) * stride(axis), ++axis), ...);
      return static_cast<T&>(data()[offset]);
    } else {
      constexpr int kept = detail::kept_axes<I...>;
      shape_t<kept> shape{}, strides{};
      detail::axis_walk walk{shape_.data(), strides_.data(), shape.data(), strides.data()};
      (walk.take(i), ...);
      // No elements, no offset: there may be no storage to point into.
      T* const first = product(shape) == 0 ? data_ : data_ + walk.offset;
      return view<T, kept>(storage_, first, shape, strides);
    }
  }

  operator value_type() const
    requires(Rank == 0)
  {
    return detail::read_number<value_type>(storage_, data_);
  }
  operator float() const
    requires(Rank == 0 && detail::is_half_type<value_type>)
  {
    return detail::read_number<value_type>(storage_, data_);
  }

  /// The elements in storage of their own.
  [[nodiscard]] auto copy() const {
    auto out = detail::dynamic_tensor<value_type, Rank>::uninitialized(shape_);
    detail::copy_strided<value_type>(out.data(), row_major(shape_).data(), data(), strides_.data(),
                                     shape_.data(), Rank);
    return out;
  }

  /// Writes the elements of a view or tensor of the same rank (axes of extent 1 repeat) or of rank
  /// 0. The source is read as it was before, also where it overlaps. Throws shape_error.
  view& operator=(const view& other) {
    write(other.data(), other.shape_, other.strides_);
    return *this;
  }
  template <detail::array X>
  view& operator=(const X& other) {
    static_assert(std::is_same_v<typename X::value_type, value_type>,
                  "weft: assignment between different dtypes; convert with cast<T>(x)");
    static_assert(X::rank == Rank || X::rank == 0,
                  "weft: assignment to a view from another rank; the ranks must be equal");
    if constexpr (X::rank == Rank)
      write(other.data(), other.shape(), other.strides());
    else if constexpr (X::rank == 0)
      fill(*other.data());
    return *this;
  }

  /// Writes one scalar everywhere, in the view's dtype.
  template <class S>
    requires detail::is_number_type<S>
  view& operator=(S scalar) {
    fill(detail::scalar_to<value_type>(scalar));
    return *this;
  }

  template <expression X>
  view& operator=(const X& x) {
    check_mutable();
    detail::evaluator<X>::assign(x, *this);
    return *this;
  }

  template <detail::compound_operand X>
  view& operator+=(const X& x) {
    return compound<'+'>(x);
  }
  template <detail::compound_operand X>
  view& operator-=(const X& x) {
    return compound<'-'>(x);
  }
  template <detail::compound_operand X>
  view& operator*=(const X& x) {
    return compound<'*'>(x);
  }
  template <detail::compound_operand X>
  view& operator/=(const X& x) {
    return compound<'/'>(x);
  }

 private:
  static constexpr void check_mutable() {
    static_assert(!std::is_const_v<T>, "weft: assignment to a view of a const tensor");
  }

  template <char Op, class X>
  view& compound(const X& x) {
    check_mutable();
    detail::compound_assign<Op, view, X>::apply(*this, x);
    return *this;
  }

  void fill(value_type value) {
    check_mutable();
    detail::check_writable(shape_.data(), strides_.data(), Rank);
    storage_.require_host();
    if constexpr (!std::is_const_v<T>)
      detail::fill_strided<T>(data_, strides_.data(), shape_.data(), Rank, value);
  }

  void write(const value_type* from, const shape_type& shape, const shape_type& strides) {
    check_mutable();
    shape_type read = detail::broadcast_strides(shape, strides, shape_);
    detail::check_writable(shape_.data(), strides_.data(), Rank);
    storage_.require_host();
    if constexpr (!std::is_const_v<T>) {
      if (from == data_ && read == strides_) return;  // every element onto itself
      const auto span = [](const T* data, const shape_type& extents, const shape_type& steps) {
        return detail::byte_span(data, sizeof(T), extents.data(), steps.data(), Rank);
      };
      detail::storage_ptr old;
      if (span(data_, shape_, strides_).overlaps(span(from, shape, strides))) {
        old = detail::allocate_elements(dtype_of<T>, shape.data(), Rank);
        T* const saved = reinterpret_cast<T*>(old.data());
        detail::copy_strided<T>(saved, row_major(shape).data(), from, strides.data(), shape.data(),
                                Rank);
        from = saved;
        read = detail::broadcast_strides(shape, row_major(shape), shape_);
      }
      detail::copy_strided<T>(data_, strides_.data(), from, read.data(), shape_.data(), Rank);
    }
  }

  detail::storage_ptr storage_;
  T* data_ = nullptr;
  shape_type shape_{}, strides_{};
};

namespace detail {

/// All of a tensor as a view; a view as it is.
template <class T, index_t... E>
auto as_view(tensor<T, E...>& x) {
  return view<T, static_cast<int>(sizeof...(E))>(x);
}
template <class T, index_t... E>
auto as_view(const tensor<T, E...>& x) {
  return view<const T, static_cast<int>(sizeof...(E))>(x);
}
template <class T, int Rank>
view<T, Rank> as_view(const view<T, Rank>& x) {
  return x;
}

/// The view whose axis i is axis axes[i] of x.
template <class T, int Rank>
view<T, Rank> permuted(const view<T, Rank>& x,
                       const std::array<int, static_cast<std::size_t>(Rank)>& axes) {
  shape_t<Rank> shape{}, strides{};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    shape[i] = x.extent(axes[i]);
    strides[i] = x.stride(axes[i]);
  }
  return {x.storage(), x.address(), shape, strides};
}

}  // namespace detail
}  // namespace weft

// Last, because each class names the other: copy() needs the tensor complete where it is called.
#include <weft/array/tensor.hpp>
