// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/capture/spec.hpp>
#include <weft/capture/tree.hpp>

#include <array>
#include <initializer_list>
#include <utility>

// Graphs of generic lambdas, in constant evaluation or at run time: nothing is planned or compiled.
namespace weft_test {

using weft::dtype;
using weft::index_t;
using weft::symbol;
using weft::detail::graph;
using weft::detail::value_spec;

/// A spec of some extents; weft::dyn leaves one open.
constexpr value_spec spec(dtype type, std::initializer_list<index_t> extents = {}) {
  value_spec s;
  s.type = type;
  for (index_t e : extents) s.extent[s.rank++] = e;
  return s;
}
constexpr value_spec f32(std::initializer_list<index_t> extents = {}) {
  return spec(dtype::float32, extents);
}
constexpr value_spec f64(std::initializer_list<index_t> extents = {}) {
  return spec(dtype::float64, extents);
}
constexpr value_spec i32(std::initializer_list<index_t> extents = {}) {
  return spec(dtype::int32, extents);
}

/// The same spec with every extent open.
constexpr value_spec opened(value_spec s) {
  for (int i = 0; i < s.rank; ++i) s.extent[i] = weft::dyn;
  return s;
}

/// The graph of f, a function of one symbol for each spec, that returns a symbol or a tuple or
/// struct of them. Its error is in the graph. `general` keeps a broadcast where open extents meet.
template <std::size_t N, class F>
constexpr graph capture(const value_spec (&specs)[N], F f, bool general = false) {
  weft::detail::builder b;
  b.general = general;
  std::array<symbol, N> x;
  for (std::size_t k = 0; k < N; ++k)
    x[k] = weft::detail::make_argument(b, specs[k], static_cast<int>(k));
  auto result = std::apply([&](auto... s) { return f(s...); }, x);
  weft::detail::for_each_symbol(result, [&](symbol& s) { b.g.outputs.push_back(s.id()); });
  return b.finished();
}
template <class F>
constexpr graph capture(const value_spec& one, F f, bool general = false) {
  const value_spec specs[]{one};
  return capture(specs, f, general);
}

/// How many nodes of a graph are of an op.
template <class Op>
constexpr int count_of(const graph& g) {
  int n = 0;
  for (const auto& node : g.nodes) n += node.op == weft::detail::id_of<Op>;
  return n;
}

}  // namespace weft_test
