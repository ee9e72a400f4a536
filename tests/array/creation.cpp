// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/array/creation.hpp>

#include <base/allocations.hpp>
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace w = weft;

namespace {

template <class X>
std::vector<typename X::value_type> elements(const X& x) {
  return {x.data(), x.data() + x.size()};
}
template <int R>
using shape = w::shape_t<R>;

}  // namespace

TEST_CASE("full takes braces of every rank") {
  const auto scalar = w::full<float>({}, 7);
  static_assert(std::is_same_v<decltype(scalar), const w::tensor<float>>);
  CHECK(scalar() == 7);
  CHECK(elements(w::full<int>({3}, 7)) == std::vector<int>{7, 7, 7});
  const auto m = w::full<float>({2, 3}, 7);
  static_assert(std::is_same_v<decltype(m), const w::matrix<float>>);
  CHECK(m.shape() == shape<2>{2, 3});
  CHECK(elements(m) == std::vector<float>(6, 7.0f));
  CHECK(w::full<bool>({1, 2, 3, 4, 5, 6}, true).shape() == shape<6>{1, 2, 3, 4, 5, 6});
  CHECK(elements(w::full<double>(shape<2>{1, 2}, 0.5)) == std::vector<double>{0.5, 0.5});
  const int rows = 2;
  CHECK(w::full<float>({rows, 0}, 1).size() == 0);
}

TEST_CASE("full checks extents and value") {
  CHECK_THROWS_WITH_AS(static_cast<void>(w::full<float>({2, -3}, 7)),
                       "weft: extent -3 of axis 1 is negative; extents are 0 or more",
                       w::shape_error);
  CHECK_THROWS_AS(static_cast<void>(w::full<std::uint8_t>({2}, -1)), w::value_error);
  CHECK_THROWS_AS(static_cast<void>(w::full<float>({w::index_t{1} << 40, 1 << 20}, 7)),
                  w::memory_error);
}

TEST_CASE("zeros, ones and eye") {
  CHECK(w::zeros<float>()() == 0);
  CHECK(elements(w::zeros<std::int64_t>(2, 2)) == std::vector<std::int64_t>(4, 0));
  CHECK(elements(w::ones<double>(3)) == std::vector<double>(3, 1.0));
  CHECK(w::ones<bool>(1, 1)(0, 0));
  CHECK(w::ones<float>(std::size_t{2}, 3).shape() == shape<2>{2, 3});
  CHECK_THROWS_AS(static_cast<void>(w::zeros<float>(-1)), w::shape_error);
  CHECK_THROWS_AS(static_cast<void>(w::ones<float>(2, -1)), w::shape_error);
  CHECK(elements(w::eye<int>(3)) == std::vector<int>{1, 0, 0, 0, 1, 0, 0, 0, 1});
  CHECK(w::eye<float>(0).shape() == shape<2>{0, 0});
  CHECK_THROWS_AS(static_cast<void>(w::eye<float>(-2)), w::shape_error);
}

TEST_CASE("arange of integers") {
  using ints = std::vector<int>;
  CHECK(elements(w::arange<int>(4)) == ints{0, 1, 2, 3});
  CHECK(elements(w::arange<int>(2, 5)) == ints{2, 3, 4});
  CHECK(elements(w::arange<int>(5, -2, -3)) == ints{5, 2, -1});
  CHECK(elements(w::arange<int>(0, 7, 3)) == ints{0, 3, 6});
  CHECK(elements(w::arange<int>(5, 5)).empty());
  CHECK(elements(w::arange<int>(-3)).empty());
  CHECK(w::arange<std::uint8_t>(256).size() == 256);
  CHECK(elements(w::arange<std::uint8_t>(4, -1, -2)) == std::vector<std::uint8_t>{4, 2, 0});
  CHECK(elements(w::arange<std::uint64_t>(5, 0, -2)) == std::vector<std::uint64_t>{5, 3, 1});
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  CHECK(elements(w::arange<std::uint64_t>(most - 1, most)) == std::vector<std::uint64_t>{most - 1});
}

TEST_CASE("arange at the ends of the 64-bit range") {
  constexpr auto low = std::numeric_limits<std::int64_t>::min();
  constexpr auto high = std::numeric_limits<std::int64_t>::max();
  CHECK(elements(w::arange<std::int64_t>(low, high, high)) ==
        std::vector<std::int64_t>{low, -1, high - 1});
  CHECK(elements(w::arange<std::int64_t>(high, low, low)) == std::vector<std::int64_t>{high, -1});
  CHECK_THROWS_AS(static_cast<void>(w::arange<std::int64_t>(low, high)), w::memory_error);
}

TEST_CASE("arange of floats counts in double and does not drift") {
  const auto tenths = w::arange<float>(0, 1, 0.1);
  CHECK(tenths.size() == 10);
  CHECK(tenths(7) == 0.7f);
  const auto many = w::arange<double>(0, 1e5, 0.1);
  CHECK(many.size() == 1000000);
  CHECK(many(-1) == 0.1 * 999999);
  CHECK(elements(w::arange<float>(2.5)) == std::vector<float>{0, 1, 2});
  CHECK(elements(w::arange<double>(1, 0, -0.5)) == std::vector<double>{1, 0.5});
}

TEST_CASE("arange refuses what has no values") {
  CHECK_THROWS_AS(static_cast<void>(w::arange<int>(0, 3, 0)), w::value_error);
  CHECK_THROWS_AS(static_cast<void>(w::arange<float>(0, 3, 0)), w::value_error);
  CHECK_THROWS_AS(static_cast<void>(w::arange<float>(NAN)), w::value_error);
  CHECK_THROWS_AS(static_cast<void>(w::arange<double>(1e30)), w::memory_error);
  CHECK_THROWS_AS(static_cast<void>(w::arange<std::uint8_t>(257)), w::value_error);
  CHECK_THROWS_AS(static_cast<void>(w::arange<std::uint8_t>(-1, 3)), w::value_error);
}

TEST_CASE("creation is one allocation") {
  const std::size_t before = weft_test::allocations();
  const auto a = w::ones<float>(16, 16);
  const auto b = w::arange<float>(100);
  const auto c = w::eye<float>(4);
  CHECK(weft_test::allocations() == before + 3);
}
