// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/graph/bodies.hpp>
#include <weft/graph/host_function.hpp>
#include <weft/graph/reference_combine.hpp>

#include <cstring>

// How the reference evaluator runs bodies and calls the host.
namespace weft::detail {

template <>
struct reference_rule<undefined_> {
  static void evaluate(const reference_node&, reference_value&) {}
};
template <>
struct reference_rule<parameter_> {
  static void evaluate(const reference_node& e, reference_value& r) {
    reference_fault(e, r, "stands in no body");
  }
};

/// Slice k of the first axis, and the way back.
inline reference_value reference_slice(const reference_value& x, index_t k) {
  reference_value r(x.type, {x.shape.begin() + 1, x.shape.end()});
  for (index_t i = 0; i < r.size(); ++i) copy_element(r, i, x, k * r.size() + i);
  return r;
}
inline void put_reference_slice(reference_value& to, index_t k, const reference_value& x) {
  for (index_t i = 0; i < x.size(); ++i) copy_element(to, k * x.size() + i, x, i);
}

/// Evaluates control nodes: `run(body, arguments)` gives the outputs of a body, `extent` the number
/// that an extent is.
template <class Run, class Extent>
class reference_control {
 public:
  reference_control(const graph& g, Run run, Extent extent) : g_(g), run_(run), extent_(extent) {}

  std::vector<reference_value> operator()(const node& n, std::vector<reference_value> x) const {
    if (n.op == id_of<cond_>) {
      const bool when = x.at(0).bits.at(0) != 0;
      x.erase(x.begin());
      return run_(body(n.at.v[when ? 0 : 1]), x);
    }
    return n.op == id_of<while_> ? repeat(n, std::move(x)) : scan(n, std::move(x));
  }

 private:
  const graph& body(index_t k) const { return g_.bodies[static_cast<std::size_t>(k)]; }

  std::vector<reference_value> repeat(const node& n, std::vector<reference_value> x) const {
    const auto states = static_cast<std::size_t>(n.at.v[2]);
    while (run_(body(n.at.v[0]), x).at(0).bits.at(0) != 0) {
      const std::vector<reference_value> next = run_(body(n.at.v[1]), x);
      for (std::size_t k = 0; k < states; ++k) x[k] = next.at(k);
    }
    x.resize(states);
    return x;
  }

  std::vector<reference_value> scan(const node& n, std::vector<reference_value> x) const {
    const index_t steps = extent_(n.at.v[1]);
    const auto carries = static_cast<std::size_t>(n.at.v[2]),
               slices = static_cast<std::size_t>(n.at.v[3]);
    const graph& b = body(n.at.v[0]);
    std::vector<reference_value> stacks;
    for (std::size_t k = carries; k < b.outputs.size(); ++k) {
      const node& made = b.nodes[static_cast<std::size_t>(b.outputs[k])];
      std::vector<index_t> shape{steps};
      for (int d = 0; d < made.shape.rank; ++d) shape.push_back(extent_(made.shape.d[d]));
      stacks.emplace_back(made.type, shape);
    }
    for (index_t t = 0; t < steps; ++t) {
      const index_t at = n.at.v[4] ? steps - 1 - t : t;
      std::vector<reference_value> in;
      reference_value number(dtype::int64, {});
      number.bits[0] = static_cast<std::uint64_t>(at);
      in.push_back(number);
      for (std::size_t k = 0; k < x.size(); ++k)
        in.push_back(k >= carries && k < carries + slices ? reference_slice(x[k], at) : x[k]);
      const std::vector<reference_value> out = run_(b, in);
      for (std::size_t k = 0; k < carries; ++k) x[k] = out.at(k);
      for (std::size_t k = 0; k < stacks.size(); ++k)
        put_reference_slice(stacks[k], at, out.at(carries + k));
    }
    x.resize(carries);
    for (reference_value& s : stacks) x.push_back(std::move(s));
    return x;
  }

  const graph& g_;
  Run run_;
  Extent extent_;
};

/// A value's elements as a tensor of its dtype holds them, and back.
inline std::vector<std::byte> stored_elements(const reference_value& x) {
  const auto width = static_cast<std::size_t>(size_of(x.type));
  std::vector<std::byte> r(width * static_cast<std::size_t>(x.size()) + 1);
  for (std::size_t i = 0; i < static_cast<std::size_t>(x.size()); ++i) {
    std::byte* to = r.data() + i * width;
    auto put = [&](auto v) { std::memcpy(to, &v, sizeof v); };
    if (x.type == dtype::float32)
      put(static_cast<float>(x.reals[i]));
    else if (x.type == dtype::float64)
      put(static_cast<double>(x.reals[i]));
    else if (x.type == dtype::float16)
      put(half(x.reals[i]));
    else if (x.type == dtype::bfloat16)
      put(bfloat16(x.reals[i]));
    else
      std::memcpy(to, &x.bits[i], width);  // little-endian, as every platform of the library
  }
  return r;
}
inline reference_value loaded_elements(dtype type, std::vector<index_t> shape,
                                       const std::byte* from) {
  reference_value x(type, std::move(shape));
  const auto width = static_cast<std::size_t>(size_of(type));
  auto get = [&]<class T>(T v, std::size_t i) {
    std::memcpy(&v, from + i * width, sizeof v);
    return v;
  };
  for (std::size_t i = 0; i < static_cast<std::size_t>(x.size()); ++i) {
    if (type == dtype::float32)
      x.reals[i] = get(float{}, i);
    else if (type == dtype::float64)
      x.reals[i] = get(double{}, i);
    else if (type == dtype::float16)
      x.reals[i] = static_cast<float>(get(half{}, i));
    else if (type == dtype::bfloat16)
      x.reals[i] = static_cast<float>(get(bfloat16{}, i));
    else if (type == dtype::int32)
      x.bits[i] = static_cast<std::uint64_t>(std::int64_t{get(std::int32_t{}, i)});
    else
      std::memcpy(&x.bits[i], from + i * width, width);
  }
  return x;
}

/// Calls a host function on values of the reference evaluator; `results` have their shapes.
inline void call_reference_host(const host_function& f, const std::vector<reference_value>& x,
                                std::vector<reference_value>& results) {
  std::vector<std::vector<std::byte>> memory;
  std::vector<host_value> in, out;
  auto add = [&](const reference_value& v, std::vector<host_value>& to) {
    memory.push_back(stored_elements(v));
    to.push_back({v.type, v.rank(), v.shape.data(), memory.back().data()});
  };
  for (const reference_value& v : x) add(v, in);
  for (const reference_value& v : results) add(v, out);
  f.run(in.data(), out.data());
  for (std::size_t k = 0; k < results.size(); ++k)
    results[k] = loaded_elements(results[k].type, results[k].shape,
                                 static_cast<const std::byte*>(out[k].data));
}

}  // namespace weft::detail
