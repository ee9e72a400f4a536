// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/array/creation.hpp>
#include <weft/compile/compile.hpp>
#include <weft/grad/expression.hpp>
#include <weft/grad/transforms.hpp>

#include <doctest/doctest.h>
#include <support/tensors.hpp>

// Extents that are known at the call, and broadcast there.
namespace w = weft;
using namespace weft_test;
using w::index_t;

namespace {

constexpr auto f = w::compile([](auto x, auto y) { return w::tanh(x) * y + x; });
constexpr auto g = w::compile(
    w::value_and_grad<0, 1>([](auto x, auto y) { return w::sum(w::square(x * y + w::sin(x))); }));

/// Element (i, j) of what a matrix broadcasts to.
double at(const w::matrix<double>& x, index_t i, index_t j) {
  return x(x.extent(0) == 1 ? 0 : i, x.extent(1) == 1 ? 0 : j);
}

/// Both doors, values and gradients, for two shapes.
void check(w::shape_t<2> a, w::shape_t<2> b) {
  const auto x = filled_tensor<double, 2>(a, 1), y = filled_tensor<double, 2>(b, 2);
  const auto joined = [](index_t m, index_t n) { return n == 1 ? m : n; };
  const index_t rows = joined(a[0], b[0]), columns = joined(a[1], b[1]);
  CAPTURE(a);
  CAPTURE(b);
  reference_value value(dtype::float64, {rows, columns}), gx(dtype::float64, {a[0], a[1]}),
      gy(dtype::float64, {b[0], b[1]});
  double total = 0;
  for (index_t i = 0; i < rows; ++i)
    for (index_t j = 0; j < columns; ++j) {
      const double u = at(x, i, j), v = at(y, i, j), s = u * v + std::sin(u);
      value.reals[static_cast<std::size_t>(i * columns + j)] = std::tanh(u) * v + u;
      total += s * s;
      const index_t px = (a[0] == 1 ? 0 : i) * a[1] + (a[1] == 1 ? 0 : j);
      const index_t py = (b[0] == 1 ? 0 : i) * b[1] + (b[1] == 1 ? 0 : j);
      gx.reals[static_cast<std::size_t>(px)] += 2 * s * (v + std::cos(u));
      gy.reals[static_cast<std::size_t>(py)] += 2 * s * u;
    }
  const tolerance near{.relative = 1e-12, .absolute = 1e-12};
  CHECK(difference(f(x, y), value, near) == "");
  const auto [t, dx, dy] = g(x, y);
  CHECK(static_cast<double>(t) == doctest::Approx(total).epsilon(1e-12));
  CHECK(difference(dx, gx, near) == "");
  CHECK(difference(dy, gy, near) == "");
  const auto p = w::variable<"x">(x);
  const auto q = w::variable<"y">(y);
  const w::matrix<double> lazy = w::tanh(p) * q + p;
  CHECK(difference(lazy, value, near) == "");
  const auto loss = w::sum(w::square(p * q + w::sin(p)));
  const w::matrix<double> lx = w::grad(loss, p), ly = w::grad(loss, q);
  CHECK(difference(lx, gx, near) == "");
  CHECK(difference(ly, gy, near) == "");
}

}  // namespace

TEST_CASE("open extents broadcast at the call, in turn with shapes that agree") {
  check({2, 3}, {2, 3});
  check({2, 1}, {1, 3});
  check({2, 3}, {1, 3});
  check({4, 5}, {4, 5});
  check({2, 3}, {2, 1});
  check({1, 1}, {4, 33});
  check({1, 33}, {4, 33});
  check({5, 1}, {5, 1});
  check({1, 1}, {1, 1});
  check({7, 40}, {1, 1});
  check({40, 1}, {1, 70});
  check({40, 70}, {40, 70});
}

TEST_CASE("an extent of 1 with 0 gives 0") {
  check({1, 3}, {0, 3});
  check({0, 3}, {1, 3});
  check({0, 1}, {1, 3});
  check({2, 1}, {1, 0});
  check({0, 0}, {1, 1});
}

TEST_CASE("open extents that do not broadcast are an error") {
  const auto x = filled_tensor<double, 2>({2, 3}, 1), y = filled_tensor<double, 2>({2, 4}, 2),
             z = filled_tensor<double, 2>({0, 3}, 2);
  CHECK_THROWS_AS(f(x, y), w::shape_error);
  CHECK_THROWS_AS(f(x, z), w::shape_error);
  CHECK_THROWS_AS(g(x, y), w::shape_error);
  CHECK_THROWS_AS(w::eval(x + y), w::shape_error);
}

