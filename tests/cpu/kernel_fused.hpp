// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include "kernel_check.hpp"

#include <weft/grad/transforms.hpp>
#include <weft/pass/pipeline.hpp>

// A program as it is planned, and each node of its graph as a program of its own.
namespace weft_test {

/// Node I of a source's optimised graph, of its operands as arguments.
template <class Source, int I>
struct node_program {
  static constexpr graph build(weft::detail::capture_mode) {
    const graph g = weft::detail::optimised(Source::build(false));
    auto n = g.nodes[static_cast<std::size_t>(I)];
    weft::detail::builder b;
    for (int k = 0; k < 3; ++k) {
      if (n.in[k] < 0) continue;
      const auto& x = g.nodes[static_cast<std::size_t>(n.in[k])];
      value_spec s{x.type, x.shape.rank, {}, false};
      for (int d = 0; d < s.rank; ++d) s.extent[d] = x.shape.d[d];
      n.in[k] = weft::detail::make_argument(b, s, k).id();
    }
    b.g.outputs.push_back(b.add(n));
    return b.finished();
  }
};

template <class Source, int I>
constexpr bool is_computed =
    weft::detail::optimised(Source::build(false)).nodes[static_cast<std::size_t>(I)].in[0] >= 0;

template <class Source, int... I>
std::vector<reference_value> unfused(const std::vector<reference_value>& arguments,
                                     std::integer_sequence<int, I...>) {
  const graph g = weft::detail::optimised(Source::build(false));
  // Arguments and constants need no program.
  std::vector<reference_value> values = weft::detail::reference_trace(g, arguments);
  auto one = [&]<int K>(std::integral_constant<int, K>) {
    if constexpr (is_computed<Source, K>) {
      const auto& n = g.nodes[static_cast<std::size_t>(K)];
      std::vector<reference_value> x;
      for (int k = 0; k < 3 && n.in[k] >= 0; ++k)
        x.push_back(values[static_cast<std::size_t>(n.in[k])]);
      values[K] = run<node_program<Source, K>>(x)[0];
    }
  };
  (one(std::integral_constant<int, I>{}), ...);
  std::vector<reference_value> r;
  for (int o : g.outputs) r.push_back(values[static_cast<std::size_t>(o)]);
  return r;
}

/// A program of known extents against its nodes, one by one.
template <class F, value_spec... S>
void check_fusion() {
  using source = program_of_function<F, S...>;
  constexpr int size = weft::detail::optimised(source::build(false)).size();
  const value_spec specs[]{S...};
  std::vector<reference_value> x;
  for (const value_spec& s : specs)
    x.push_back(filled(s.type, {s.extent, s.extent + s.rank}, x.size() + 1));
  const auto apart = unfused<source>(x, std::make_integer_sequence<int, size>{});
  CHECK(bits_differ(run<source>(x), apart) == "");
}

}  // namespace weft_test
