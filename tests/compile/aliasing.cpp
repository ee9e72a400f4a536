// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/array/creation.hpp>
#include <weft/compile/compile.hpp>
#include <weft/grad/transforms.hpp>

#include <doctest/doctest.h>
#include <support/tensors.hpp>

// Assignments whose target is read: the old values are what counts.
namespace w = weft;
using namespace weft_test;
using w::index_t;

namespace {

w::matrix<float> square(index_t n, std::uint64_t seed) {
  return filled_tensor<float, 2>({n, n}, seed);
}

TEST_CASE("aliasing: one tensor given for two arguments, and for a result as well") {
  const auto f = w::compile([](auto a, auto b) { return std::tuple{a * b + a, w::sum(b)}; });
  w::vector<float> x{1, 2, 3}, other;
  w::tensor<float> total;
  for (int call = 0; call < 2; ++call) {
    x = w::vector<float>{1, 2, 3};
    f.into(std::tie(x, total), x, x);
    CHECK((x(0) == 2 && x(1) == 6 && x(2) == 12));
    CHECK(w::item(total) == 6);
    x = w::vector<float>{1, 2, 3};
    f.into(std::tie(other, total), x, x);
    CHECK((other(0) == 2 && other(1) == 6 && other(2) == 12 && x(2) == 3));
  }
}

TEST_CASE("aliasing: a donated tensor gives its memory to a result that may lie there") {
  const auto f = w::compile([](auto a, auto b) { return std::tuple{w::sum(a), a * b}; });
  w::vector<float> a{1, 2, 3};
  const w::vector<float> b{4, 5, 6};
  const void* memory = a.data();
  auto [s, y] = f(w::donate(a), b);
  CHECK(w::item(s) == 6);
  CHECK((y(0) == 4 && y(1) == 10 && y(2) == 18));
  CHECK(static_cast<const void*>(y.data()) == memory);
  CHECK(a.size() == 0);

  // Read again after the result is written, or of another shape: new memory, and the same values.
  const auto reversed =
      w::compile([](auto a) { return w::slice<0, w::to_end, w::to_front, -1>(a); });
  w::vector<float> c{1, 2, 3};
  memory = c.data();
  w::vector<float> z = reversed(w::donate(c));
  CHECK((z(0) == 3 && z(2) == 1));
  CHECK(static_cast<const void*>(z.data()) != memory);
  w::vector<float> d{1, 2, 3}, wrong{1, 2};
  CHECK_THROWS_AS(f(w::donate(d), wrong), w::shape_error);
  CHECK((d.size() == 3 && d(2) == 3));

  // The tensor is another argument, too.
  w::vector<float> e{1, 2, 3};
  auto [t, v] = f(w::donate(e), e);
  CHECK((v(0) == 1 && v(1) == 4 && v(2) == 9));
}

}  // namespace

TEST_CASE("aliasing: a sum with a transpose of the target") {
  for (index_t n : {1, 3, 40}) {
    auto a = square(n, 1);
    const auto b = square(n, 2), old = a;
    a = b + w::transpose(a);
    for (index_t i = 0; i < n; ++i)
      for (index_t j = 0; j < n; ++j) REQUIRE(a(i, j) == b(i, j) + old(j, i));
    a = a + w::transpose(a);
    for (index_t i = 0; i < n; ++i)
      for (index_t j = 0; j < n; ++j) REQUIRE(a(i, j) == a(j, i));
  }
}

TEST_CASE("aliasing: overlapping views") {
  w::vector<float> a{1, 2, 3, 4, 5};
  a(w::range(1, 5)) = a(w::range(0, 4));
  CHECK(holds(a, {1, 1, 2, 3, 4}) == "");
  a = w::vector<float>{1, 2, 3, 4, 5};
  a(w::range(1, 5)) = a(w::range(0, 4)) * 1;
  CHECK(holds(a, {1, 1, 2, 3, 4}) == "");
  a = w::vector<float>{1, 2, 3, 4, 5};
  a(w::range(0, 4)) = a(w::range(1, 5)) + a(w::range(0, 4));
  CHECK(holds(a, {3, 5, 7, 9, 5}) == "");
  a = w::vector<float>{1, 2, 3, 4, 5};
  a = w::slice<0, w::to_end, w::to_front, -1>(a) * 2;
  CHECK(holds(a, {10, 8, 6, 4, 2}) == "");
  a(w::range(0, 5, 2)) = a(w::range(0, 3)) + 1;
  CHECK(holds(a, {11, 8, 9, 4, 7}) == "");
}

TEST_CASE("aliasing: long overlapping views") {
  auto a = w::vector<float>(w::arange<float>(3000));
  a(w::range(1, 3000)) = a(w::range(0, 2999)) + 0.5f;
  bool right = a(0) == 0;
  for (index_t i = 1; i < 3000; ++i) right = right && a(i) == static_cast<float>(i - 1) + 0.5f;
  CHECK(right);
}

TEST_CASE("aliasing: compound assignment") {
  auto a = square(33, 1);
  const auto old = a;
  a += a;
  a -= w::transpose(a) * 0.25f;
  bool right = true;
  for (index_t i = 0; i < 33; ++i)
    for (index_t j = 0; j < 33; ++j)
      right = right && a(i, j) == 2 * old(i, j) - 2 * old(j, i) * 0.25f;
  CHECK(right);
  w::vector<float> v{1, 2, 3, 4};
  v *= v;
  v(w::range(1, 4)) += v(w::range(0, 3));
  CHECK(holds(v, {1, 5, 13, 25}) == "");
  v /= w::max(v);
  CHECK(holds(v, {0.04f, 0.2f, 0.52f, 1}) == "");
  v -= w::sum(v);
  const float total = 0.04f + 0.2f + 0.52f + 1;
  CHECK(v(3) == doctest::Approx(1 - total));
  v(w::range(0, 4, 2)) = 7;
  CHECK(v(0) == 7);
  CHECK(v(2) == 7);
}

