// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include "kernel_check.hpp"

#include <weft/cpu/interpreted.hpp>
#include <weft/plan/make_plan.hpp>

// Plans run twice: by compiled kernels and by the interpreter. The bits must be the same.
namespace weft_test {

inline std::vector<bool> strided_arguments(graph (*capture)(weft::detail::capture_mode),
                                           std::size_t count) {
  std::vector<bool> r(count);
  for (const auto& n : capture(false).nodes)
    if (n.op == weft::detail::id_of<weft::detail::argument_>)
      r[static_cast<std::size_t>(n.at.v[0])] = n.at.v[1] != 0;
  return r;
}

/// What the interpreter makes of a plan with results like these nodes.
template <class Nodes>
std::vector<reference_value> run_interpreted(weft::detail::interpreted_program& p,
                                             const Nodes& results,
                                             const std::vector<weft::detail::argument_value>& x) {
  const auto& table = p.planned().extents;
  std::vector<index_t> extents(table.size() + 1);
  weft::detail::evaluate_extents<xsimd::default_arch>(table.data(), static_cast<int>(table.size()),
                                                      x.data(), extents.data());
  std::vector<array_memory> out;
  for (const weft::detail::node& n : results) {
    std::vector<index_t> shape;
    for (int d = 0; d < n.shape.rank; ++d) {
      const index_t e = n.shape.d[d];
      shape.push_back(weft::detail::is_symbol(e)
                          ? extents[static_cast<std::size_t>(weft::detail::symbol_number(e))]
                          : e);
    }
    out.emplace_back(reference_value(n.type, shape), layout::shifted);
  }
  std::vector<void*> to;
  for (auto& o : out) to.push_back(o.data());
  p.run(x.data(), to.data(), extents.data());
  std::vector<reference_value> r;
  for (auto& o : out) {
    if (!o.margins_are_whole()) throw weft::value_error("a kernel wrote beside its result");
    r.push_back(o.read());
  }
  return r;
}

/// The same for the plan of a graph.
inline std::vector<reference_value> run_interpreted(const graph& g,
                                                    const std::vector<reference_value>& x) {
  const auto p = weft::detail::interpreted(weft::detail::make_plan(g));
  std::vector<array_memory> in;
  std::vector<weft::detail::argument_value> bound;
  for (const auto& v : x) in.emplace_back(v, layout::row_major);
  for (auto& v : in) bound.push_back(v.argument(false));
  std::vector<weft::detail::node> results;
  for (int o : g.outputs) results.push_back(g.nodes[static_cast<std::size_t>(o)]);
  return run_interpreted(*p, results, bound);
}

/// What the interpreter makes of a program's plan for equal extents.
template <class Source>
std::vector<reference_value> interpreted(const std::vector<reference_value>& arguments,
                                         const std::vector<layout>& layouts = {}) {
  using stages = weft::detail::stages<Source, false>;
  static const auto p = weft::detail::interpreted(stages::compiled().p);
  const std::vector<bool> strided = strided_arguments(&Source::build, arguments.size());
  std::vector<array_memory> in;
  std::vector<weft::detail::argument_value> bound;
  for (std::size_t k = 0; k < arguments.size(); ++k)
    in.emplace_back(arguments[k], k < layouts.size() ? layouts[k] : layout::row_major);
  for (std::size_t k = 0; k < arguments.size(); ++k) bound.push_back(in[k].argument(strided[k]));
  return run_interpreted(*p, stages::compiled().facts.outputs, bound);
}

template <class Source>
void check_interpreted(const std::vector<reference_value>& x,
                       const std::vector<layout>& layouts = {}) {
  std::string shapes;
  for (const auto& v : x) shapes += described(v) + " ";
  CAPTURE(shapes);
  const auto compiled = run<Source>(x, layouts);
  CHECK(bits_differ(interpreted<Source>(x, layouts), compiled) == "");
}

/// A function of one matrix, at the sizes where loops change their course.
template <class F, dtype Type = dtype::float32>
void check_interpreted_matrix(bool empty_rows = true) {
  using rows = program_of_function<F, spec(Type, {weft::dyn, weft::dyn})>;
  for (index_t n : edge_extents()) {
    if (n == 0 && !empty_rows) continue;
    for (index_t k : {0, 1, 3, 18, 300})
      if (k * n < 200000) check_interpreted<rows>({filled(Type, {k, n}, 7)});
  }
  using open = program_of_function<F, strided(spec(Type, {weft::dyn, weft::dyn}))>;
  for (layout how : {layout::spaced, layout::backwards, layout::transposed, layout::expanded})
    check_interpreted<open>({levelled(filled(Type, {5, 2 * lanes + 1}, 8))}, {how});
}

}  // namespace weft_test
