// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <doctest/doctest.h>

#include <weft/grad/forward.hpp>
#include <weft/grad/reverse.hpp>

#include "../support/gradients.hpp"

// Every pointwise primitive of the catalogue: reverse and forward mode against differences, first
// and second order.
namespace w = weft;
using namespace weft_test;
using weft::detail::op_id;

namespace {

template <class List>
struct differentiability;
template <class... Op>
struct differentiability<weft::detail::type_list<Op...>> {
  template <class O>
  static constexpr bool of() {
    if constexpr (O::kind != weft::detail::op_kind::pointwise)
      return false;
    else
      return weft::detail::differentiable<O>;
  }
  static constexpr bool value[sizeof...(Op)]{of<Op>()...};
};
bool has_gradient(op_id op) {
  return differentiability<weft::detail::primitives>::value[op];
}

/// An op, and what derives from it, as outputs: the value; its gradient by each operand; its
/// tangent; then the tangent of the sum of the gradients (the second derivative along t).
graph derivatives(op_id op, int outputs, const std::vector<reference_value>& points) {
  const auto& f = weft::detail::info(op);
  weft::detail::builder b;
  symbol x[3];
  std::vector<int> wrt;
  std::vector<symbol> tangents;
  for (int k = 0; k < f.arity; ++k) {
    const auto& p = points[static_cast<std::size_t>(k)];
    x[k] = make_argument(b, spec(p.type, {p.size()}), k);
    if (!is_floating(p.type)) continue;
    wrt.push_back(x[k].id());
    tangents.push_back(x[k].number(0.5 + k).broadcast_to(x[k]));
  }
  const symbol y = op == weft::detail::id_of<weft::detail::cast_> ? x[0].as(dtype::float64)
                                                                  : pointwise(b, op, x, f.arity);
  b.g.outputs = {y.id()};
  const auto zero_or = [&](symbol s) { return s.id() >= 0 ? s : y.number(0).broadcast_to(y); };
  if (outputs > 0) {
    const auto g = weft::detail::reverse(y, y.number(1).broadcast_to(y), wrt);
    symbol all{};
    for (const symbol& s : g) {
      b.g.outputs.push_back(s.id());
      all = all.id() < 0 ? s : all + s;
    }
    b.g.outputs.push_back(zero_or(weft::detail::forward(y, wrt, tangents)).id());
    b.g.outputs.push_back(all.id());
    b.g.outputs.push_back(zero_or(weft::detail::forward(all, wrt, tangents)).id());
  }
  return b.finished();
}

/// Points where the op is finite: away from 0, 1 and ties; greater than 1 where smaller ones are
/// not in the domain.
std::vector<reference_value> regular_points(op_id op) {
  const auto& f = weft::detail::info(op);
  std::vector<reference_value> low, high;
  for (int k = 0; k < f.arity; ++k) {
    const bool condition = f.types == weft::detail::typing::select && k == 0;
    const long double d = 0.07L * k;
    low.push_back(condition ? vector_of({1, 0, 1}, dtype::boolean)
                            : vector_of({0.31L + d, 0.5L - d, 0.83L + d}));
    high.push_back(condition ? low.back() : vector_of({1.31L + d, 2.5L - d, 3.83L + d}));
  }
  const auto value = reference_evaluate(derivatives(op, 0, low), low)[0];
  for (long double v : value.reals)
    if (!std::isfinite(v)) return high;
  return low;
}

}  // namespace

TEST_CASE("gradient: every pointwise primitive against differences") {
  int checked = 0;
  for (int i = 0; i < weft::detail::primitives::size; ++i) {
    const auto op = static_cast<op_id>(i);
    const auto& f = weft::detail::info(op);
    const bool floats = f.types == weft::detail::typing::special
                            ? op == weft::detail::id_of<weft::detail::cast_>
                            : weft::detail::kinds_of(f.types).floats;
    if (f.kind != weft::detail::op_kind::pointwise || !floats ||
        f.types == weft::detail::typing::compare)
      continue;
    CAPTURE(f.name);
    const auto points = regular_points(op);
    const auto value = derivatives(op, 0, points), all = derivatives(op, 1, points);
    REQUIRE(std::string(all.error.view()) == "");
    const auto r = reference_evaluate(all, points);
    reference_value tangent(dtype::float64, points.back().shape), second = tangent;
    auto sum_graph = all;  // the sum of the gradients, whose differences are the second derivative
    sum_graph.outputs = {all.outputs[all.outputs.size() - 2]};
    std::size_t at = 1;
    for (std::size_t k = 0; k < static_cast<std::size_t>(f.arity); ++k) {
      if (!is_floating(points[k].type)) continue;
      const auto expected = reference_gradient(value, points, k),
                 curvature = reference_gradient(sum_graph, points, k);
      CAPTURE(k);
      if (has_gradient(op))
        CHECK(difference(r[at], expected, {.relative = 1e-9, .absolute = 1e-11}) == "");
      else
        CHECK(difference(r[at], {0, 0, 0}) == "");
      for (std::size_t j = 0; j < tangent.reals.size(); ++j) {
        tangent.reals[j] += r[at].reals[j] * (0.5L + static_cast<long double>(k));
        second.reals[j] += curvature.reals[j] * (0.5L + static_cast<long double>(k));
      }
      ++at;
    }
    CHECK(difference(r[at], tangent, {.relative = 1e-14, .absolute = 1e-16}) == "");
    CHECK(difference(r[at + 2], second, {.relative = 1e-8, .absolute = 1e-10}) == "");
    ++checked;
  }
  CHECK(checked > 20);
}
