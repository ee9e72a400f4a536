// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/array/creation.hpp>
#include <weft/compile/compile.hpp>
#include <weft/op/exp.hpp>
#include <weft/op/matmul.hpp>
#include <weft/op/max.hpp>
#include <weft/op/sum.hpp>
#include <weft/op/tanh.hpp>
#include <weft/op/transpose.hpp>

#include <doctest/doctest.h>
#include <base/allocations.hpp>

#include <thread>

namespace w = weft;

namespace {

/// How often a function calls operator new, after one call to get ready.
template <class F>
std::size_t allocations_of(F&& f) {
  f();
  const std::size_t before = weft_test::allocations();
  for (int i = 0; i < 3; ++i) f();
  return weft_test::allocations() - before;
}

}  // namespace

TEST_CASE("assignment to a tensor of the right shape allocates nothing") {
  const auto a = w::full<float>({40, 60}, 0.5), b = w::full<float>({60, 50}, 0.25);
  const auto row = w::full<float>({60}, 2);
  w::matrix<float> y = w::zeros<float>(40, 60), p = w::zeros<float>(40, 50);
  w::tensor<float> total(0);
  float number = 0;
  // A chain; the same in place; a broadcast; a reduction; a product with workspace and epilogue.
  CHECK(allocations_of([&] { y = w::tanh(a * 2 + a); }) == 0);
  CHECK(allocations_of([&] { y = y * 0.5f + a; }) == 0);
  CHECK(allocations_of([&] { y += a; }) == 0);
  CHECK(allocations_of([&] { y = a + row; }) == 0);
  CHECK(allocations_of([&] { total = w::sum(w::exp(a)); }) == 0);
  CHECK(allocations_of([&] { number += w::item(w::sum(a)); }) == 0);
  CHECK(allocations_of([&] { p = w::tanh(w::matmul(a, b)) + 1; }) == 0);
  CHECK(p(0, 0) == doctest::Approx(std::tanh(60 * 0.125) + 1));
  CHECK(number == doctest::Approx(4 * 1200));
  // The counter counts: another shape needs memory.
  const std::size_t before = weft_test::allocations();
  y = w::matmul(a, b);
  CHECK(weft_test::allocations() > before);
}

TEST_CASE("assignment to a view whose elements lie in a row allocates nothing") {
  auto y = w::zeros<float>(40, 60);
  const auto a = w::full<float>({3, 60}, 0.5);
  auto rows = y(w::range(5, 8), w::range(0, 60));
  CHECK(allocations_of([&] { rows = a * 2; }) == 0);
  CHECK(y(4, 59) == 0);
  CHECK(y(5, 0) == 1);
  CHECK(y(7, 59) == 1);
  CHECK(y(8, 0) == 0);
  // Read while it is written: through memory of its own, once.
  rows = y(w::range(4, 7), w::range(0, 60)) + 1;
  CHECK(y(5, 0) == 1);
  CHECK(y(6, 0) == 2);
  CHECK(y(7, 59) == 2);
}

TEST_CASE("compiled.into allocates nothing into tensors of the right shapes") {
  const auto f = w::compile([](auto x, auto k) {
    auto e = w::exp(x - w::max(x, w::axis<1>, w::keepdims));
    auto s = w::sum(e, w::axis<1>, w::keepdims);
    return std::tuple{e / s, w::matmul(e, k), w::sum(s)};
  });
  const auto x = w::full<float>({30, 20}, 0.5), k = w::full<float>({20, 8}, 1);
  w::matrix<float> soft = w::zeros<float>(30, 20), mixed = w::zeros<float>(30, 8);
  w::tensor<float> total(0);
  CHECK(allocations_of([&] { f.into(std::tie(soft, mixed, total), x, k); }) == 0);
  CHECK(soft(3, 3) == doctest::Approx(0.05));
  CHECK(mixed(3, 3) == doctest::Approx(20));
  CHECK(total == doctest::Approx(600));
  // Each thread takes an arena of its own; when both have one, none is made.
  const auto calls = [&](w::matrix<float>& s, w::matrix<float>& m, w::tensor<float>& t) {
    for (int i = 0; i < 200; ++i) f.into(std::tie(s, m, t), x, k);
  };
  auto soft2 = soft, mixed2 = mixed;
  w::tensor<float> total2(0);
  std::thread other([&] { calls(soft2, mixed2, total2); });
  calls(soft, mixed, total);
  other.join();
  CHECK(allocations_of([&] { f.into(std::tie(soft, mixed, total), x, k); }) == 0);
  CHECK(soft2(29, 19) == soft(29, 19));
  CHECK(total2 == total);
}
