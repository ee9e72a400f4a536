// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/cpu/threads.hpp>

#include <weft/compile/compile.hpp>
#include <weft/op/all.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <string>

// The number of threads changes no bit of any result: rows, elements, blocks of a row's sum, chunks
// of rows of a column, tiles of a product.

namespace w = weft;
using w::index_t;

namespace {

struct restore_threads {
  ~restore_threads() { w::set_threads(0); }
};

w::matrix<float> table(index_t rows, index_t columns, std::uint32_t seed = 1) {
  auto x = w::matrix<float>::uninitialized({rows, columns});
  for (index_t i = 0; i < x.size(); ++i) {
    seed = seed * 1664525u + 1013904223u;
    x.data()[i] = static_cast<float>(seed >> 8) / 8388608.0f - 1.0f;
  }
  return x;
}

template <class T, index_t... E>
bool same(const w::tensor<T, E...>& a, const w::tensor<T, E...>& b) {
  return a.shape() == b.shape() &&
         std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(T)) == 0;
}

/// f gives one tensor: the same for 1, 2, 3 and 7 threads.
template <class F>
void check(const std::string& what, const F& f) {
  const restore_threads restore;
  w::set_threads(1);
  const auto one = f();
  for (int n : {2, 3, 7}) {
    w::set_threads(n);
    const auto many = f();
    INFO(what << " with " << n << " threads");
    CHECK(same(one, many));
  }
}

}  // namespace

TEST_CASE("the number of threads can be asked for") {
  const restore_threads restore;
  w::set_threads(3);
  CHECK(w::threads() == (w::detail::has_openmp ? 3 : 1));
  w::set_threads(-1);
  CHECK(w::threads() >= 1);
}

TEST_CASE("pointwise kernels do not depend on the number of threads") {
  const auto x = table(1, 300001), y = table(601, 1003), z = table(1, 1003);
  const auto f = w::compile([](auto a, auto b) { return w::tanh(a * b) + a; });
  check("one row", [&] { return f(x, x); });
  check("rows", [&] { return f(y, z); });
}

TEST_CASE("nor do those of 16-bit values") {
  const auto h = [](const w::matrix<float>& x) {
    return w::matrix<w::bfloat16>(w::cast<w::bfloat16>(x));
  };
  const auto x = h(table(1, 600011)), y = h(table(70001, 13)), a = h(table(300, 500)),
             b = h(table(500, 400));
  const auto softmax = w::compile([](auto t) { return w::softmax(t); });
  check("softmax of one row", [&] { return softmax(x); });
  const auto columns = w::compile([](auto t) { return w::sum(t * t, w::axis<0>); });
  check("columns", [&] { return columns(y); });
  const auto product = w::compile([](auto t, auto u) { return w::tanh(w::matmul(t, u)); });
  check("a product", [&] { return product(a, b); });
}

TEST_CASE("row reductions do not depend on the number of threads") {
  const auto x = table(1, 600011), y = table(701, 997), z = table(3, 200007);
  const auto softmax = w::compile([](auto a) {
    auto e = w::exp(a - w::max(a, w::axis<-1>, w::keepdims));
    return e / w::sum(e, w::axis<-1>, w::keepdims);
  });
  check("softmax of one row", [&] { return softmax(x); });
  check("softmax of many rows", [&] { return softmax(y); });
  check("softmax of three rows", [&] { return softmax(z); });
  const auto sums = w::compile([](auto a) { return w::sum(a * a, w::axis<1>); });
  check("sum of one row", [&] { return sums(x); });
  check("sums of three rows", [&] { return sums(z); });
  check("sums of many rows", [&] { return sums(y); });
}

TEST_CASE("column reductions do not depend on the number of threads") {
  const auto narrow = table(60001, 11), wide = table(700, 2049);
  const auto sums = w::compile([](auto a) { return w::sum(a * a, w::axis<0>); });
  check("narrow columns", [&] { return sums(narrow); });
  check("wide columns", [&] { return sums(wide); });
  const auto both = w::compile([](auto a) {
    auto e = w::exp(a - w::max(a, w::axis<1>, w::keepdims));
    return w::sum(e / w::sum(e, w::axis<1>, w::keepdims), w::axis<0>);
  });
  check("columns of rows with sums, narrow", [&] { return both(narrow); });
  check("columns of rows with sums, wide", [&] { return both(wide); });
  auto cube = w::tensor<float, w::dyn, w::dyn, w::dyn>::uninitialized({5, 601, 103});
  const auto numbers = table(5 * 601, 103);
  std::memcpy(cube.data(), numbers.data(), static_cast<std::size_t>(cube.size()) * sizeof(float));
  const auto middle = w::compile([](auto a) { return w::sum(a, w::axis<1>); });
  check("a middle axis", [&] { return middle(cube); });
  const auto outer = w::compile([](auto a) { return w::sum(w::exp(a), w::axis<0, 2>); });
  check("outer axes", [&] { return outer(cube); });
}

TEST_CASE("products do not depend on the number of threads") {
  const auto a = table(520, 300), b = table(300, 410, 2);
  const auto f = w::compile([](auto a, auto b) { return w::tanh(w::matmul(a, b)); });
  check("product", [&] { return f(a, b); });
}
