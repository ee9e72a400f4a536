// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors

#include <doctest/doctest.h>
#include <weft/array/creation.hpp>
#include <weft/compile/evaluate.hpp>

#include "check.hpp"

namespace w = weft;
using op_test::list;

TEST_CASE("take picks slices, negative indices count from the end") {
  const w::matrix<float> a{{1, 2, 3}, {4, 5, 6}};
  const w::matrix<float> rows = w::take(a, w::vector<std::int64_t>{1, 0, -1});
  CHECK(rows.shape() == std::array<w::index_t, 2>{3, 3});
  CHECK(list(rows) == std::vector<float>{4, 5, 6, 1, 2, 3, 4, 5, 6});
  const w::matrix<float> columns =
      w::take(w::transpose(a) * 2.0f, w::vector<std::int32_t>{1, 1}, w::axis<1>) + 1.0f;
  CHECK(list(columns) == std::vector<float>{9, 9, 11, 11, 13, 13});
  const w::matrix<std::int64_t> where{{0, 2}, {-3, 1}};
  const auto cube = w::eval(w::take(a, where, w::axis<1>));
  CHECK(cube.shape() == std::array<w::index_t, 3>{2, 2, 2});
  CHECK(list(cube) == std::vector<float>{1, 3, 1, 2, 4, 6, 4, 5});
}

TEST_CASE("an index out of range is an error before anything is written") {
  const w::matrix<float> a{{1, 2, 3}, {4, 5, 6}};
  w::matrix<float> out = w::full<float>({2, 2}, 7);
  w::vector<std::int64_t> i{0, 3};
  CHECK_THROWS_WITH_AS(out = w::take(a, i, w::axis<1>),
                       doctest::Contains("index 3 is out of range for axis 1 of extent 3"),
                       w::index_error);
  CHECK(list(out) == std::vector<float>{7, 7, 7, 7});
  i = w::vector<std::int64_t>{-4, 0};
  CHECK_THROWS_AS(out = w::take(a, i, w::axis<1>), w::index_error);
  i = w::vector<std::int64_t>{-3, 2};
  out = w::take(a, i, w::axis<1>);
  CHECK(list(out) == std::vector<float>{1, 3, 4, 6});
}

TEST_CASE("the gradient of take accumulates") {
  const w::vector<float> x{1, 2, 3}, weight{1, 10, 100};
  const auto v = w::variable<"x">(x);
  const w::vector<std::int64_t> i{0, 0, 2};
  const w::vector<float> g = w::grad(w::sum(w::take(v, i) * weight), v);
  CHECK(list(g) == std::vector<float>{11, 0, 100});
  const w::matrix<double> m{{1, 2}, {3, 4}};
  const auto y = w::variable<"m">(m);
  const w::matrix<double> h = w::grad(w::sum(w::square(w::take(y, i - 1, w::axis<1>))), y);
  CHECK(list(h) == std::vector<double>{0, 12, 0, 24});
}

TEST_CASE("argmax and argmin: the lowest of a tie, the first NaN") {
  using op_test::nan_v;
  const w::matrix<float> a{{1, 3, 3, -0.0f}, {nan_v, 9, nan_v, 1}};
  const w::vector<std::int64_t> greatest = w::argmax(a, w::axis<1>),
                                least = w::argmin(a, w::axis<-1>);
  CHECK(list(greatest) == std::vector<std::int64_t>{1, 0});
  CHECK(list(least) == std::vector<std::int64_t>{3, 0});
  const w::matrix<std::int64_t> kept = w::argmax(w::transpose(a), w::axis<1>, w::keepdims);
  CHECK(list(kept) == std::vector<std::int64_t>{1, 1, 1, 1});
  const std::int64_t flat = w::argmax(a);
  CHECK(flat == 4);
  const w::matrix<std::uint8_t> b{{2, 1}, {255, 0}};
  const w::vector<std::int64_t> bytes = w::argmin(b, w::axis<0>);
  CHECK(list(bytes) == std::vector<std::int64_t>{0, 1});
  const w::matrix<float> none = w::zeros<float>(2, 0);
  CHECK_THROWS_AS((w::vector<std::int64_t>(w::argmax(none, w::axis<1>))), w::shape_error);
}

TEST_CASE("one_hot") {
  const w::matrix<float> h = w::one_hot<3>(w::vector<std::uint8_t>{2, 0});
  CHECK(list(h) == std::vector<float>{0, 0, 1, 1, 0, 0});
  const w::matrix<std::int64_t> labels{{1}, {0}};
  const auto d = w::eval(w::one_hot<2, double>(labels));
  CHECK(d.shape() == std::array<w::index_t, 3>{2, 1, 2});
  CHECK(list(d) == std::vector<double>{0, 1, 1, 0});
  CHECK_THROWS_WITH_AS((w::matrix<float>(w::one_hot<3>(w::vector<std::uint8_t>{3}))),
                       doctest::Contains("label 3 is out of range for 3 classes"), w::index_error);
}

TEST_CASE("a broadcast known at the call only is summed back") {
  const w::matrix<float> row{{1, 2, 3}}, a{{1, 2, 3}, {4, 5, 6}};
  const auto x = w::variable<"x">(row);
  const w::matrix<float> g = w::grad(w::sum(x * a), x);
  CHECK(g.shape() == std::array<w::index_t, 2>{1, 3});
  CHECK(list(g) == std::vector<float>{5, 7, 9});
  const w::matrix<float> column{{1}, {2}};
  const auto y = w::variable<"y">(column);
  const w::matrix<float> h = w::grad(w::sum(y * a), y);
  CHECK(list(h) == std::vector<float>{6, 15});
}
