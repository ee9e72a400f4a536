// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/array/tensor.hpp>
#include <weft/array/view.hpp>
#include <weft/capture/bodies.hpp>
#include <weft/capture/control.hpp>

#include <cstring>

// Graph breaks: C++ code on concrete tensors in the midst of a program.
namespace weft {

namespace detail {

/// What a host function takes and returns, from its declaration.
template <class F>
struct host_signature : host_signature<decltype(&F::operator())> {};
template <class R, class... X>
struct host_signature<R (*)(X...)> {
  using result = R;
  using parameters = std::tuple<std::remove_cvref_t<X>...>;
};
template <class F, class R, class... X>
struct host_signature<R (F::*)(X...) const> : host_signature<R (*)(X...)> {};
template <class F, class R, class... X>
struct host_signature<R (F::*)(X...)> : host_signature<R (*)(X...)> {};
template <class F, class R, class... X>
struct host_signature<R (F::*)(X...) const noexcept> : host_signature<R (*)(X...)> {};

/// A parameter or result of a host function: a tensor, a view, or a number for rank 0.
template <class T>
struct host_parameter {
  static_assert(element<T>,
                "weft: graph_break: a host function takes and returns tensors, views of constant "
                "elements, or numbers");
  static constexpr dtype type = dtype_of<T>;
  static constexpr int rank = 0;
  static constexpr index_t extent(int) { return dyn; }
  static T read(const host_value& v) {
    T x;
    std::memcpy(&x, v.data, sizeof x);
    return x;
  }
  static void write(const T& x, const host_value& to) { std::memcpy(to.data, &x, sizeof x); }
};
template <class T, index_t... E>
struct host_parameter<tensor<T, E...>> {
  static constexpr dtype type = dtype_of<T>;
  static constexpr int rank = static_cast<int>(sizeof...(E));
  static constexpr index_t extent(int k) {
    constexpr index_t e[]{E..., dyn};
    return e[k];
  }
  static auto shape_of(const host_value& v) {
    shape_t<static_cast<std::size_t>(rank)> s{};
    for (int k = 0; k < rank; ++k) s[static_cast<std::size_t>(k)] = v.shape[k];
    return s;
  }
  static tensor<T, E...> read(const host_value& v) {
    auto x = tensor<T, E...>::uninitialized(shape_of(v));
    if (x.size() > 0) std::memcpy(x.data(), v.data, static_cast<std::size_t>(x.size()) * sizeof(T));
    return x;
  }
  static void write(const tensor<T, E...>& x, const host_value& to) {
    if (x.shape() != shape_of(to))
      throw shape_error("weft: graph_break: the host function returned shape " +
                        to_text(x.shape()) + ", but the program expects " + to_text(shape_of(to)) +
                        ": its result has the shape of its first operand of "
                        "that rank, or static extents");
    if (x.size() > 0)
      std::memcpy(to.data, x.data(), static_cast<std::size_t>(x.size()) * sizeof(T));
  }
};
template <class T, int Rank>
struct host_parameter<view<T, Rank>> {
  static_assert(
      std::is_const_v<T>,
      "weft: graph_break: a host function reads a view: declare it as view<const T, rank>");
  static constexpr dtype type = dtype_of<std::remove_const_t<T>>;
  static constexpr int rank = Rank;
  static constexpr index_t extent(int) { return dyn; }
  static view<T, Rank> read(const host_value& v) {
    shape_t<static_cast<std::size_t>(Rank)> s{};
    for (int k = 0; k < Rank; ++k) s[static_cast<std::size_t>(k)] = v.shape[k];
    return {storage_ptr{}, static_cast<T*>(v.data), s, row_major(s)};
  }
};

/// Calls a host function from a program.
template <class F>
struct host_entry {
  using result = typename host_signature<F>::result;
  using parameters = typename host_signature<F>::parameters;
  static constexpr std::size_t count = std::tuple_size_v<parameters>;

  static void run(const host_value* in, const host_value* out) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      if constexpr (std::is_void_v<result>)
        F{}(host_parameter<std::tuple_element_t<I, parameters>>::read(in[I])...);
      else
        host_parameter<std::remove_cvref_t<result>>::write(
            F{}(host_parameter<std::tuple_element_t<I, parameters>>::read(in[I])...), out[0]);
    }
    (std::make_index_sequence<count>{});
  }

  /// Whether symbols are what the function takes; otherwise the builder says why not.
  static constexpr bool takes(builder& b, const sequence<int>& x) {
    if (x.size() != count) {
      b.fail(message{}
                 .put("weft: graph_break: the host function takes ")
                 .put(static_cast<std::int64_t>(count))
                 .put(" values: got ")
                 .put(static_cast<std::int64_t>(x.size())));
      return false;
    }
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return (one<std::tuple_element_t<I, parameters>>(b, {&b, x[I]}) && ...);
    }
    (std::make_index_sequence<count>{});
  }

 private:
  template <class X>
  static constexpr bool one(builder& b, symbol x) {
    using P = host_parameter<X>;
    bool fits = x.type() == P::type && x.rank() == P::rank;
    for (int k = 0; fits && k < P::rank; ++k)
      if (P::extent(k) != dyn) fits = b.require_equal(x.extent(k), P::extent(k), id_of<host_>);
    if (fits) return true;
    message m;
    m.put("weft: graph_break: the host function takes ").put(name(P::type)).put(" of rank ");
    put_shape(m.put(P::rank).put(": got ").put(name(x.type())).put(" "), x.shape());
    b.fail(m);
    return false;
  }
};