TEST_CASE("aliasing: reductions, products and rows of the target") {
  auto a = square(20, 4);
  const auto old = a;
  a = w::softmax(a);
  const w::matrix<float> apart = w::softmax(old);
  CHECK(difference(a, read(apart)) == "");
  a = old;
  a = w::matmul(a, a);
  const w::matrix<float> product = w::matmul(old, old);
  CHECK(difference(a, read(product)) == "");
  a = old;
  a = a - w::mean(a, w::axis<0>);
  const w::matrix<float> centred = old - w::mean(old, w::axis<0>);
  CHECK(difference(a, read(centred)) == "");
  a = old;
  a = w::concat(w::axis<0>, a(w::range(10, 20), w::all), a(w::range(0, 10), w::all));
  CHECK(a(0, 0) == old(10, 0));
  CHECK(a(19, 19) == old(9, 19));
  // Another shape: new storage, the old one read to the end.
  a = old;
  a = w::concat(w::axis<1>, a, a);
  CHECK(a.extent(1) == 40);
  CHECK(a(3, 25) == old(3, 5));
}

TEST_CASE("aliasing: results of compiled functions that are arguments") {
  const auto f = w::compile([](auto x, auto y) { return std::tuple{x + y, x - y}; });
  auto x = square(40, 1), y = square(40, 2);
  const auto x0 = x, y0 = y;
  f.into(std::tie(x, y), x, y);
  bool right = true;
  for (index_t i = 0; i < x.size(); ++i)
    right = right && x.data()[i] == x0.data()[i] + y0.data()[i] &&
            y.data()[i] == x0.data()[i] - y0.data()[i];
  CHECK(right);
  x = x0, y = y0;
  f.into(std::tie(y, x), x, y);  // swapped
  right = true;
  for (index_t i = 0; i < x.size(); ++i)
    right = right && y.data()[i] == x0.data()[i] + y0.data()[i] &&
            x.data()[i] == x0.data()[i] - y0.data()[i];
  CHECK(right);
  x = x0;
  f.into(std::tie(x, x), x, y0);  // one tensor for two results: the last one stays
  right = true;
  for (index_t i = 0; i < x.size(); ++i)
    right = right && x.data()[i] == x0.data()[i] - y0.data()[i];
  CHECK(right);
}

TEST_CASE("aliasing: swapped and transposed results") {
  const auto swap = w::compile([](auto x, auto y) { return std::tuple{y, x}; });
  auto x = square(17, 1), y = square(17, 2);
  const auto x0 = x, y0 = y;
  swap.into(std::tie(x, y), x, y);
  CHECK(difference(x, read(y0)) == "");
  CHECK(difference(y, read(x0)) == "");
  const auto turned = w::compile([](auto a, auto b) {
    return std::tuple{w::transpose(a) * 2, w::matmul(a, b), w::sum(a)};
  });
  auto a = x0, b = y0;
  w::tensor<float> total(0);
  turned.into(std::tie(a, b, total), a, b);
  const w::matrix<float> transposed = w::transpose(x0) * 2, product = w::matmul(x0, y0);
  CHECK(difference(a, read(transposed)) == "");
  CHECK(difference(b, read(product)) == "");
  CHECK(total == doctest::Approx(static_cast<double>(static_cast<float>(w::sum(x0)))));
  // Into views of what is read.
  auto c = w::vector<float>(w::arange<float>(10));
  const auto shifted = w::compile([](auto v) { return v + 1; });
  auto part = c(w::range(1, 10));
  shifted.into(std::tie(part), c(w::range(0, 9)));
  CHECK(holds(c, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) == "");
}

TEST_CASE("aliasing: an error leaves the target as it was") {
  auto x = square(4, 1);
  const auto x0 = x;
  const w::vector<std::int32_t> bad{0, 9};
  const auto f = w::compile([](auto a, auto i) { return std::tuple{a * 2, w::take(a, i)}; });
  w::matrix<float> rows = w::zeros<float>(2, 4);
  CHECK_THROWS_AS(f.into(std::tie(x, rows), x, bad), w::index_error);
  CHECK(difference(x, read(x0)) == "");
  CHECK_THROWS_AS(x = x + w::zeros<float>(3, 4), w::shape_error);
  CHECK_THROWS_AS(x(w::range(0, 2), w::all) = w::zeros<float>(3, 4) * 2, w::shape_error);
  CHECK(difference(x, read(x0)) == "");
}

TEST_CASE("an expression owns each of its tensors once, and stays whole as an operand") {
  w::vector<float> a{1, 2, 3}, b{4, 5, 6};
  const auto owners = [](const auto& x) { return x.storage().owners(); };
  {
    auto product = a * b;
    CHECK(owners(a) == 2);
    const auto sum = product + a;  // product is read again, so its leaves are copied
    CHECK(owners(a) == 4);
    CHECK(owners(b) == 3);
    CHECK(holds(w::eval(sum), {5, 12, 21}) == "");
    CHECK(holds(w::eval(product), {4, 10, 18}) == "");
    const auto moved = std::move(product) * 2.0f;
    CHECK(owners(a) == 4);
    CHECK(holds(w::eval(moved), {8, 20, 36}) == "");
  }
  const auto long_one = w::maximum(-(a * b + a), 2.0f * (b - a)) - b;
  CHECK(owners(a) == 4);
  CHECK(owners(b) == 4);
  a = w::vector<float>{0, 0, 0, 0};  // the expression keeps the elements that it was made of
  CHECK(holds(w::eval(long_one), {2, 1, 0}) == "");
}
