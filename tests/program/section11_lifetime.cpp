// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
//
// Numbers out of expressions, what expressions keep alive, and what they see.
#include <weft/weft.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <type_traits>
#include <vector>

namespace w = weft;

namespace {

auto scaled(const w::vector<float>& x) {
  return w::tanh(x) * 2.0f;
}
auto of_a_local() {
  w::vector<float> local{1, 2, 3};
  auto half = local(w::range(0, 2));
  return w::sum(half * half);
}
auto view_of_a_local() {
  w::matrix<float> local{{1, 2}, {3, 4}};
  return local(w::all, 1);
}

template <class X>
constexpr bool has_max_of_two = requires(const X& a, const X& b) {
  w::max(a, b);
};
template <class X>
constexpr bool has_maximum_of_two = requires(const X& a, const X& b) {
  w::maximum(a, b);
};

}  // namespace

TEST_CASE("rank 0 expressions are numbers where one is wanted") {
  const w::vector<float> x{0.5f, 1.5f};
  const auto e = w::sum(x);
  float f = e;
  double d = e;
  CHECK(f == 2);
  CHECK(d == 2);
  CHECK(float(e * 2.0f) == 4);
  CHECK(static_cast<int>(e) == 2);
  std::ostringstream out;
  out << e;
  CHECK(out.str() == "2");
  std::vector<float> list;
  list.push_back(e);
  CHECK(list[0] == 2);
  const float largest = std::max<float>(e, 3.0f);
  CHECK(largest == 3);
  CHECK(std::max(float(e), 1.0f) == 2);
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", double(e));
  CHECK(std::string(text) == "2.0");
  if (e < 3)
    f = 1;
  else
    f = 0;
  CHECK(f == 1);
  CHECK(std::sqrt(e) == std::sqrt(2.0f));
  static_assert(std::is_same_v<decltype(std::sqrt(e)), float>);
  // Neither narrower nor integer without being asked.
  static_assert(std::is_convertible_v<decltype(e), float>);
  static_assert(std::is_convertible_v<decltype(e), double>);
  static_assert(!std::is_convertible_v<decltype(e), int>);
  static_assert(!std::is_convertible_v<decltype(w::sum(w::cast<double>(x))), float>);
  static_assert(!std::is_convertible_v<decltype(w::sum(x, w::axis<0>, w::keepdims)), float>);
  static_assert(std::is_constructible_v<int, decltype(e)>);
  // Comparisons of other ranks are no conditions.
  static_assert(!std::is_constructible_v<bool, decltype(x < 3)>);
}

TEST_CASE("max of two operands is deleted, and maximum takes them") {
  static_assert(!has_max_of_two<w::vector<float>>);
  static_assert(has_maximum_of_two<w::vector<float>>);
  const w::vector<float> a{1, 5}, b{2, 4};
  const w::vector<float> m = w::maximum(a, b);
  CHECK(m(0) == 2);
  CHECK(m(1) == 5);
}

TEST_CASE("auto returned from a function is safe") {
  w::vector<float> y = scaled({0.5f, 1});  // of a temporary
  CHECK(y(1) == doctest::Approx(2 * std::tanh(1.0)));
  CHECK(float(of_a_local()) == 5);
  CHECK(view_of_a_local()(0) == 2);
  CHECK(view_of_a_local()(1) == 4);
}

TEST_CASE("views and expressions see later writes") {
  w::vector<float> a{1, 2, 3};
  auto head = a(w::range(0, 2));
  auto e = w::sum(a * a);
  CHECK(float(e) == 14);
  a(0) = 10;
  CHECK(head(0) == 10);
  CHECK(float(e) == 113);
  a = a * 2.0f;  // in place: the shapes agree
  CHECK(head(0) == 20);
  CHECK(float(e) == 452);
  w::vector<float> copy = a;
  copy(0) = 0;
  CHECK(a(0) == 20);
}
