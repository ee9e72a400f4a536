// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <doctest/doctest.h>

#include <weft/grad/transforms.hpp>

#include "../support/gradients.hpp"

// Gradient conventions: ties, several uses, broadcasts, views, products, gathers.
namespace w = weft;
using namespace weft_test;

TEST_CASE("gradient: ties share evenly") {
  const auto two = [](auto f, double x, double y) {
    const auto r = results(w::grad<0, 1>(f), x, y);
    return std::pair{static_cast<double>(r[0][0]), static_cast<double>(r[1][0])};
  };
  const auto maximum = [](auto x, auto y) { return w::maximum(x, y); };
  const auto minimum = [](auto x, auto y) { return w::minimum(x, y); };
  CHECK(two(maximum, 2, 2) == std::pair{0.5, 0.5});
  CHECK(two(maximum, 3, 2) == std::pair{1.0, 0.0});
  CHECK(two(minimum, 2, 2) == std::pair{0.5, 0.5});
  CHECK(two(minimum, 3, 2) == std::pair{0.0, 1.0});
  CHECK(two(maximum, 0.0, -0.0) == std::pair{0.5, 0.5});
  const auto max = [](auto x) { return w::max(x); };
  CHECK(difference(result(w::grad(max), vector_of({1, 3, 3})), {0, 0.5, 0.5}) == "");
  const auto min = [](auto x) { return w::sum(w::min(x, w::axis<1>) * w::min(x, w::axis<1>)); };
  CHECK(difference(result(w::grad(min), values(dtype::float64, {2, 2}, {1, 1, 5, 2})),
                   {1, 1, 0, 4}) == "");
  const auto t = results(w::jvp(max), vector_of({1, 3, 3}), vector_of({100, 1, 2}))[1];
  CHECK(difference(t, {1.5}) == "");
}

TEST_CASE("gradient: every use adds") {
  CHECK(number(w::grad([](auto x) { return x * x; }), 3.0) == 6);
  CHECK(number(w::grad([](auto x) {
                 const auto y = x * x;
                 return y * y;
               }),
               3.0) == 108);
  CHECK(number(w::grad([](auto x) { return w::exp(x) + w::exp(x); }), 0.0) == 2);
  const auto f = [](auto m, auto x) { return w::sum(w::matmul(m, w::matmul(m, x))); };
  const auto m = values(dtype::float64, {2, 2}, {1, 2, 3, 4}), x = vector_of({5, 6});
  const value_spec specs[]{f64({2, 2}), f64({2})};
  CHECK(difference(result(w::grad(f), m, x), reference_gradient(capture(specs, f), {m, x}),
                   {.relative = 1e-9}) == "");
}

TEST_CASE("gradient: a broadcast sums") {
  const auto f = [](auto a, auto b) { return w::sum(a * b); };
  const auto a = values(dtype::float64, {2, 1}, {1, 2}), b = vector_of({3, 4, 5});
  const auto g = results(w::grad<0, 1>(f), a, b);
  CHECK(g[0].shape == a.shape);
  CHECK(g[1].shape == b.shape);
  CHECK(difference(g[0], {12, 12}) == "");
  CHECK(difference(g[1], {3, 3, 3}) == "");
  const auto s = results(w::grad<0, 1>([](auto x, auto y) { return w::sum(x + y); }), b, 2.0);
  CHECK(difference(s[1], {3}) == "");
}

TEST_CASE("gradient: extents that broadcast at the call") {
  const auto f = [](auto a, auto b) { return w::sum(a * b); };
  const value_spec specs[]{opened(f64({1, 1})), opened(f64({1}))};
  const auto g = capture(specs, w::grad<0, 1>(f), true);
  CHECK(g.error.empty());
  CHECK(count_of<weft::detail::sum_to_>(g) > 0);
  const auto a = values(dtype::float64, {2, 1}, {1, 2});
  for (const auto& b : {vector_of({3, 4, 5}), vector_of({7})}) {
    const auto found = reference_evaluate(g, {a, b});
    const auto expected = results(w::grad<0, 1>(f), a, b);
    CHECK(difference(found[0], expected[0]) == "");
    CHECK(difference(found[1], expected[1]) == "");
  }
}

TEST_CASE("gradient: take with duplicates accumulates") {
  const auto f = [](auto x, auto i, auto weights) { return w::sum(w::take(x, i) * weights); };
  const auto x = vector_of({1, 2, 3});
  const auto i = vector_of({0, 0, 2}, dtype::int32), weights = vector_of({1, 10, 100});
  CHECK(difference(result(w::grad(f), x, i, weights), {11, 0, 100}) == "");
  const auto last = vector_of({-1, 1, -1}, dtype::int32);
  CHECK(difference(result(w::grad(f), x, last, weights), {0, 10, 101}) == "");
}

TEST_CASE("gradient: views and products against differences, in both directions") {
  const auto f = [](auto x) {
    const auto y = w::concat(w::axis<0>, w::transpose(x), w::square(w::transpose(x)));
    return w::sum(w::matmul(y, x) * w::mean(x, w::axis<0>, w::keepdims)) +
           w::sum(y.sliced(0, 5, -2, 3) * 3);
  };
  const auto x = filled(dtype::float64, {2, 3}, 1), t = filled(dtype::float64, {2, 3}, 2);
  const auto g = result(w::grad(f), x);
  CHECK(difference(g, reference_gradient(capture(f64({2, 3}), f), {x}), {.relative = 1e-9}) == "");
  long double expected = 0;
  for (index_t k = 0; k < g.size(); ++k) expected += g[k] * t[k];
  CHECK(difference(results(w::jvp(f), x, t)[1], {expected}, {.relative = 1e-12}) == "");
}

TEST_CASE("gradient: vjp takes a cotangent") {
  const auto f = [](auto x, auto y) { return x * y; };
  const auto r = results(w::vjp(f), vector_of({1, 2}), vector_of({3, 4}), vector_of({10, 100}));
  CHECK(difference(r[0], {3, 8}) == "");
  CHECK(difference(r[1], {30, 400}) == "");
  CHECK(difference(r[2], {10, 200}) == "");
}

TEST_CASE("gradient: what has no derivative blocks it silently") {
  const auto f = [](auto x) { return w::sum(w::cast<double>(x > 1)) + w::sum(w::floor(x)); };
  CHECK(difference(result(w::grad(f), vector_of({0.5, 2})), {0, 0}) == "");
  CHECK(difference(results(w::jvp(f), vector_of({0.5, 2}), vector_of({1, 1}))[1], {0}) == "");
  CHECK(number(w::grad([](auto, auto y) { return y * y; }), 1.0, 2.0) == 0);
}

TEST_CASE("gradient: only of one floating value") {
  CHECK(!capture(f64({2}), w::grad([](auto x) { return x * x; })).error.empty());
  CHECK(!capture(i32(), w::grad([](auto x) { return x * x; })).error.empty());
}