/// A call of the host on these nodes; it has a result if `like` is given.
constexpr int make_host_call(builder& b, const host_function& f, const sequence<int>& operands,
                             const node* like, bool effect) {
  int number = static_cast<int>(b.g.hosts.size());
  b.g.hosts.push_back(f);
  const int made = make_control(b, id_of<host_>, {{number, b.next_unique(), like != nullptr}},
                                operands, effect ? b.effect : -1, like ? *like : node{});
  if (effect) b.effect = made;
  return made;
}

template <class F>
inline constexpr bool is_host_callable = requires {
  &F::operator();
};

struct no_backward {};

template <class F, class B>
struct graph_break_of {
  const char* why;
  std::source_location where;

  template <class X>
  constexpr auto operator()(const X& x) const {
    static_assert(std::is_empty_v<F> && std::is_default_constructible_v<F>,
                  "weft: graph_break: the host function holds no state, since the program follows "
                  "from its type alone: pass what it captures as an argument, or keep it in a "
                  "static variable");
    static_assert(is_host_callable<F>,
                  "weft: graph_break: the host function names the type of its tensor, as in "
                  "[](const w::matrix<float>& x) { ... }");
    builder& b = *builder_of(x);
    const builder::scope here(b, where);
    using entry = host_entry<F>;
    const sequence<int> operands = ids_of(x);
    host_function f{&entry::run, nullptr, "graph_break", why, where.file_name(), where.line()};
    const bool fits = entry::takes(b, operands);
    if constexpr (std::is_void_v<typename entry::result>) {
      if (fits) make_host_call(b, f, operands, nullptr, true);
      return x;
    } else {
      if (!fits) return symbol{&b, operands.empty() ? 0 : operands[0]};
      using R = host_parameter<std::remove_cvref_t<typename entry::result>>;
      node like;
      like.type = R::type;
      like.shape.rank = R::rank;
      for (int k = 0; k < R::rank; ++k) like.shape.d[k] = extent_of<R>(b, operands, k);
      if constexpr (!std::is_same_v<B, no_backward>) {
        using back = host_entry<B>;
        static_assert(
            back::count == entry::count + 1,
            "weft: graph_break: backward takes the cotangent, then what the host function "
            "takes");
        f.backward = static_cast<int>(b.g.hosts.size());
        b.g.hosts.push_back(
            {&back::run, nullptr, "graph_break", why, where.file_name(), where.line()});
      }
      const int call = make_host_call(b, f, operands, &like, true);
      return symbol{&b, make_result(b, call, 0, like.type, like.shape)};
    }
  }

 private:
  template <class R>
  static constexpr index_t extent_of(builder& b, const sequence<int>& operands, int k) {
    if (R::extent(k) != dyn) return R::extent(k);
    for (int o : operands)
      if (b.at(o).shape.rank == R::rank) return symbol{&b, o}.extent(k);
    b.fail(
        message{}.put("weft: graph_break: the extents of the host function's result are not "
                      "known: return a tensor with static extents, or of the rank and shape of "
                      "an operand"));
    return 0;
  }
};

/// Copies a value: what item is to a program.
inline void copy_host_value(const host_value* in, const host_value* out) {
  std::size_t bytes = static_cast<std::size_t>(size_of(in[0].type));
  for (int k = 0; k < in[0].rank; ++k) bytes *= static_cast<std::size_t>(in[0].shape[k]);
  if (bytes > 0) std::memcpy(out[0].data, in[0].data, bytes);
}

}  // namespace detail

/// Ends what the compiler sees as one graph: calls C++ code on the tensor that x is, then goes on.
/// `f` names the type of its parameter: `[](const w::matrix<float>& x)`, `[](w::view<const float,
/// 2> x)` (no copy), or a number for rank 0; several values are given as a tuple. If it returns
/// nothing (printing, logging), x and its gradient pass through. If it returns a tensor, that is
/// the result; its gradient is `backward(g, x)`, and differentiating without one is an error. The
/// result has static extents, or the shape of the first operand of its rank. What f throws ends the
/// call: no result is written. `why` is shown by explain.
template <class X, class F>
  requires(detail::holds_symbols<X>)
constexpr auto graph_break(const X& x, const char* why, F,
                           std::source_location where = std::source_location::current()) {
  return detail::graph_break_of<F, detail::no_backward>{why, where}(x);
}
template <class X, class F, class B>
  requires(detail::holds_symbols<X> && !std::is_same_v<B, std::source_location>)
constexpr auto graph_break(const X& x, const char* why, F, B,
                           std::source_location where = std::source_location::current()) {
  return detail::graph_break_of<F, B>{why, where}(x);
}

/// A data-dependent `if` on the host: `then(args...)` where the condition, one bool, is true, else
/// `otherwise(args...)`. As cond, but a graph break: on a device the host waits for the condition.
/// Both functions may break the graph, too.
template <class Then, class Else, class... X>
constexpr auto branch(detail::located_symbol condition, Then then, Else otherwise,
                      const X&... args) {
  return detail::cond_of<Then, Else>{then, otherwise, true, condition.where}(condition.value,
                                                                             args...);
}

/// The one element of x on the host, as a scalar of what follows: a graph break. Its gradient is
/// that of x.
constexpr symbol item(symbol x, std::source_location where = std::source_location::current()) {
  detail::builder& b = x.builder();
  const detail::builder::scope here(b, where);
  if (x.rank() != 0) {
    detail::message m;
    detail::put_shape(m.put("weft: item: x must have rank 0; take its sum, or an element: got "),
                      x.shape());
    b.fail(m);
    return x;
  }
  detail::host_function f{&detail::copy_host_value,       nullptr,           "item",
                          "a scalar is read on the host", where.file_name(), where.line()};
  f.identity = true;
  const detail::node like = x.node();
  const int call = detail::make_host_call(b, f, {x.id()}, &like, false);
  return {&b, detail::make_result(b, call, 0, like.type, like.shape)};
}

}  // namespace weft
