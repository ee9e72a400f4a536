// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <matrix/run.hpp>

#include <weft/cpu/interpret_program.hpp>
#include <weft/graph/print.hpp>
#include <weft/pass/pipeline.hpp>
#include <weft/plan/make_plan.hpp>

#include <doctest/doctest.h>

#include <support/random_graph.hpp>

// Plans of random graphs, run by the interpreter and compared with the reference: what is fused,
// recomputed and written in place keeps its values.
using namespace weft_test;
using weft::detail::reference_arithmetic;

namespace {

std::vector<reference_value> planned(const graph& g,
                                     const std::vector<reference_value>& arguments) {
  using namespace weft::detail;
  tile_program<> p(make_plan(g));
  std::vector<array_memory> in, out;
  std::vector<argument_value> bound;
  for (const auto& x : arguments) in.emplace_back(x, layout::row_major);
  for (auto& x : in) bound.push_back(x.argument(false));
  const auto& table = p.planned().extents;
  std::vector<index_t> extents(table.size() + 1);
  evaluate_extents<xsimd::default_arch>(table.data(), static_cast<int>(table.size()), bound.data(),
                                        extents.data());
  for (int o : g.outputs) {
    const node& n = g.nodes[static_cast<std::size_t>(o)];
    const std::vector<index_t> shape(n.shape.d, n.shape.d + n.shape.rank);
    out.emplace_back(reference_value(n.type, shape), layout::shifted);
  }
  std::vector<void*> to;
  for (auto& o : out) to.push_back(o.data());
  p.run(bound.data(), to.data(), extents.data());
  std::vector<reference_value> r;
  for (auto& o : out) {
    if (!o.margins_are_whole()) throw weft::value_error("a kernel wrote beside its result");
    r.push_back(o.read());
  }
  return r;
}

int compared = 0;

std::string fault(random_graph& r, std::uint64_t seed) {
  const graph g = weft::detail::optimised(r.finished());
  for (const auto& n : g.nodes)  // no kernel has extremes of truth values
    if (weft::detail::is_reduction(n.op) && n.type == dtype::boolean) return "";
  bool products = false;  // whose sums of huge numbers overflow in one order and not in another
  for (const auto& n : g.nodes)
    products = products || weft::detail::info(n.op).kind == weft::detail::op_kind::matmul;
  const auto x = r.arguments(seed, !products);
  const auto wanted = reference_evaluate(g, x, reference_arithmetic::own);
  const auto exact = reference_evaluate(g, x, reference_arithmetic::wide);
  const auto found = planned(g, x);
  const tolerance close{.ulp = 4, .relative = 1e-3, .absolute = 1e-4};
  for (std::size_t j = 0; j < found.size(); ++j) {
    // Where a rounding changes the result, as in cos(exp(x)), so does a library's.
    if (!difference(exact[j], wanted[j], {.ulp = 4, .relative = 1e-5, .absolute = 1e-6}).empty())
      continue;
    const std::string d = difference(found[j], wanted[j], close);
    if (!d.empty()) return "output " + std::to_string(j) + ": " + d + "\n" + to_text(g);
    ++compared;
  }
  return "";
}

}  // namespace

TEST_CASE("plans: random graphs keep their values") {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    CAPTURE(seed);
    random_graph r(seed, 24, seed % 2 ? 3 : 2);
    REQUIRE(fault(r, seed) == "");
  }
  CHECK(compared > 10000);
}

TEST_CASE("plans: gradients of random graphs keep their values") {
  for (std::uint64_t seed = 2000; seed < 3000; ++seed) {
    CAPTURE(seed);
    random_graph r(seed, 18, seed % 2 ? 3 : 2);
    r.add_gradient();
    REQUIRE(fault(r, seed) == "");
  }
}
