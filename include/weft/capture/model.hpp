// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/array/tensor.hpp>
#include <weft/base/reflect.hpp>
#include <weft/capture/symbol.hpp>

#include <array>
#include <tuple>

// A model is one struct template over its leaf: the same struct holds shapes, parameters, symbols,
// gradients and optimizer state. `template <class T> struct linear { w::leaf<T, 2> weight;
// w::leaf<T, 1> bias; ... };`
namespace weft {

/// How a parameter is first filled.
enum class initializer : std::uint8_t { zeros, ones, uniform, normal };

/// A parameter's shape and first values: uniform in [-scale, scale), or normal with that standard
/// deviation.
template <class D, int R>
struct leaf_spec {
  index_t extent[R > 0 ? R : 1]{};
  initializer fill = initializer::zeros;
  float scale = 1;
  static constexpr int rank = R;
  static constexpr dtype type = dtype_of<D>;
  bool operator==(const leaf_spec&) const = default;
};

/// Leaf policies: `classifier<spec>` holds shapes, `classifier<parameters>` tensors,
/// `classifier<symbols>` symbols.
struct spec {
  template <class D, int R>
  using at = leaf_spec<D, R>;
};
struct parameters {
  template <class D, int R>
  using at = detail::dynamic_tensor<D, R>;
};
struct symbols {
  template <class D, int R>
  using at = symbol;
};

/// A parameter of a model: dtype D, rank R.
template <class T, int R, class D = float>
using leaf = typename T::template at<D, R>;

namespace detail {

template <class M, class U>
struct rebound;
template <template <class> class M, class T, class U>
struct rebound<M<T>, U> {
  using type = M<U>;
};
template <class M, class U>
using rebind_t = typename rebound<std::remove_cv_t<M>, U>::type;

template <class T>
inline constexpr bool is_leaf_type = false;
template <class D, int R>
inline constexpr bool is_leaf_type<leaf_spec<D, R>> = true;
template <class D, index_t... E>
inline constexpr bool is_leaf_type<tensor<D, E...>> = true;
template <>
inline constexpr bool is_leaf_type<symbol> = true;

template <class T>
inline constexpr bool is_array_of_parts = false;
template <class T, std::size_t N>
inline constexpr bool is_array_of_parts<std::array<T, N>> = true;

template <class T>
constexpr auto model_fields(T& x) {
  static_assert(std::is_aggregate_v<T>,
                "weft: a model holds leaves, numbers, enumerations, arrays and structs of these, "
                "and a struct has public "
                "fields only: no constructor, no private member, no container");
  return fields(x);
}

/// Walks two trees of the same template side by side: f(leaf of a, leaf of b); anything else is
/// copied from a to b when Copy (the settings of a model, such as a number of heads).
template <bool Copy, class A, class B, class F>
constexpr void walk(A& a, B& b, F&& f) {
  using T = std::remove_const_t<A>;
  if constexpr (is_leaf_type<T>) {
    f(a, b);
  } else if constexpr (is_array_of_parts<T>) {
    for (std::size_t i = 0; i < a.size(); ++i) walk<Copy>(a[i], b[i], f);
  } else if constexpr (is_number_type<T> || std::is_enum_v<T>) {
    if constexpr (Copy) b = a;
  } else if constexpr (!std::is_empty_v<T>) {
    auto fa = model_fields(a);
    auto fb = fields(b);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (walk<Copy>(std::get<I>(fa), std::get<I>(fb), f), ...);
    }
    (std::make_index_sequence<std::tuple_size_v<decltype(fa)>>{});
  }
}

/// Calls f on every leaf of a tree, in the order of its fields.
template <class A, class F>
constexpr void each_leaf(A& a, F&& f) {
  walk<false>(a, a, [&](auto& x, auto&) { f(x); });
}
/// A tree has as many leaves as its type says.
template <class T>
constexpr int leaves_in() {
  if constexpr (is_leaf_type<T>) {
    return 1;
  } else if constexpr (is_array_of_parts<T>) {
    return static_cast<int>(std::tuple_size_v<T>) * leaves_in<typename T::value_type>();
  } else if constexpr (is_number_type<T> || std::is_enum_v<T> || std::is_empty_v<T>) {
    return 0;
  } else {
    return []<class... Field>(std::tuple<Field...>*) {
      return (leaves_in<std::remove_cvref_t<Field>>() + ... + 0);
    }
    (static_cast<decltype(model_fields(std::declval<T&>()))*>(nullptr));
  }
}
template <class A>
constexpr int leaf_count(const A&) {
  return leaves_in<A>();
}

}  // namespace detail
}  // namespace weft
