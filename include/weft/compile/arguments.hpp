// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/capture/function.hpp>
#include <weft/compile/call.hpp>
#include <weft/compile/prepare.hpp>

// Run-time arguments and results of captured functions.
namespace weft::detail {

/// Collects the addresses, shapes and memory of a call's arguments, tree by tree.
template <std::size_t N>
struct argument_list {
  std::array<argument_value, N + 1> value{};
  std::array<byte_range, N + 1> range{};
  std::array<int, N + 1> rank{};
  std::array<dtype, N + 1> type{};
  std::array<bool, N + 1> contiguous{};
  std::array<int, N + 1> number_bytes{};  ///< of a number of the host; 0 for a tensor
  call_place place;
  shape_t<max_rank> shapes[N + 1];
  std::size_t size = 0;

  template <class T, index_t... E>
  void add(const tensor<T, E...>& x) {
    const auto shape = x.shape();
    std::copy(shape.begin(), shape.end(), shapes[size].begin());
    put(dtype_of<T>, static_cast<int>(sizeof...(E)), x.address(), nullptr, true);
    place.add(size, x.storage());
    const auto* first = reinterpret_cast<const std::byte*>(x.address());
    range[size++] = {first, first + static_cast<std::size_t>(x.size()) * sizeof(T)};
  }
  template <class T, int Rank>
  void add(const view<T, Rank>& x) {
    const auto shape = x.shape();
    std::copy(shape.begin(), shape.end(), shapes[size].begin());
    strides_[size] = {};
    const auto stride = x.strides();
    std::copy(stride.begin(), stride.end(), strides_[size].begin());
    put(dtype_of<std::remove_const_t<T>>, Rank, x.address(), strides_[size].data(),
        x.is_contiguous());
    place.add(size, x.storage());
    const byte_span span_of = byte_span_of(x);
    range[size++] = {span_of.from, span_of.to};
  }
  /// Only a shape, of a program that is prepared and not run.
  template <class T>
  void add(const example<T>& x) {
    std::copy(x.shape.begin(), x.shape.end(), shapes[size].begin());
    put(dtype_of<typename T::value_type>, T::rank, nullptr, nullptr, true);
    range[size++] = {};
  }
  template <class T>
    requires is_number_type<T>
  void add(const T& x) {
    put(dtype_of<T>, 0, &x, nullptr, true);
    number_bytes[size] = static_cast<int>(sizeof(T));
    range[size++] = {};
  }
  void add(const philox_key& key) {
    static_assert(sizeof(key) == 2 * sizeof(std::uint32_t));
    shapes[size][0] = 2;
    put(dtype::uint32, 1, &key, nullptr, true);
    number_bytes[size] = static_cast<int>(sizeof key);
    range[size++] = {};
  }
  template <template <class> class M>
  void add(const M<parameters>& model) {
    each_leaf(model, [&](const auto& t) { add_shared(t); });
  }
  template <class... T>
  void add(const std::tuple<T...>& t) {
    std::apply([&](const auto&... x) { (add(x), ...); }, t);
  }

 private:
  /// The same for all of a model's leaves of a type: a model has hundreds.
  template <class T>
  [[gnu::noinline]] void add_shared(const T& x) {
    add(x);
  }
  struct byte_span {
    const std::byte *from, *to;
  };
  template <class T, int Rank>
  static byte_span byte_span_of(const view<T, Rank>& x) {
    if (x.size() == 0) return {nullptr, nullptr};
    const auto* first = reinterpret_cast<const std::byte*>(x.address());
    byte_span r{first, first + sizeof(T)};
    for (int d = 0; d < Rank; ++d) {
      const index_t reach = (x.extent(d) - 1) * x.stride(d) * static_cast<index_t>(sizeof(T));
      (reach < 0 ? r.from : r.to) += reach;
    }
    return r;
  }
  void put(dtype t, int r, const void* data, const index_t* stride, bool is_contiguous) {
    value[size] = {data, shapes[size].data(), stride};
    type[size] = t;
    rank[size] = r;
    contiguous[size] = is_contiguous;
  }
  shape_t<max_rank> strides_[N + 1];
};

template <class X>
struct count_of {
  static constexpr int value = 1;
};
template <template <class> class M>
struct count_of<M<parameters>> {
  static constexpr int value = leaf_count(M<symbols>{});
};
template <class... T>
struct count_of<std::tuple<T...>> {
  static constexpr int value = (count_of<T>::value + ... + 0);
};

/// The tensors that stand for a function's result: a symbol becomes a tensor of its dtype, rank and
/// known extents.
template <class Program, class R, int First>
struct result_of;
template <class Program, int First>
struct result_of<Program, symbol, First> {
  using type = typename tensor_type<Program::output_spec(First)>::type;
  static constexpr int next = First + 1;
};
template <class Program, class... R, int First>
struct result_of<Program, std::tuple<R...>, First> {
  template <int At, class Done, class... Rest>
  struct collect;
  template <int At, class... Done>
  struct collect<At, std::tuple<Done...>> {
    using type = std::tuple<Done...>;
    static constexpr int next = At;
  };
  template <int At, class... Done, class Head, class... Rest>
  struct collect<At, std::tuple<Done...>, Head, Rest...> {
    using one = result_of<Program, Head, At>;
    using more = collect<one::next, std::tuple<Done..., typename one::type>, Rest...>;
    using type = typename more::type;
    static constexpr int next = more::next;
  };
  using all = collect<First, std::tuple<>, R...>;
  using type = typename all::type;
  static constexpr int next = all::next;
};
template <class Program, class R, std::size_t N, int First>
struct result_of<Program, std::array<R, N>, First> {
  using type = std::array<typename result_of<Program, R, First>::type, N>;
  static constexpr int next =
      First + static_cast<int>(N) * (result_of<Program, R, First>::next - First);
};
template <class Program, template <class> class M, int First>
struct result_of<Program, M<symbols>, First> {
  using type = M<parameters>;
  static constexpr int next = First + leaf_count(M<symbols>{});
};

/// Calls f on every tensor of a result (or of a tuple of references to tensors), in order.
template <class R, class F>
void each_result(R& r, F&& f) {
  if constexpr (is_tensor<R> || is_view<R>)
    f(r);
  else if constexpr (is_std_tuple<std::remove_const_t<R>>)
    std::apply([&](auto&... t) { (each_result(t, f), ...); }, r);
  else if constexpr (is_std_array<std::remove_const_t<R>>)
    for (auto& t : r) each_result(t, f);
  else
    each_leaf(r, f);
}

}  // namespace weft::detail
