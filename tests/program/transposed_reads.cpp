// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors

// A value that is read transposed, reversed or by another axis is not read in the kernel that makes
// it: two kernels over one domain stay two.
#include <weft/array/creation.hpp>
#include <weft/array/view.hpp>
#include <weft/compile/compile.hpp>
#include <weft/op/all.hpp>

#include <doctest/doctest.h>

#include <cmath>

namespace w = weft;

namespace {

w::matrix<float> example() {
  w::matrix<float> x = w::zeros<float>(5, 5);
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j) x(i, j) = static_cast<float>(i * i + 3 * j - 4 * (i == j)) / 7;
  return x;
}
/// The largest difference between r(i, j) and f(i, j).
template <class F>
float error(const w::matrix<float>& r, F f) {
  float worst = 0;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j) worst = std::max(worst, std::abs(r(i, j) - f(i, j)));
  return worst;
}

}  // namespace

TEST_CASE("rows and their transpose") {
  const w::matrix<float> x = example(), s = w::softmax(x);
  auto f = w::compile([](auto a) {
    auto b = w::softmax(a);
    return w::relu(w::transpose(b)) * b;
  });
  const w::matrix<float> r = f(x);
  CHECK(error(r, [&](int i, int j) { return s(j, i) * s(i, j); }) < 1e-6f);
}

TEST_CASE("rows and themselves from the end") {
  const w::matrix<float> x = example(), s = w::softmax(x);
  auto f = w::compile([](auto a) {
    auto b = w::softmax(a);
    return w::relu(w::slice<0, -1, -6, -1>(b)) * b;
  });
  const w::matrix<float> r = f(x);
  CHECK(error(r, [&](int i, int j) { return s(4 - i, j) * s(i, j); }) < 1e-6f);
}

TEST_CASE("a value for each row, read along the columns") {
  const w::matrix<float> x = example();
  auto f = w::compile([](auto a) {
    auto m = w::max(a, w::axis<1>, w::keepdims);
    return w::exp(a - m) + w::exp(a - w::transpose(m));
  });
  const w::matrix<float> r = f(x);
  w::vector<float> m = w::max(x, w::axis<1>);
  CHECK(error(r, [&](int i, int j) {
          return std::exp(x(i, j) - m(i)) + std::exp(x(i, j) - m(j));
        }) < 1e-5f);
}

TEST_CASE("sums of a transposed softmax") {
  const w::matrix<float> x = example(), s = w::softmax(x);
  auto f = w::compile([](auto a) {
    auto b = w::softmax(a);
    return w::sum(w::transpose(b), w::axis<1>, w::keepdims) + b;
  });
  const w::matrix<float> r = f(x);
  CHECK(error(r, [&](int i, int j) {
          float sum = 0;
          for (int k = 0; k < 5; ++k) sum += s(k, i);
          return sum + s(i, j);
        }) < 1e-5f);
}
