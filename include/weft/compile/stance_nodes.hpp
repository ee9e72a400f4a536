// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/interpreted.hpp>
#include <weft/graph/reference.hpp>
#include <weft/plan/make_plan.hpp>

#include <cstring>
#include <functional>
#include <memory>
#include <vector>

// A graph evaluated node by node, for stances and searches: by the reference, or each node by the
// SIMD functions of kernels as a program of its own.
namespace weft::detail {

/// A node's value: row-major elements.
struct dense_value {
  dtype type{};
  std::vector<index_t> shape;
  std::unique_ptr<std::byte[]> elements;

  dense_value() = default;
  dense_value(dtype t, std::vector<index_t> s)
      : type(t), shape(std::move(s)), elements(new std::byte[bytes() + 64]) {}
  index_t size() const { return product(shape.data(), static_cast<int>(shape.size())); }
  std::size_t bytes() const { return static_cast<std::size_t>(size() * size_of(type)); }
  const std::byte* at(index_t i) const { return elements.get() + i * size_of(type); }
};

/// One element of a dtype as a number.
inline long double number_at(dtype t, const std::byte* p) {
  auto read = [&](auto v) {
    std::memcpy(&v, p, sizeof v);
    return static_cast<long double>(v);
  };
  switch (t) {
    case dtype::float32:
      return read(float{});
    case dtype::float64:
      return read(double{});
    case dtype::float16:
      return read(half{});
    case dtype::bfloat16:
      return read(bfloat16{});
    case dtype::int32:
      return read(std::int32_t{});
    case dtype::uint32:
      return read(std::uint32_t{});
    case dtype::int64:
      return read(std::int64_t{});
    case dtype::uint64:
      return read(std::uint64_t{});
    default:
      return read(std::uint8_t{});
  }
}

inline reference_value to_reference(const dense_value& v) {
  reference_value r(v.type, v.shape);
  for (index_t i = 0; i < v.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (is_floating(v.type)) {
      r.reals[k] = number_at(v.type, v.at(i));
      continue;
    }
    std::uint64_t bits = 0;
    std::memcpy(&bits, v.at(i), static_cast<std::size_t>(size_of(v.type)));
    r.bits[k] = wrapped(v.type, bits);
  }
  return r;
}
inline void write_reference(const reference_value& v, std::byte* to) {
  const int size = size_of(v.type);
  for (index_t i = 0; i < v.size(); ++i, to += size) {
    const auto k = static_cast<std::size_t>(i);
    auto put = [&](auto x) { std::memcpy(to, &x, sizeof x); };
    switch (v.type) {
      case dtype::float32:
        put(static_cast<float>(v.reals[k]));
        break;
      case dtype::float64:
        put(static_cast<double>(v.reals[k]));
        break;
      case dtype::float16:
        put(half(v.reals[k]));
        break;
      case dtype::bfloat16:
        put(bfloat16(v.reals[k]));
        break;
      default:
        std::memcpy(to, &v.bits[k], static_cast<std::size_t>(size));
    }
  }
}

/// The arguments of a call, copied row-major.
inline std::vector<dense_value> dense_arguments(const graph& g, const argument_value* arguments) {
  std::vector<dense_value> r(static_cast<std::size_t>(g.arguments));
  for (const node& n : g.nodes) {
    if (n.op != id_of<argument_>) continue;
    const argument_value& a = arguments[n.at.v[0]];
    std::vector<index_t> shape;
    for (int d = 0; d < n.shape.rank; ++d)
      shape.push_back(is_symbol(n.shape.d[d]) ? a.shape[d] : n.shape.d[d]);
    dense_value v(n.type, shape);
    const int size = size_of(n.type);
    const auto* from = static_cast<const std::byte*>(a.data);
    for (index_t i = 0; i < v.size(); ++i) {
      index_t at = i, offset = i;
      if (n.at.v[1]) {
        offset = 0;
        for (int d = n.shape.rank; d-- > 0; at /= shape[static_cast<std::size_t>(d)])
          offset += at % shape[static_cast<std::size_t>(d)] * a.stride[d];
      }
      std::memcpy(v.elements.get() + i * size, from + offset * size,
                  static_cast<std::size_t>(size));
    }
    r[static_cast<std::size_t>(n.at.v[0])] = std::move(v);
  }
  return r;
}
inline std::vector<reference_value> reference_arguments(const std::vector<dense_value>& dense) {
  std::vector<reference_value> r;
  for (const dense_value& v : dense) r.push_back(to_reference(v));
  return r;
}

/// Whether a graph's nodes can be run one by one: those of control steps belong together.
inline bool runs_node_by_node(const graph& g) {
  for (const node& n : g.nodes)
    if (is_control(n.op) || n.op == id_of<link_> || n.op == id_of<result_>) return false;
  return true;
}

/// Runs every node as a program of its own; calls done(node, value) after each, which may change
/// the value and returns whether to go on. Extents are known and checked. Returns the values; what
/// follows from control nodes has none.
class node_by_node {
 public:
  using callback = std::function<bool(int, dense_value&)>;

