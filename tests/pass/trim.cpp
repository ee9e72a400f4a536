// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <doctest/doctest.h>

#include <weft/array/tensor.hpp>
#include <weft/capture/control.hpp>
#include <weft/capture/function.hpp>
#include <weft/grad/transforms.hpp>
#include <weft/graph/reference.hpp>
#include <weft/graph/verify.hpp>
#include <weft/pass/pipeline.hpp>

namespace w = weft;
namespace d = weft::detail;

namespace {

// Of a scan with two states and a stack only the first state is read, which needs nothing else.
constexpr auto one_of_three = [](auto x, auto u) {
  auto [last, ys] = w::scan(
      [u](auto c, auto a) {
        auto [p, q] = c;
        auto n = w::sin(p * a) + u;
        return std::tuple{std::tuple{n, q + p}, w::sum(n)};
      },
      std::tuple{u, u}, x);
  return w::sum(std::get<0>(last));
};
// A branch that both sides make more of than is read, from operands that one of them reads.
constexpr auto half_a_branch = [](auto x, auto u) {
  auto [a, b] = w::cond(
      w::sum(u) > 0.,
      [](auto x, auto u) {
        return std::tuple{w::sum(x), u * 2.};
      },
      [](auto x, auto u) {
        return std::tuple{w::sum(x * x), u * 3.};
      },
      x, u);
  return b;
};
// The loop's second state steers its condition, the third one nothing.
constexpr auto steered = [](auto x, auto u) {
  auto [s, n, unused] = w::while_loop([](auto s) { return w::sum(std::get<1>(s)) < 10.; },
                                      [](auto s) {
                                        auto [a, n, z] = s;
                                        return std::tuple{a + 1., n + 1., z * n};
                                      },
                                      std::tuple{x, u, u});
  return s;
};

template <class F>
constexpr d::graph captured(F) {
  return d::function_source<F, w::matrix<double>, w::vector<double>>::build(false);
}
constexpr const d::node& control_of(const d::graph& g) {
  const d::node* r = nullptr;
  for (const d::node& n : g.nodes)
    if (d::has_bodies(n.op)) r = &n;
  return *r;
}
constexpr std::size_t operand_count(const d::graph& g) {
  return d::operands_of(g.nodes.data(), control_of(g)).size();
}

static_assert([] {
  const d::graph g = d::optimised(captured(one_of_three));
  return d::verify(g).empty() && control_of(g).at.v[2] == 1 && operand_count(g) == 3 &&
         g.bodies[0].outputs.size() == 1 && g.bodies[0].arguments == 4;
}());
static_assert([] {
  const d::graph g = d::optimised(captured(half_a_branch));
  return d::verify(g).empty() && operand_count(g) == 2 && g.bodies[0].outputs.size() == 1 &&
         g.bodies[1].arguments == 1;
}());
static_assert([] {
  const d::graph g = d::optimised(captured(steered));
  return d::verify(g).empty() && control_of(g).at.v[2] == 2 && g.bodies[1].outputs.size() == 2;
}());

d::reference_value filled(std::vector<w::index_t> shape, double first) {
  d::reference_value v(w::dtype::float64, std::move(shape));
  for (std::size_t i = 0; i < v.reals.size(); ++i) v.reals[i] = first + .1L * static_cast<int>(i);
  return v;
}

TEST_CASE("trimming keeps the values of what is read") {
  const std::vector<d::reference_value> x{filled({3, 2}, -.2), filled({2}, .3)};
  for (const d::graph& g : {captured(one_of_three), captured(half_a_branch), captured(steered),
                            captured(w::grad(one_of_three)), captured(w::grad<1>(one_of_three))}) {
    CHECK(d::verify(g).view() == "");
    const d::graph o = d::optimised(g);
    CHECK(d::verify(o).view() == "");
    const auto want = d::reference_evaluate(g, x), got = d::reference_evaluate(o, x);
    REQUIRE(want.size() == got.size());
    for (std::size_t k = 0; k < want.size(); ++k)
      for (w::index_t i = 0; i < want[k].size(); ++i)
        CHECK(static_cast<double>(got[k][i]) ==
              doctest::Approx(static_cast<double>(want[k][i])).epsilon(1e-14));
  }
}

}  // namespace
