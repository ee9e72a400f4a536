// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>

#include <weft/array/dtype.hpp>
#include <weft/array/expression.hpp>
#include <weft/array/extents.hpp>
#include <weft/array/forward.hpp>
#include <weft/array/indexing.hpp>
#include <weft/array/nested_list.hpp>
#include <weft/array/operators.hpp>
#include <weft/array/scalar.hpp>
#include <weft/array/source.hpp>
#include <weft/array/storage.hpp>
#include <weft/array/view.hpp>

namespace weft {

namespace detail {
// A rank-0 tensor converts to its number, and so needs the operators that take it as it is.
template <class T>
struct operators<tensor<T>> : plain_operators<tensor<T>> {};
}  // namespace detail

/// A row-major array that owns its elements. Extents in the type are compile-time facts, `dyn` ones
/// are set at run time. Copying copies the elements, moving is free. Copy and expression assignment
/// write in place when the shapes agree, otherwise into new storage; move assignment takes the
/// source's storage; views made before a change of storage keep the old.
template <class T, index_t... E>
class tensor : public detail::operators<tensor<T, E...>> {
  static_assert(element<T>,
                "weft: tensor<T>: T must be one of bool, uint8_t, int32_t, uint32_t, int64_t, "
                "uint64_t, float, double, half, bfloat16");
  using facts = extents<E...>;

 public:
  static constexpr int rank = facts::rank;
  static constexpr shape_t<rank> static_extents = facts::array;
  using value_type = T;
  using shape_type = shape_t<rank>;

  /// Static extents: zeros. Dynamic extents: empty, those extents are 0.
  tensor() : shape_(empty_shape()) {
    allocate();
    if (storage_) std::memset(storage_.data(), 0, storage_.bytes());
  }

  /// A tensor of a shape, its elements not set. Throws shape_error for a negative extent or one
  /// that differs from a static extent, memory_error where there is not that much memory.
  [[nodiscard]] static tensor uninitialized(const shape_type& shape) {
    check_shape(shape);
    return tensor(no_fill{}, shape);
  }

  /// Rank 0: from a scalar.
  template <class S>
    requires(rank == 0 && detail::is_number_type<S>)
  tensor(S scalar) : tensor(no_fill{}, shape_type{}) {
    *data() = detail::scalar_to<T>(scalar);
  }

  /// Ranks 1 to 3: from nested braces. Ragged braces throw shape_error.
  tensor(detail::nested_list<T, rank> list)
    requires(rank >= 1 && rank <= 3)
      : tensor(uninitialized(detail::list_shape<T, rank>(list))) {
    detail::list_copy<T, rank>(list, data());
  }

  tensor(const tensor& other) : shape_(other.shape_) {
    storage_ = detail::copied_elements(other.device(), other.storage_, other.address(),
                                       dtype_of<T>, shape_.data(), rank);
  }
  tensor(tensor&& other) noexcept
      : storage_(std::move(other.storage_)), shape_(std::exchange(other.shape_, empty_shape())) {}
  ~tensor() = default;

  /// From a tensor with other static extents, or a view. Throws shape_error where a static extent
  /// turns out to differ.
  template <detail::source_for<tensor> X>
  tensor(const X& other) : tensor(uninitialized(other.shape())) {
    take_elements(other);
  }
  template <index_t... F>
    requires detail::source_for<tensor<T, F...>, tensor>
  tensor(tensor<T, F...>&& other) : tensor(stealing{}, other) {}

  /// Only here to say why another tensor or view does not convert.
  template <detail::array X>
    requires(!detail::source_for<X, tensor>)
  explicit tensor(const X&) {
    detail::refuse_source<X, tensor>();
  }

  /// The value of an expression.
  template <expression X>
  tensor(const X& x) : tensor(detail::evaluator<X>::template make<tensor>(x)) {}

  tensor& operator=(const tensor& other) {
    if (!storage_.on_host() || !other.storage_.on_host()) {
      if (this != &other) *this = tensor(other);
      return *this;
    }
    reset(other.shape_);
    take_elements(other.data());
    return *this;
  }
  tensor& operator=(tensor&& other) noexcept {
    std::swap(storage_, other.storage_);  // so that the source stays a tensor of its type
    std::swap(shape_, other.shape_);
    return *this;
  }

  /// From a view, which may be one of this tensor, or a tensor with other static extents.
  template <detail::source_for<tensor> X>
  tensor& operator=(const X& other) {
    if (shape_ == other.shape() && storage_)
      view<T, rank>(*this) = other;
    else
      *this = tensor(other);
    return *this;
  }
  template <index_t... F>
    requires detail::source_for<tensor<T, F...>, tensor>
  tensor& operator=(tensor<T, F...>&& other) {
    return *this = tensor(std::move(other));
  }
  template <detail::array X>
    requires(!detail::source_for<X, tensor>)
  tensor& operator=(const X&) {
    detail::refuse_source<X, tensor>();
    return *this;
  }

  template <class S>
    requires(rank == 0 && detail::is_number_type<S>)
  tensor& operator=(S scalar) {
    const T value = detail::scalar_to<T>(scalar);
    reset({});
    *data() = value;
    return *this;
  }

  template <expression X>
  tensor& operator=(const X& x) {
    detail::evaluator<X>::assign(x, *this);
    return *this;
  }

  template <detail::compound_operand X>
  tensor& operator+=(const X& x) {
    return compound<'+'>(x);
  }
  template <detail::compound_operand X>
  tensor& operator-=(const X& x) {
    return compound<'-'>(x);
  }
  template <detail::compound_operand X>
  tensor& operator*=(const X& x) {
    return compound<'*'>(x);
  }
  template <detail::compound_operand X>
  tensor& operator/=(const X& x) {
    return compound<'/'>(x);
  }

