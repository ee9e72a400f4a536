// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/base/philox.hpp>
#include <weft/capture/leaf.hpp>
#include <weft/capture/model.hpp>
#include <weft/capture/tree.hpp>
#include <weft/graph/breaks.hpp>

// Captured functions: argument types become symbols, results become outputs.
namespace weft::detail {

template <class F>
concept stateless = std::is_empty_v<F> && std::is_default_constructible_v<F>;

/// How a C++ argument type enters a program: `symbolic` is what the function sees, `make` appends
/// its arguments.
template <class X>
struct argument;

template <class T, index_t... E>
struct argument<tensor<T, E...>> {
  using symbolic = symbol;
  static constexpr symbol make(builder& b, int& k) {
    return make_argument(b, tensor_spec<T, E...>(), k++);
  }
};
template <class T, int Rank>
struct argument<view<T, Rank>> {
  using symbolic = symbol;
  static constexpr symbol make(builder& b, int& k) {
    return make_argument(b, view_spec<T, Rank>(), k++);
  }
};
template <class T>
  requires is_number_type<T>
struct argument<T> {
  static_assert(
      element<T>,
      "weft: an argument of this C++ type has no dtype: pass bool, uint8_t, int32_t, uint32_t, "
      "int64_t, uint64_t, float, double, half or bfloat16");
  using symbolic = symbol;
  static constexpr symbol make(builder& b, int& k) {
    return make_argument(b, {dtype_of<T>, 0, {}, false}, k++);
  }
};
/// A key of random numbers is uint32 of shape (2).
template <>
struct argument<philox_key> {
  using symbolic = symbol;
  static constexpr symbol make(builder& b, int& k) {
    return make_argument(b, {dtype::uint32, 1, {2}, false}, k++);
  }
};
template <template <class> class M>
struct argument<M<parameters>> {
  using symbolic = M<symbols>;
  static constexpr symbolic make(builder& b, int& k) {
    // Only the type is known: every leaf has its rank and dtype, and dynamic extents.
    symbolic s{};
    M<parameters>* types = nullptr;
    make_leaves(b, k, s, types);
    return s;
  }

 private:
  template <class S, class P>
  static constexpr void make_leaves(builder& b, int& k, S& s, P*) {
    if constexpr (std::is_same_v<S, symbol>) {
      s = argument<P>::make(b, k);
    } else if constexpr (is_array_of_parts<S>) {
      for (auto& part : s) make_leaves(b, k, part, static_cast<typename P::value_type*>(nullptr));
    } else if constexpr ((std::is_class_v<S> || std::is_array_v<S>)&&!std::is_empty_v<S>) {
      auto f = fields(s);
      using types = decltype(fields(std::declval<P&>()));
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        (make_leaves(
             b, k, std::get<I>(f),
             static_cast<std::remove_reference_t<std::tuple_element_t<I, types>>*>(nullptr)),
         ...);
      }
      (std::make_index_sequence<std::tuple_size_v<decltype(f)>>{});
    }
  }
};
template <class... T>
struct argument<std::tuple<T...>> {
  using symbolic = std::tuple<typename argument<T>::symbolic...>;
  static constexpr symbolic make(builder& b, int& k) {
    return symbolic{argument<T>::make(b, k)...};
  }
};

/// The program of a stateless function on arguments of these types.
template <class F, class... X>
struct function_source {
  static_assert(stateless<F>,
                "weft: a captured function holds no state, since its program follows from its type "
                "alone: pass what the "
                "lambda captures as an argument (a number, a tensor), or make it static constexpr "
                "(a function)");

  using symbolic = std::tuple<typename argument<X>::symbolic...>;
  /// Arguments of the program.
  static constexpr int count = [] {
    builder b;
    int k = 0;
    (argument<X>::make(b, k), ...);
    return k;
  }();
  /// Where the program's encoding begins to be tried: most fit at once.
  static constexpr int expected_words =
      4096 + 256 * static_cast<int>(sizeof(symbolic) / sizeof(symbol));

  static constexpr auto apply(builder& b) {
    int k = 0;
    symbolic arguments{argument<X>::make(b, k)...};
    return std::apply(F{}, arguments);
  }
  static constexpr graph build(capture_mode mode) {
    builder b(mode);
    auto result = apply(b);
    static_assert(
        holds_symbols<decltype(result)>,
        "weft: a captured function returns a symbol, or a tuple, array or struct of symbols");
    if (!b.failed()) for_each_symbol(result, [&](symbol& s) { b.g.outputs.push_back(s.id()); });
    graph g = b.finished();
    if constexpr (requires { F::full_graph; })
      if (g.error.empty()) g.error = breaks_message(g);
    return g;
  }
  /// What the function returns, in symbols.
  using result = decltype(apply(std::declval<builder&>()));
};

}  // namespace weft::detail
