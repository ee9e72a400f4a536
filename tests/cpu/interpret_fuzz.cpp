// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "interpret_check.hpp"

#include <weft/graph/print.hpp>
#include <weft/pass/pipeline.hpp>

#include <doctest/doctest.h>

#include <support/random_graph.hpp>

// Plans of random graphs, run by the interpreter and compared with the reference: what is fused,
// recomputed and written in place keeps its values.
using namespace weft_test;
using weft::detail::reference_arithmetic;

namespace {

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
  const auto found = run_interpreted(g, x);
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

TEST_CASE("plans: long chains of numbers are cut, and kernels that use many numbers") {
  const std::vector<reference_value> x{values(dtype::float32, {}, {0.5L}),
                                       values(dtype::float32, {}, {0.25L}),
                                       filled(dtype::float32, {37}, 3)};
  auto check = [&](auto f) {
    weft::detail::builder b;
    symbol a[3];
    for (int k = 0; k < 3; ++k) a[k] = weft::detail::make_argument(b, k < 2 ? f32() : f32({37}), k);
    b.g.outputs.push_back(f(a[0], a[1], a[2]).id());
    const graph g = weft::detail::optimised(b.finished());
    const auto wanted = reference_evaluate(g, x, reference_arithmetic::own);
    CHECK(difference(run_interpreted(g, x)[0], wanted[0], {.ulp = 64, .relative = 1e-5}) == "");
  };
  for (int count : {10, 20, 40, 70, 200}) {
    CAPTURE(count);
    check([&](symbol a, symbol b, symbol) {
      for (int i = 0; i < count; ++i) a = weft::tanh(a * b + 0.5f);
      return a;
    });
    check([&](symbol a, symbol b, symbol v) {
      for (int i = 0; i < count; ++i) {
        a = weft::sin(a * b + 1.0f);
        v = v * 0.5f + a * weft::exp(b - a);
      }
      return v;
    });
  }
}
