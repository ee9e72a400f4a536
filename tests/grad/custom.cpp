// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors

#include <doctest/doctest.h>
#include <weft/array/creation.hpp>
#include <weft/compile/compile.hpp>
#include <weft/grad/custom.hpp>

#include "op/check.hpp"

namespace w = weft;
using op_test::list;

namespace {
/// Rounds, and lets the gradient through as if it did not.
constexpr auto straight_through(auto x) {
  return w::custom_vjp([](auto v) { return w::floor(v + 0.5f); },
                       [](auto g, auto, auto) { return g; })(x);
}
/// x * y, with gradients that tell who asked.
constexpr auto marked(auto x, auto y) {
  return w::custom_vjp([](auto a, auto b) { return a * b; },
                       [](auto g, auto a, auto, auto r) {
                         return std::tuple{g * r + a, w::no_gradient{}};
                       })(x, y);
}
}  // namespace

TEST_CASE("a rule of the user's replaces the gradient") {
  const w::vector<float> x{0.4f, 1.6f};
  const auto [value, gradient] =
      w::value_and_grad([](auto v) { return w::sum(straight_through(v) * v); })(x);
  CHECK(w::item(value) == doctest::Approx(2 * 1.6f));
  CHECK(list(gradient) == std::vector<float>{0.4f + 0, 1.6f + 2});
}

TEST_CASE("rules see the cotangent, the arguments and the result") {
  const w::vector<float> x{2, 3}, y{5, 7};
  const auto [gx, gy] = w::grad<0, 1>([](auto a, auto b) { return w::sum(marked(a, b)); })(x, y);
  CHECK(list(gx) == std::vector<float>{10 + 2, 21 + 3});
  CHECK(list(gy) == std::vector<float>{0, 0});
}

TEST_CASE("derivatives of a rule, and tangents through the function") {
  // d/dx of sum(x * y * r + ...): the rule is differentiated like any code
  const w::vector<float> x{2, 3}, y{5, 7};
  const auto second = w::grad([](auto a, auto b) {
    return w::sum(w::grad([&](auto c) { return w::sum(marked(c, b)); })(a));
  })(x, y);
  // The gradient is r + a with r = marked(a, b), whose own gradient is r + a again, and 1 for a.
  CHECK(list(second) == std::vector<float>{10 + 2 + 1, 21 + 3 + 1});
  const auto [value, tangent] = w::jvp([](auto a, auto b) { return marked(a, b); })(
      x, y, w::ones<float>(2), w::zeros<float>(2));
  CHECK(list(tangent) == std::vector<float>{5, 7});
}

TEST_CASE("a gradient of another shape is an error") {
  using namespace w::detail;
  builder b;
  const auto x = make_argument(b, {w::dtype::float32, 1, {3}, false}, 0);
  const auto bad = w::custom_vjp([](auto v) { return w::sum(v); },
                                 [](auto, auto v, auto) { return w::unsqueeze(v, w::axis<0>); });
  (void)w::grad([&](auto v) { return bad(v); })(x);
  CHECK(
      std::string(b.g.error.view()).find("custom_vjp: a gradient must have the dtype and shape") !=
      std::string::npos);
}
