// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/array/creation.hpp>
#include <weft/compile/control.hpp>
#include <weft/grad/transforms.hpp>
#include <weft/op/reshape.hpp>

#include <doctest/doctest.h>
#include <support/gradients.hpp>
#include <support/tensors.hpp>

// Compiled control flow at its edges: no steps, results over arguments, states that pass through.
namespace w = weft;
using namespace weft_test;

TEST_CASE("compiled control flow: gradients of no steps") {
  auto f = [](auto xs, auto h) {
    auto [l, ys] = w::scan(
        [](auto h, auto x) {
          auto n = w::tanh(h * x);
          return std::tuple{n, w::sum(n)};
        },
        h, xs);
    return w::sum(l * l) + w::sum(ys);
  };
  for (weft::index_t n : {0, 1, 3}) {
    auto xs = filled_tensor<double, 2>({n, 3}, 1);
    auto h = filled_tensor<double, 1>({3}, 2);
    auto [v, gx, gh] = w::value_and_grad<0, 1>(f)(xs, h);
    auto e = results(w::value_and_grad<0, 1>(f), read(xs), read(h));
    CHECK(difference(read(v), e[0], {.relative = 1e-13}) == "");
    CHECK(difference(gx, e[1], {.relative = 1e-13, .absolute = 1e-15}) == "");
    CHECK(difference(gh, e[2], {.relative = 1e-13, .absolute = 1e-15}) == "");
  }
}
TEST_CASE("compiled control flow: results over arguments, overlapping rows") {
  auto c = w::compile([](auto h, auto xs) {
    return w::scan(
        [](auto h, auto x) {
          auto n = h + x;
          return std::tuple{n, n * 2.0};
        },
        h, xs);
  });
  auto h = w::vector<double>{1, 2};
  w::matrix<double> xs{{1, 2}, {3, 4}, {5, 6}};
  auto [l, ys] = c(h, xs);
  c.into(std::tie(h, xs), h, xs);
  CHECK(difference(h, read(l)) == "");
  CHECK(difference(xs, read(ys)) == "");
  // rows overlapping
  w::matrix<double> m{{1, 2}, {3, 4}, {5, 6}, {7, 8}};
  w::matrix<double> in = m(w::range(0, 3), w::all);
  auto [l2, y2] = c(w::vector<double>{0, 0}, in);
  auto to = m(w::range(1, 4), w::all);
  w::vector<double> last{0, 0};
  c.into(std::tie(last, to), w::vector<double>{0, 0}, m(w::range(0, 3), w::all));
  CHECK(difference(to, read(y2)) == "");
  // state is a row of xs, and one of the results
  auto row = xs(1, w::all);
  w::vector<double> r = row;
  w::matrix<double> x2 = xs;
  auto [l3, y3] = c(r, x2);
  c.into(std::tie(row, x2), row, xs);
  CHECK(difference(x2, read(y3)) == "");
  CHECK(difference(row, read(l3)) == "");
}
TEST_CASE("compiled control flow: a while_loop in place") {
  auto c = w::compile([](auto x) {
    return w::while_loop([](auto s) { return w::sum(s) < 10.0; }, [](auto s) { return s * 2.0; },
                         x);
  });
  w::vector<double> x{20, 1};
  c.into(x, x);
  CHECK(x(0) == 20);
  CHECK(x(1) == 1);
  w::vector<double> y{1, 1};
  c.into(y, y);
  CHECK(y(0) == 8);
}
TEST_CASE("compiled control flow: states and arguments that are swapped or only passed on") {
  auto c = w::compile([](auto x, auto y) {
    return w::fori(
        3,
        [](auto, auto s) {
          auto [a, b] = s;
          return std::tuple{b, a};
        },
        std::tuple{x, y});
  });
  w::vector<double> x{1, 1}, y{2, 2};
  c.into(std::tie(x, y), x, y);
  CHECK(x(0) == 2);
  CHECK(y(1) == 1);
  auto d = w::compile([](auto x, auto y) {
    return w::cond(
        w::sum(x) > 0.0,
        [](auto x, auto y) {
          return std::tuple{y, x};
        },
        [](auto x, auto y) {
          return std::tuple{x, y};
        },
        x, y);
  });
  d.into(std::tie(x, y), x, y);
  CHECK(x(0) == 1);
  CHECK(y(1) == 2);
  auto id = w::compile([](auto x) { return w::map([](auto a) { return a; }, x); });
  CHECK(difference(id(x), read(x)) == "");
  auto constant =
      w::compile([](auto x) { return w::map([](auto a) { return a * 0.0 + 1.0; }, x); });
  CHECK(constant(x)(1) == 1);
  auto same = w::compile([](auto x, auto y) {
    return std::get<1>(w::scan(
        [y](auto c, auto a) {
          return std::tuple{c, std::tuple{y, c, a}};
        },
        w::sum(x), x));
  });
  auto [p, q, r] = same(x, y);
  CHECK(p.extent(0) == 2);
  CHECK(p(1, 1) == 2);
  CHECK(q(0) == 2);
  CHECK(r(1) == 1);
}
TEST_CASE("compiled control flow: one value as several results") {
  auto c = w::compile([](auto x) {
    auto y = w::fori(
        2, [](auto, auto s) { return s + 1.0; }, x);
    return std::tuple{x, y, y, w::reshape(y, w::shape<2, 1>)};
  });
  w::vector<double> x{1, 2};
  auto [a, b, d, e] = c(x);
  CHECK(a(0) == 1);
  CHECK(b(0) == 3);
  CHECK(d(1) == 4);
  CHECK(e(1, 0) == 4);
}
