// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors

#include <doctest/doctest.h>
#include <weft/array/creation.hpp>
#include <weft/compile/evaluate.hpp>

#include "check.hpp"

namespace w = weft;
using op_test::list;
using op_test::nan_v;

TEST_CASE("any and all") {
  const w::matrix<float> a{{0, 0, nan_v}, {1, 2, 3}, {0, -0.0f, 0}};
  CHECK(list(w::eval(w::any(a, w::axis<1>))) == std::vector<bool>{true, true, false});
  CHECK(list(w::eval(w::all(a, w::axis<1>))) == std::vector<bool>{false, true, false});
  const w::vector<bool> none{};
  const bool some = w::any(none), every = w::all(none);
  CHECK_FALSE(some);
  CHECK(every);
  const w::vector<float> column = a(w::all, 2);  // the index of a whole axis
  CHECK(column(1) == 3);
}

TEST_CASE("max and min share ties; sums of small integers are wide") {
  const w::vector<float> x{1, 3, 3};
  const auto v = w::variable<"x">(x);
  CHECK(list(w::eval(w::grad(w::max(v), v))) == std::vector<float>{0, 0.5f, 0.5f});
  const w::vector<std::uint8_t> ones = w::ones<std::uint8_t>(1000);
  const std::uint64_t total = w::sum(ones);
  CHECK(total == 1000);
  const w::tensor<float, 0, 2> empty = w::tensor<float, 0, 2>::uninitialized({0, 2});
  CHECK(w::eval(w::max(empty, w::axis<1>)).size() == 0);
}
