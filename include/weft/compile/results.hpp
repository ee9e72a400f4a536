// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/array/tensor.hpp>
#include <weft/array/view.hpp>
#include <weft/capture/model.hpp>
#include <weft/capture/tree.hpp>
#include <weft/compile/device.hpp>

#include <array>
#include <cstring>
#include <tuple>

// The tensors that take a call's results, with their types erased: a training step has hundreds.
namespace weft::detail {

struct result_slot;

/// What a type of tensor can do as a result.
struct result_operations {
  dtype type{};
  int rank = 0;
  const index_t* fixed =
      nullptr;  ///< extents that cannot change, dyn where they can; null: none can
  void (*describe)(const void* tensor, result_slot& to) = nullptr;
  void (*assign)(void* tensor, const index_t* shape, const void* from) = nullptr;
  /// Takes elements on a device: a tensor the storage, a view a copy.
  void (*adopt)(void* tensor, const index_t* shape, storage_ptr from) = nullptr;
};

/// One result of a call: where it goes, and memory for it if that must not be written while the
/// program runs.
struct result_slot {
  void* tensor = nullptr;
  const result_operations* operations = nullptr;
  void* data = nullptr;
  device where{};
  bool contiguous = false;
  index_t shape[max_rank]{};
  storage_ptr temporary;
};

template <class D>
struct result_access {
  using T = typename D::value_type;
  static constexpr std::size_t rank = static_cast<std::size_t>(D::rank);

  static void describe(const void* tensor, result_slot& to) {
    const D& t = *static_cast<const D*>(tensor);
    const auto s = t.shape();
    for (std::size_t i = 0; i < rank; ++i) to.shape[i] = s[i];
    to.contiguous = t.is_contiguous();
    to.data = const_cast<std::remove_const_t<T>*>(static_cast<const T*>(t.address()));
    to.where = t.device();
  }
  /// Copies row-major elements, into new storage where the shape changes.
  static void assign(void* tensor, const index_t* shape, const void* from) {
    D& t = *static_cast<D*>(tensor);
    shape_t<D::rank> s{};
    for (std::size_t i = 0; i < rank; ++i) s[i] = shape[i];
    if constexpr (is_tensor<D>) {
      if (t.shape() != s) t = D::uninitialized(s);
      if (t.size() > 0) std::memcpy(t.data(), from, static_cast<std::size_t>(t.size()) * sizeof(T));
    } else {
      t = view<T, D::rank>(storage_ptr{}, static_cast<T*>(const_cast<void*>(from)), s,
                           row_major(s));
    }
  }
  static void adopt(void* tensor, const index_t* shape, storage_ptr from) {
    D& t = *static_cast<D*>(tensor);
    shape_t<D::rank> s{};
    for (std::size_t i = 0; i < rank; ++i) s[i] = shape[i];
    if constexpr (is_tensor<D>)
      t = D::adopt(std::move(from), s);
    else
      overwrite(t.device(), const_cast<std::remove_const_t<T>*>(t.address()), t.shape(),
                t.strides(), from.data(), t.is_contiguous());
  }
  static constexpr const index_t* fixed() {
    if constexpr (is_view<D>)
      return nullptr;
    else
      return D::static_extents.data();
  }
  static constexpr result_operations operations{
      dtype_of<std::remove_const_t<T>>, D::rank, fixed(), &describe, &assign, &adopt};
};

/// The results of a call, tree by tree, in the order of the program's outputs.
template <std::size_t N>
struct result_list {
  std::array<result_slot, N + 1> slots{};
  std::size_t size = 0;

  template <class R>
  void add(R& r) {
    if constexpr (is_tensor<R> || is_view<R>) {
      result_slot& s = slots[size++];
      s.tensor = &r;
      s.operations = &result_access<R>::operations;
      s.operations->describe(&r, s);
    } else if constexpr (is_std_tuple<std::remove_const_t<R>>) {
      std::apply([&](auto&... t) { (add(t), ...); }, r);
    } else if constexpr (is_array_of_parts<std::remove_const_t<R>>) {
      for (auto& t : r) add(t);
    } else {
      each_leaf(r, [&](auto& t) { add_shared(t); });
    }
  }

 private:
  /// The same for all of a model's leaves of a type.
  template <class R>
  [[gnu::noinline]] void add_shared(R& r) {
    add(r);
  }
};

/// Throws where a tensor given for result j cannot take this shape.
inline void check_result_shape(int j, const result_slot& s, const index_t* shape) {
  const result_operations& f = *s.operations;
  for (int d = 0; d < f.rank; ++d)
    if ((!f.fixed || f.fixed[d] != dyn) && s.shape[d] != shape[d])
      throw_error<shape_error>(
          "weft: into: result %d has shape %s, but the tensor given for it %s cannot take it", j,
          shape_text(shape, f.rank).text, shape_text(s.shape, f.rank).text);
}

}  // namespace weft::detail