TEST_CASE("vectors, and ranks that differ") {
  const w::vector<float> v{1, 2, 3}, one{10}, none = w::zeros<float>(0);
  const auto add = w::compile([](auto a, auto b) { return a + b; });
  CHECK(difference(read(add(v, one)), {11, 12, 13}) == "");
  CHECK(difference(read(add(one, v)), {11, 12, 13}) == "");
  CHECK(difference(read(add(v, v)), {2, 4, 6}) == "");
  CHECK(add(one, none).size() == 0);
  CHECK_THROWS_AS(add(v, none), w::shape_error);
  const w::matrix<float> tall{{1}, {2}};
  const w::matrix<float> table = tall * v;
  CHECK(difference(read(table), {1, 2, 3, 2, 4, 6}) == "");
  const auto p = w::variable<"p">(tall);
  const auto q = w::variable<"q">(v);
  const w::matrix<float> dp = w::grad(w::sum(p * q), p);
  const w::vector<float> dq = w::grad(w::sum(p * q), q);
  CHECK(difference(read(dp), {6, 6}) == "");
  CHECK(difference(read(dq), {3, 3, 3}) == "");
  // Reductions and products of what broadcast.
  const w::vector<float> sums = w::sum(tall * one + v, w::axis<1>);
  CHECK(difference(read(sums), {36, 66}) == "");
  const w::matrix<float> wide{{1, 2}};
  const w::matrix<float> product = w::matmul(wide, tall + w::zeros<float>(2, 2));
  CHECK(difference(read(product), {5, 5}) == "");
}

TEST_CASE("where, comparisons and several results with extents that broadcast at the call") {
  const auto h = w::compile([](auto x, auto y, auto z) {
    return std::tuple{w::where(x > y, z, x), w::maximum(y, z), w::sum(x * y * z)};
  });
  const w::vector<float> a{1, 5, 3}, one{2};
  const auto [chosen, greater, total] = h(a, one, one);
  CHECK(difference(read(chosen), {1, 2, 2}) == "");
  CHECK(difference(read(greater), {2}) == "");
  CHECK(total == 36);
  const auto [chosen2, greater2, total2] = h(one, a, one);
  CHECK(difference(read(chosen2), {2, 2, 2}) == "");
  CHECK(difference(read(greater2), {2, 5, 3}) == "");
  CHECK(total2 == 36);
}

TEST_CASE("second derivatives and forward mode where extents broadcast at the call") {
  const auto twice = w::compile([](auto x, auto y) {
    return w::grad([](auto u, auto v) {
      return w::sum(w::grad([](auto s, auto t) { return w::sum(s * s * t * t); })(u, v) * u);
    })(x, y);
  });
  const w::vector<double> a{1, 2, 3}, one{2};
  // d/du sum over the broadcast of 2 u^2 t^2
  CHECK(difference(read(twice(a, one)), {16, 32, 48}) == "");
  CHECK(difference(read(twice(one, a)), {4 * 2 * 14}) == "");
  const auto forward = w::compile(w::jvp([](auto x, auto y) { return x * y; }));
  const auto [y, t] = forward(a, one, a, one);
  CHECK(difference(read(y), {2, 4, 6}) == "");
  CHECK(difference(read(t), {4, 8, 12}) == "");
}

TEST_CASE("rank 0 wherever NumPy has it") {
  const w::tensor<float> x(3), y(4);
  CHECK(static_cast<float>(x + y) == 7);
  CHECK(static_cast<float>(w::sum(w::variable<"x">(x))) == 3);
  CHECK(static_cast<float>(w::max(x)) == 3);
  CHECK(static_cast<float>(w::mean(x * y)) == 12);
  CHECK(static_cast<float>(w::var(x)) == 0);
  CHECK(static_cast<float>(w::logsumexp(x)) == doctest::Approx(3));
  CHECK(static_cast<std::int64_t>(w::argmax(x)) == 0);
  CHECK(static_cast<bool>(w::any(x)));
  CHECK(static_cast<float>(w::transpose(x)) == 3);
  CHECK(static_cast<float>(w::where(x < y, x, y)) == 3);
  CHECK(static_cast<float>(w::clamp(x, 0, 2)) == 2);
  CHECK(static_cast<double>(w::cast<double>(x)) == 3);
  const w::vector<float> row = w::reshape(x, w::shape<1>);
  CHECK(row(0) == 3);
  const w::matrix<float> wide = w::expand(x, w::shape<2, 2>);
  CHECK(wide(1, 1) == 3);
  const w::vector<float> flat = w::flatten(x);
  CHECK(flat.size() == 1);
  const w::vector<float> v{1, 2};
  CHECK(difference(read(w::eval(v * x)), {3, 6}) == "");
  const w::tensor<std::int32_t> at(1);
  const w::tensor<float> element = w::take(v, at);
  CHECK(element == 2);
  const auto both = w::compile([](auto a, auto b) { return std::tuple{a * b, w::exp(a - a)}; });
  const auto [p, q] = both(x, y);
  CHECK(p == 12);
  CHECK(q == 1);
  const auto d = w::variable<"d">(x);
  const w::tensor<float> slope = w::grad(d * d * 2, d);
  CHECK(slope == 12);
}