  node_by_node(const graph& g, const std::vector<index_t>& extents) : g_(g), extents_(extents) {}

  std::vector<dense_value> run(std::vector<dense_value> arguments, const callback& done = {}) {
    std::vector<dense_value> values(g_.nodes.size());
    for (int i = 0; i < g_.size(); ++i) {
      const node& n = g_.nodes[static_cast<std::size_t>(i)];
      dense_value& v = values[static_cast<std::size_t>(i)];
      bool known = !is_control(n.op) && n.op != id_of<link_> && n.op != id_of<result_>;
      for (int x : n.in) known = known && (x < 0 || values[static_cast<std::size_t>(x)].elements);
      if (!known) continue;
      v = n.op == id_of<argument_> ? std::move(arguments[static_cast<std::size_t>(n.at.v[0])])
                                   : value_of(n, values);
      if (done && !done(i, v)) break;
    }
    return values;
  }

 private:
  index_t number(index_t e) const {
    return is_symbol(e) ? extents_[static_cast<std::size_t>(symbol_number(e))] : e;
  }
  dense_value value_of(const node& n, const std::vector<dense_value>& values) const {
    builder b;
    node m = n;
    std::vector<argument_value> arguments;
    for (int k = 0; k < 3; ++k) {
      if (n.in[k] < 0) continue;
      const dense_value& x = values[static_cast<std::size_t>(n.in[k])];
      node a;
      a.op = id_of<argument_>;
      a.type = x.type;
      a.shape.rank = static_cast<int>(x.shape.size());
      for (int d = 0; d < a.shape.rank; ++d) a.shape.d[d] = x.shape[static_cast<std::size_t>(d)];
      a.at.v[0] = static_cast<index_t>(arguments.size());
      m.in[k] = b.add(a);
      arguments.push_back({x.elements.get(), x.shape.data(), nullptr});
    }
    b.g.arguments = static_cast<int>(arguments.size());
    std::vector<index_t> shape;
    for (int d = 0; d < m.shape.rank; ++d) {
      m.shape.d[d] = number(n.shape.d[d]);
      shape.push_back(m.shape.d[d]);
    }
    dense_value r(n.type, shape);
    if (n.op == id_of<extent_>) {
      write_number(n.type, number(n.at.v[0]), r.elements.get());
      return r;
    }
    if (n.op != id_of<constant_>)
      for (index_t& v : m.at.v) v = number(v);
    b.g.outputs.push_back(b.add(m));
    const auto p = interpreted(make_plan(b.finished()));
    void* to[]{r.elements.get()};
    const index_t none[]{0};
    p->run(arguments.data(), to, none);
    return r;
  }

  const graph& g_;
  const std::vector<index_t>& extents_;
};

}  // namespace weft::detail
