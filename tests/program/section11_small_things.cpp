// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
//
// The small things that people write beside the README's programs.
#include <weft/weft.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <sstream>
#include <type_traits>
#include <vector>

namespace w = weft;

namespace {
template <class X>
std::vector<typename X::value_type> list(const X& x) {
  const auto t = w::detail::as_view(x).copy();
  return {t.data(), t.data() + t.size()};
}
using floats = std::vector<float>;
const w::matrix<float> numbers{{1, 2}, {3, 4}};
}  // namespace

TEST_CASE("tensors from braces, elements, shapes") {
  w::matrix<float> a{{1, 2}, {3, 4}};
  CHECK(a(0, 1) == 2);
  CHECK(a(-1, -1) == 4);
  CHECK(a.shape() == std::array<w::index_t, 2>{2, 2});
  a(1, 0) = 30;
  CHECK(list(a) == floats{1, 2, 30, 4});
  const w::tensor<float, 2, 2> fixed{{1, 2}, {3, 4}};
  static_assert(fixed.rank == 2);
  CHECK(list(w::eval(fixed + a)) == floats{2, 4, 33, 8});
}

TEST_CASE("reductions over axes") {
  w::matrix<float> a{{1, 2}, {3, 4}};
  w::vector<float> columns = w::sum(a, w::axis<0>);
  w::matrix<float> rows = w::max(a, w::axis<-1>, w::keepdims);
  CHECK(list(columns) == floats{4, 6});
  CHECK(list(rows) == floats{2, 4});
  CHECK(rows.shape() == std::array<w::index_t, 2>{2, 1});
  CHECK(float(w::sum(a)) == 10);
  CHECK(w::item(w::mean(a)) == 2.5f);
  const bool positive = w::all(a > 0);
  CHECK(positive);
}

TEST_CASE("the transpose, and `*` elementwise") {
  w::matrix<float> a{{1, 2}, {3, 4}};
  w::matrix<float> t = w::transpose(a), squares = a * a, product = w::matmul(a, a);
  CHECK(list(t) == floats{1, 3, 2, 4});
  CHECK(list(squares) == floats{1, 4, 9, 16});
  CHECK(list(product) == floats{7, 10, 15, 22});
}

TEST_CASE("views to read and to assign") {
  w::matrix<float> a{{0, 1, 2, 3}, {4, 5, 6, 7}};
  auto even = a(w::all, w::range(0, 4, 2));
  CHECK(list(even) == floats{0, 2, 4, 6});
  CHECK(list(w::eval(even + 1)) == floats{1, 3, 5, 7});
  a(w::all, w::range(0, 4, 2)) = numbers;
  CHECK(list(a) == floats{1, 1, 2, 3, 3, 5, 4, 7});
  a(w::all, w::range(0, 4, 2)) = numbers * 10 + 1;  // an expression
  CHECK(list(a) == floats{11, 1, 21, 3, 31, 5, 41, 7});
  a(0, w::all) = 0;
  CHECK(list(a) == floats{0, 0, 0, 0, 31, 5, 41, 7});
  a(1, w::all) += a(1, w::all);
  CHECK(list(a) == floats{0, 0, 0, 0, 62, 10, 82, 14});
  CHECK(list(even) == floats{0, 0, 62, 82});  // sees the writes
}

TEST_CASE("full, eval, item, cast") {
  auto a = w::full<float>({2, 3}, 7);
  static_assert(std::is_same_v<decltype(a), w::matrix<float>>);
  CHECK(list(a) == floats(6, 7));
  auto e = a / 2.0f;
  auto t = w::eval(e);
  static_assert(std::is_same_v<decltype(t), w::matrix<float>>);
  CHECK(t(1, 2) == 3.5f);
  CHECK(w::item(w::sum(e)) == 21);
  auto d = w::eval(w::cast<double>(e));
  static_assert(std::is_same_v<decltype(d), w::matrix<double>>);
  CHECK(d(0, 0) == 3.5);
  CHECK(list(w::eval(w::cast<std::int32_t>(e))) == std::vector<std::int32_t>(6, 3));
  const w::tensor<float, 2, 3> known = w::zeros<float>(2, 3);
  static_assert(std::is_same_v<decltype(w::eval(known + 1)), w::tensor<float, 2, 3>>);
}

TEST_CASE("printing") {
  std::ostringstream out;
  w::matrix<float> a{{1, 2}, {3, 4}};
  out << a << '\n' << w::sum(a) << '\n' << a(0, w::all);
  CHECK(out.str() == "[[1. 2.]\n [3. 4.]]\n10\n[1. 2.]");
}

TEST_CASE("variables, lets and literals") {
  w::vector<float> X{1, 2, 3};
  auto x = w::variable<"x">(X);
  auto h = w::let<"h">(w::exp(x * w::lit<0.5f>));
  const float value = w::sum(h * h);
  CHECK(value == doctest::Approx(std::exp(1.0) + std::exp(2.0) + std::exp(3.0)));
  const w::vector<float> gradient = w::grad(w::sum(h * h), x);
  for (int i = 0; i < 3; ++i) CHECK(gradient(i) == doctest::Approx(std::exp(double(X(i)))));
  // A gradient is an expression: it takes part in others, and nests.
  const w::vector<float> second = w::grad(w::sum(w::grad(w::sum(x * x * x), x)), x);
  CHECK(list(second) == floats{6, 12, 18});
  const auto [gx, gy] = [&] {
    auto y = w::variable<"y">(X);
    auto z = w::variable<"z">(X);
    return w::grad(w::sum(y * z * z), y, z);
  }();
  CHECK(list(w::eval(gx)) == floats{1, 4, 9});
  CHECK(list(w::eval(gy)) == floats{2, 8, 18});
}

TEST_CASE("assignment reads the old values") {
  w::matrix<float> a{{1, 2}, {3, 4}};
  a = a + w::transpose(a);
  CHECK(list(a) == floats{2, 5, 5, 8});
  w::vector<float> v{1, 2, 3, 4, 5};
  v(w::range(1, 5)) = v(w::range(0, 4));
  CHECK(list(v) == floats{1, 1, 2, 3, 4});
  v(w::range(0, 4)) = v(w::range(1, 5)) * 2;
  CHECK(list(v) == floats{2, 4, 6, 8, 4});
  v += v(w::range(4, w::open, -1));
  CHECK(list(v) == floats{6, 12, 12, 12, 6});
  a -= 1;
  a *= a;
  CHECK(list(a) == floats{1, 16, 16, 49});
  // Another shape: new storage, and views of before keep the old.
  auto old = a(0, w::all);
  a = w::ones<float>(1, 3) * 2;
  CHECK(a.shape() == std::array<w::index_t, 2>{1, 3});
  CHECK(list(old) == floats{1, 16});
}
