// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/capture/host.hpp>

// Ops whose results have as many elements as the data say: calls of the host, each a graph break.
namespace weft {

namespace detail {

/// Elements of a host value.
inline index_t host_size(const host_value& v) {
  index_t n = 1;
  for (int k = 0; k < v.rank; ++k) n *= v.shape[k];
  return n;
}
inline bool is_set(const host_value& v, index_t i) {
  const auto width = static_cast<std::size_t>(size_of(v.type));
  const auto* from =
      static_cast<const unsigned char*>(v.data) + static_cast<std::size_t>(i) * width;
  if (v.type == dtype::float32 || v.type == dtype::float64 || v.type == dtype::float16 ||
      v.type == dtype::bfloat16) {  // all bits but the sign's
    bool any = (from[width - 1] & 0x7f) != 0;
    for (std::size_t b = 0; b + 1 < width; ++b) any = any || from[b] != 0;
    return any;
  }
  bool any = false;
  for (std::size_t b = 0; b < width; ++b) any = any || from[b] != 0;
  return any;
}

struct nonzero_call {
  static void shape(const host_value* in, index_t* to) {
    to[0] = 0;
    for (index_t i = 0, n = host_size(in[0]); i < n; ++i) to[0] += is_set(in[0], i);
    to[1] = in[0].rank;
  }
  static void run(const host_value* in, const host_value* out) {
    auto* to = static_cast<std::int64_t*>(out[0].data);
    for (index_t i = 0, n = host_size(in[0]); i < n; ++i) {
      if (!is_set(in[0], i)) continue;
      index_t rest = i;
      for (int k = in[0].rank; k-- > 0; rest /= in[0].shape[k]) to[k] = rest % in[0].shape[k];
      to += in[0].rank;
    }
  }
};
/// Operands: the elements, a mask of their shape.
struct masked_select_call {
  static void shape(const host_value* in, index_t* to) {
    to[0] = 0;
    for (index_t i = 0, n = host_size(in[1]); i < n; ++i) to[0] += is_set(in[1], i);
  }
  static void run(const host_value* in, const host_value* out) {
    const auto width = static_cast<std::size_t>(size_of(in[0].type));
    const auto* from = static_cast<const std::byte*>(in[0].data);
    auto* to = static_cast<std::byte*>(out[0].data);
    for (index_t i = 0, n = host_size(in[1]); i < n; ++i, from += width)
      if (is_set(in[1], i)) std::memcpy(to, from, width), to += width;
  }
  /// Operands: the cotangent, the elements, the mask.
  static void backward(const host_value* in, const host_value* out) {
    const auto width = static_cast<std::size_t>(size_of(in[1].type));
    const auto* from = static_cast<const std::byte*>(in[0].data);
    auto* to = static_cast<std::byte*>(out[0].data);
    for (index_t i = 0, n = host_size(in[2]); i < n; ++i, to += width) {
      if (is_set(in[2], i))
        std::memcpy(to, from, width), from += width;
      else
        std::memset(to, 0, width);
    }
  }
};
/// The values of x once each, in increasing order; NaN are last, each for itself (NumPy). A
/// template, so that programs without it do not pay for seven sorts.
template <class = void>
struct unique_call {
  template <class T>
  static std::vector<T> values(const host_value& x) {
    const auto* from = static_cast<const T*>(x.data);
    std::vector<T> v(from, from + host_size(x));
    const auto numbers = std::partition(v.begin(), v.end(), [](const T& a) { return a == a; });
    std::sort(v.begin(), numbers);
    v.erase(std::unique(v.begin(), numbers), numbers);
    return v;
  }
  template <class F>
  static void with_values(const host_value& x, F&& f) {
    switch (x.type) {
      case dtype::boolean:
      case dtype::uint8:
        return f(values<std::uint8_t>(x));
      case dtype::int32:
        return f(values<std::int32_t>(x));
      case dtype::uint32:
        return f(values<std::uint32_t>(x));
      case dtype::int64:
        return f(values<std::int64_t>(x));
      case dtype::uint64:
        return f(values<std::uint64_t>(x));
      case dtype::float32:
        return f(values<float>(x));
      case dtype::float64:
        return f(values<double>(x));
      default:
        return;
    }
  }
  static void shape(const host_value* in, index_t* to) {
    with_values(in[0], [&](const auto& v) { to[0] = static_cast<index_t>(v.size()); });
  }
  static void run(const host_value* in, const host_value* out) {
    with_values(in[0], [&](const auto& v) {
      if (!v.empty()) std::memcpy(out[0].data, v.data(), v.size() * sizeof v[0]);
    });
  }
};

/// A host call whose result has extents that follow from data; of `known` those that are no dyn are
/// known.
template <class Call>
constexpr symbol make_data_call(builder& b, const char* name, const sequence<int>& operands,
                                dtype type, const shape_of& known, std::source_location where,
                                int backward = -1) {
  if (b.open_bodies > 0)
    b.fail(message{}.put("weft: ").put(name).put(
        ": in the body of a cond or a loop shapes must be known, and this one follows from data"));
  host_function f{&Call::run,        &Call::shape, name, "its shape follows from the data",
                  where.file_name(), where.line()};
  f.backward = backward;
  f.several = backward >= 0;
  node like;
  like.type = type;
  like.shape = known;
  const index_t serial = b.next_unique();
  for (int k = 0; k < known.rank; ++k)
    if (known.d[k] == dyn) like.shape.d[k] = b.extent(extent_kind::data, serial, k);
  const int number = static_cast<int>(b.g.hosts.size());
  b.g.hosts.push_back(f);
  // It has no effect but its result: calls that do not follow from each other run side by side.
  const int call = make_control(b, id_of<host_>, {{number, serial, 1, 1}}, operands, -1, like);
  return {&b, make_result(b, call, 0, type, like.shape)};
}

}  // namespace detail

// Templates, so that programs that do not call these pay for no host code.

/// The indices of the elements of x that are not 0: int64 (n, rank of x), in row-major order
/// (torch.nonzero). A graph break.
template <std::same_as<symbol> S>
constexpr symbol nonzero(S x, std::source_location where = std::source_location::current()) {
  detail::builder& b = x.builder();
  const detail::builder::scope here(b, where);
  return detail::make_data_call<detail::nonzero_call>(b, "nonzero", {x.id()}, dtype::int64,
                                                      {2, {dyn, x.rank()}}, where);
}
/// The elements of x where the mask, bool of x's shape, is true: rank 1, in row-major order
/// (torch.masked_select). A graph break; differentiable in x.
template <std::same_as<symbol> S>
constexpr symbol masked_select(S x, symbol mask,
                               std::source_location where = std::source_location::current()) {
  detail::builder& b = x.builder();
  const detail::builder::scope here(b, where);
  detail::complaint why([&] {
    detail::message m;
    m.put("weft: masked_select: the mask must be bool and have the shape of x: got ");
    const symbol both[]{x, mask};
    detail::put_operands(m, both, 2);
    return m;
  });
  if (mask.type() != dtype::boolean ||
      !b.require_equal(x.shape(), mask.shape(), detail::id_of<detail::host_>, why))
    why.fail(b);
  const int backward = static_cast<int>(b.g.hosts.size());
  b.g.hosts.push_back({&detail::masked_select_call::backward, nullptr, "masked_select",
                       "its gradient", where.file_name(), where.line()});
  return detail::make_data_call<detail::masked_select_call>(b, "masked_select", {x.id(), mask.id()},
                                                            x.type(), {1, {dyn}}, where, backward);
}
/// The values of x, each once, in increasing order: rank 1 (the array API's unique_values). A graph
/// break; gradients stop here.
template <std::same_as<symbol> S>
constexpr symbol unique(S x, std::source_location where = std::source_location::current()) {
  detail::builder& b = x.builder();
  const detail::builder::scope here(b, where);
  if (size_of(x.type()) == 2)
    b.fail(detail::message{}.put("weft: unique: of 16-bit values: cast them to float32 first"));
  return detail::make_data_call<detail::unique_call<>>(b, "unique", {x.id()}, x.type(), {1, {dyn}},
                                                       where);
}

/// An end of a slice: a number, or a number that the host reads (item).
struct slice_bound {
  index_t number = 0;
  symbol value{};
  constexpr slice_bound(std::integral auto n) : number(n) {}
  constexpr slice_bound(symbol s) : value(s) {}
};

namespace detail {
/// A bound as an extent, clipped to [0, extent].
constexpr index_t bound_extent(builder& b, slice_bound s, index_t extent) {
  if (s.value.id() < 0) {
    if (s.number >= 0) return b.least(s.number, extent);
    return b.excess(extent, -s.number);
  }
  const node& n = s.value.node();
  const bool is_item = n.op == id_of<result_> && b.at(n.in[0]).op == id_of<host_> &&
                       n.shape.rank == 0 && is_integer(n.type) && n.type != dtype::uint64;
  if (!is_item) {
    b.fail(message{}.put(
        "weft: slice: a bound that the program computes is read on the host: give item(bound), an "
        "integer of rank 0; or use take, which needs no graph break"));
    return extent;
  }
  if (b.open_bodies > 0)
    b.fail(message{}.put(
        "weft: slice: in the body of a cond or a loop bounds must be known numbers: use take"));
  b.extents_follow_from(n.in[0]);
  const index_t v = b.extent(extent_kind::data, b.at(n.in[0]).at.v[1], -1);
  return b.least(b.excess(v, 0), extent);
}
}  // namespace detail

/// Elements start, start + 1, ... before stop of an axis, where bounds may be numbers that the
/// program computes and the host reads: `slice<0>(x, 0, item(n))`. Ends beyond the axis are
/// clipped; negative C++ numbers count from the end, negative items are 0.
template <index_t Axis>
constexpr symbol slice(symbol x, slice_bound start, slice_bound stop,
                       std::source_location where = std::source_location::current()) {
  detail::builder& b = x.builder();
  const detail::builder::scope here(b, where);
  const int axis = x.axis(Axis, "slice");
  if (b.failed()) return x;
  const index_t first = detail::bound_extent(b, start, x.extent(axis)),
                last = detail::bound_extent(b, stop, x.extent(axis));
  return x.sliced(axis, first, 1, b.excess(last, first));
}

}  // namespace weft