  [[nodiscard]] shape_type shape() const { return facts::all_static ? static_extents : shape_; }
  [[nodiscard]] shape_type strides() const { return row_major(shape()); }
  [[nodiscard]] index_t extent(int axis) const {
    const auto i = static_cast<std::size_t>(axis);
    return static_extents[i] != dyn ? static_extents[i] : shape_[i];
  }
  [[nodiscard]] index_t size() const { return product(shape()); }
  [[nodiscard]] static constexpr bool is_contiguous() { return true; }
  [[nodiscard]] const detail::storage_ptr& storage() const { return storage_; }

  /// Where the elements are.
  [[nodiscard]] weft::device device() const { return storage_.where(); }
  /// A copy on a device, of the same type: `x.to(cuda(0))`, `y.to(cpu)`. A copy to a device is
  /// queued; one to the host waits for what is queued there, and reports its errors. Throws
  /// device_error, memory_error.
  [[nodiscard]] tensor to(weft::device where) const {
    return adopt(detail::copied_elements(where, storage_, address(), dtype_of<T>, shape_.data(),
                                         rank),
                 shape_);
  }
  /// A tensor of a shape around row-major elements that are there already.
  [[nodiscard]] static tensor adopt(detail::storage_ptr elements, const shape_type& shape) {
    check_shape(shape);
    return tensor(std::move(elements), shape);
  }

  /// The elements in row-major order; null where there are none. Throws value_error for a tensor
  /// with static extents whose storage was moved away, device_error for one that is not on the
  /// host.
  [[nodiscard]] T* data() { return elements(); }
  [[nodiscard]] const T* data() const { return elements(); }

  /// The same, on whatever device they are.
  [[nodiscard]] T* address() const {
    if constexpr (facts::all_static && product(static_extents) != 0)
      if (!storage_) [[unlikely]]
        detail::throw_moved_from(static_extents.data(), rank);
    return reinterpret_cast<T*>(storage_.data());
  }

  /// One element by integers (negative ones count from the end), or a view where a range or all
  /// takes part. A const tensor gives const access. Throws index_error.
  template <class... I>
  decltype(auto) operator()(const I&... i) & {
    detail::check_indices<rank, I...>();
    if constexpr ((detail::integer_index<I> && ...))
      return static_cast<T&>(elements()[offset(i...)]);
    else
      return view<T, rank>(*this)(i...);
  }
  template <class... I>
  decltype(auto) operator()(const I&... i) const& {
    detail::check_indices<rank, I...>();
    if constexpr ((detail::integer_index<I> && ...))
      return static_cast<const T&>(elements()[offset(i...)]);
    else
      return view<const T, rank>(*this)(i...);
  }
  /// An element of a tensor that is about to end, by value.
  template <class... I>
  auto operator()(const I&... i) && {
    return (*this)(i...);
  }

  operator T() const
    requires(rank == 0)
  {
    return detail::read_number(storage_, address());
  }
  /// A number of 16 bits is a float wherever one is wanted.
  operator float() const
    requires(rank == 0 && detail::is_half_type<T>)
  {
    return detail::read_number(storage_, address());
  }

  /// Makes the tensor one of this shape: keeps its storage and elements where it is one already,
  /// otherwise takes new storage, not filled. Throws as `uninitialized`, and then changes nothing.
  void reset(const shape_type& shape) {
    if (storage_.on_host() && shape == shape_ && (storage_ || product(shape) == 0)) return;
    *this = uninitialized(shape);
  }

 private:
  struct no_fill {};
  struct stealing {};
  template <class U, index_t... F>
  friend class tensor;

  tensor(no_fill, const shape_type& shape) : shape_(shape) { allocate(); }
  tensor(detail::storage_ptr&& elements, const shape_type& shape)
      : storage_(std::move(elements)), shape_(shape) {}
  template <index_t... F>
  tensor(stealing, tensor<T, F...>& other) : shape_(other.shape()) {
    check_shape(shape_);
    storage_ = std::move(other.storage_);
    other.shape_ = tensor<T, F...>::empty_shape();
  }

  static constexpr shape_type empty_shape() {
    shape_type shape = static_extents;
    for (auto& extent : shape)
      if (extent == dyn) extent = 0;
    return shape;
  }

  static void check_shape(const shape_type& shape) {
    if (!facts::accepts(shape))
      detail::throw_error<shape_error>("weft: shape %s does not fit a tensor with extents %s",
                                       detail::shape_text(shape).text,
                                       detail::shape_text(static_extents).text);
  }

  void allocate() { storage_ = detail::allocate_elements(dtype_of<T>, shape_.data(), rank); }

  [[nodiscard]] T* elements() const {
    storage_.require_host();
    return address();
  }

  template <class... I>
  [[nodiscard]] index_t offset(const I&... i) const {
    index_t at = 0;
    int axis = 0;
    ((at = at * extent(axis) + detail::checked_index(i, axis, extent(axis)), ++axis), ...);
    return at;
  }

  void take_elements(const T* from) {
    if (const index_t count = size(); count != 0)
      std::memmove(data(), from, static_cast<std::size_t>(count) * sizeof(T));
  }
  template <detail::array X>
  void take_elements(const X& from) {
    detail::copy_strided<T>(data(), strides().data(), from.data(), from.strides().data(),
                            shape_.data(), rank);
  }

  template <char Op, class X>
  tensor& compound(const X& x) {
    detail::compound_assign<Op, tensor, X>::apply(*this, x);
    return *this;
  }

  detail::storage_ptr storage_;
  shape_type shape_{};
};

}  // namespace weft
