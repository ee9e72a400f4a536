// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/array/print.hpp>
#include <weft/array/tensor.hpp>
#include <weft/compile/arguments.hpp>

#include <ostream>
#include <vector>

namespace weft {

/// A tensor whose dtype and rank are known at run time: a result of a program that was captured
/// there. It becomes a tensor where its type is known: `vector<float> y = f(x);`, and a rank-0 one
/// a number: `float loss = f(x);`. Both throw dtype_error or shape_error where it is another.
class any_tensor {
 public:
  any_tensor() = default;
  any_tensor(dtype type, std::vector<index_t> shape, detail::storage_ptr elements)
      : type_(type), shape_(std::move(shape)), elements_(std::move(elements)) {}

  [[nodiscard]] dtype type() const { return type_; }
  [[nodiscard]] int rank() const { return static_cast<int>(shape_.size()); }
  [[nodiscard]] const std::vector<index_t>& shape() const { return shape_; }
  [[nodiscard]] index_t size() const { return product(shape_.data(), rank()); }
  [[nodiscard]] weft::device device() const { return elements_.where(); }

  /// The tensor, copied, or from a temporary taken over.
  template <class T, index_t... E>
  operator tensor<T, E...>() const& {
    return tensor<T, E...>::adopt(detail::copied_elements(device(), elements_, elements_.data(),
                                                          type_, shape_.data(), rank()),
                                  checked<tensor<T, E...>>());
  }
  template <class T, index_t... E>
  operator tensor<T, E...>() && {
    const auto shape = checked<tensor<T, E...>>();
    return tensor<T, E...>::adopt(std::move(elements_), shape);
  }
  template <class T>
    requires detail::is_number_type<T> && element<T>
  operator T() const {
    checked<tensor<T>>();
    return detail::read_number(elements_, reinterpret_cast<const T*>(elements_.data()));
  }
  /// Prints as a tensor of its type does, on the host.
  template <class Traits>
  friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                      const any_tensor& x) {
    x.print(out, std::make_integer_sequence<int, detail::dtype_count>{});
    return out;
  }
  /// The same by name: `f(x).as<matrix<float>>()`.
  template <class T>
  [[nodiscard]] T as() const& {
    return static_cast<T>(*this);
  }
  template <class T>
  [[nodiscard]] T as() && {
    return static_cast<T>(std::move(*this));
  }

 private:
  template <int... D>
  void print(std::ostream& out, std::integer_sequence<int, D...>) const {
    if (!elements_.on_host()) detail::throw_not_on_host(device());
    std::vector<index_t> stride(shape_.size(), 1);
    for (std::size_t i = shape_.size(); i-- > 1;) stride[i - 1] = stride[i] * shape_[i];
    auto one = [&]<dtype T>(std::integral_constant<dtype, T>) {
      if (type_ == T)
        detail::print_array(out, reinterpret_cast<const ctype<T>*>(elements_.data()), shape_.data(),
                            stride.data(), rank());
    };
    if (!elements_.data())
      out << "[]";
    else
      (one(std::integral_constant<dtype, static_cast<dtype>(D)>{}), ...);
  }
  template <class D>
  shape_t<D::rank> checked() const {
    using T = typename D::value_type;
    shape_t<D::rank> s{};
    bool fits = D::rank == rank();
    for (int i = 0; fits && i < rank(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      s[at] = shape_[at];
      fits = D::static_extents[at] == dyn || D::static_extents[at] == s[at];
    }
    if (type_ == dtype_of<T> && fits) return s;
    const std::string is =
        std::string(name(type_)) + " of shape " + weft::to_text(shape_.data(), rank());
    if (type_ != dtype_of<T>)
      throw dtype_error("weft: a result is " + is + ", not " + std::string(name(dtype_of<T>)) +
                        ": name its dtype, or cast it in the function");
    throw shape_error("weft: a result is " + is + ", not of rank " + std::to_string(D::rank) +
                      " with the extents of the tensor that it is assigned to");
  }

  dtype type_ = dtype::float32;
  std::vector<index_t> shape_;
  detail::storage_ptr elements_;
};

namespace detail {

/// What stands for a function's result where its symbols are known at run time only: tensors of a
/// model have their types, others are any_tensor.
template <class R>
struct jit_result;
template <>
struct jit_result<symbol> {
  using type = any_tensor;
};
template <class... R>
struct jit_result<std::tuple<R...>> {
  using type = std::tuple<typename jit_result<R>::type...>;
};
template <class R, std::size_t N>
struct jit_result<std::array<R, N>> {
  using type = std::array<typename jit_result<R>::type, N>;
};
template <template <class> class M>
struct jit_result<M<symbols>> {
  using type = M<parameters>;
};

/// Fills a tree of results from a list.
template <class R>
void take_results(R& to, any_tensor*& from) {
  if constexpr (std::is_same_v<R, any_tensor>)
    to = std::move(*from++);
  else if constexpr (is_std_tuple<R>)
    std::apply([&](auto&... part) { (take_results(part, from), ...); }, to);
  else if constexpr (is_std_array<R>)
    for (auto& part : to) take_results(part, from);
  else
    each_leaf(to, [&](auto& t) {
      t = std::move(*from++).template as<std::remove_cvref_t<decltype(t)>>();
    });
}

}  // namespace detail
}  // namespace weft
