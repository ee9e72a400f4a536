// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <doctest/doctest.h>

#include <weft/graph/print.hpp>
#include <weft/graph/verify.hpp>
#include <weft/pass/pipeline.hpp>

#include "../support/random_graph.hpp"

namespace w = weft;
using namespace weft_test;
using weft::detail::reference_arithmetic;

namespace {

/// Every FMA as a product and a sum again: exact, so that contraction alone is undone.
graph uncontracted(const graph& g) {
  return weft::detail::rewrite(g, [](weft::detail::builder& b, weft::detail::node n, int) {
    if (n.op != weft::detail::id_of<w::fma_>) return b.add(n);
    const int z = n.in[2];
    n.op = weft::detail::id_of<w::multiply_>;
    n.in[2] = -1;
    const int product = b.add(n);
    n.op = weft::detail::id_of<w::add_>;
    n.in[0] = product;
    n.in[1] = z;
    return b.add(n);
  });
}

/// Runs the passes; after each the graph must be well formed and give the same bits (in the dtypes'
/// own arithmetic, FMAs taken apart). Empty, or what went wrong.
std::string fault(const graph& first, const std::vector<reference_value>& arguments,
                  const tolerance& t) {
  std::string found(verify(first).view());
  if (!found.empty()) return "capture: " + found;
  graph g = uncontracted(first);
  const auto expected = reference_evaluate(g, arguments, reference_arithmetic::own);
  for (const auto& p : weft::detail::pipeline) {
    g = p.run(g);
    found = std::string(verify(g).view());
    const auto values = reference_evaluate(uncontracted(g), arguments, reference_arithmetic::own);
    for (std::size_t k = 0; k < values.size() && found.empty(); ++k)
      found = difference(values[k], expected[k], t);
    if (!found.empty()) return std::string(p.name) + ": " + found;
  }
  // The canonical form is a fixed point.
  g = weft::detail::canonical(g);
  if (to_text(weft::detail::canonical(g)) != to_text(g)) return "canonical: changes its own result";
  return "";
}

}  // namespace

TEST_CASE("passes: random graphs keep their values") {
  std::vector<int> seen(weft::detail::primitives::size, 0);
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    random_graph r(seed, 24);
    const graph g = r.finished();
    for (const auto& n : g.nodes) ++seen[n.op];
    CAPTURE(seed);
    const std::string f = fault(g, r.arguments(seed), {.signs = true});
    if (!f.empty()) CAPTURE(to_text(weft::detail::canonical(g)));
    REQUIRE(f == "");
  }
  for (int op = 0; op < weft::detail::primitives::size; ++op) {
    const auto& f = weft::detail::info(static_cast<weft::detail::op_id>(op));
    if (f.kind != weft::detail::op_kind::pointwise || op == weft::detail::id_of<w::mul_zero_>)
      continue;
    CAPTURE(f.name);
    CHECK(seen[static_cast<std::size_t>(op)] > 0);
  }
}

TEST_CASE("passes: gradients of random graphs keep their values") {
  for (std::uint64_t seed = 1000; seed < 1200; ++seed) {
    random_graph r(seed, 18);
    r.add_gradient();
    const graph g = r.finished();
    CAPTURE(seed);
    // A cotangent of 0 may change its sign: mul_zero gives way to a product.
    const std::string f = fault(g, r.arguments(seed), {});
    if (!f.empty()) CAPTURE(to_text(weft::detail::canonical(g)));
    REQUIRE(f == "");
  }
}

TEST_CASE("passes: the fuzzer notices a wrong rewriting") {
  int noticed = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    random_graph r(seed, 24);
    const graph g = r.finished();
    // x + 0 to x loses the sign of -0; here a worse one: x - y to y.
    const graph wrong =
        weft::detail::rewrite(g, [](weft::detail::builder& b, const weft::detail::node& n, int) {
          return n.op == weft::detail::id_of<w::subtract_> ? n.in[1] : b.add(n);
        });
    const auto x = r.arguments(seed);
    const auto a = reference_evaluate(g, x, reference_arithmetic::own);
    const auto b = reference_evaluate(wrong, x, reference_arithmetic::own);
    bool same = true;
    for (std::size_t k = 0; k < a.size(); ++k)
      same = same && difference(b[k], a[k], {.signs = true}).empty();
    noticed += !same;
  }
  CHECK(noticed > 3);
}
