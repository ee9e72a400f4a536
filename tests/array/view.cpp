// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/array/view.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace w = weft;
using w::dyn;
using w::open;
using w::range;

namespace {

template <class X>
std::vector<typename X::value_type> values(const X& x) {
  const auto owned = w::detail::as_view(x).copy();
  return {owned.data(), owned.data() + owned.size()};
}
using floats = std::vector<float>;

w::matrix<float> numbered(w::index_t rows, w::index_t columns) {
  auto out = w::matrix<float>::uninitialized({rows, columns});
  for (w::index_t i = 0; i < out.size(); ++i) out.data()[i] = static_cast<float>(i);
  return out;
}

// `all` is a reduction, defined further down in the library; indexing only looks at its type.
const char no_reduction = 0;
const w::all_& all = reinterpret_cast<const w::all_&>(no_reduction);

template <class X, class... I>
std::string index_message(X& x, I... i) {
  try {
    static_cast<void>(x(i...));
  } catch (const w::index_error& e) {
    return e.what();
  }
  return "no index_error";
}

}  // namespace

TEST_CASE("elements") {
  w::matrix<float> a = numbered(2, 3);
  CHECK(a(1, 2) == 5);
  CHECK(a(-1, -3) == 3);
  a(0, -1) = 20;
  CHECK(a.data()[2] == 20);
  CHECK(a(std::size_t{1}, std::uint8_t{1}) == 4);
  const auto& c = a;
  static_assert(std::is_same_v<decltype(c(0, 0)), const float&>);
  static_assert(std::is_same_v<decltype(a(0, 0)), float&>);
  static_assert(std::is_same_v<decltype(std::move(a)(0, 0)), float>);
  CHECK(numbered(2, 3)(1, 0) == 3);
  w::tensor<int, 2, 2, 2> fixed;
  fixed(1, 0, 1) = 8;
  CHECK(fixed.data()[5] == 8);
}

TEST_CASE("an index out of range says index, axis and extent") {
  w::matrix<float> a = numbered(2, 3);
  CHECK(index_message(a, 2, 0) == "weft: index 2 is out of range for axis 0 of extent 2");
  CHECK(index_message(a, 0, -4) == "weft: index -4 is out of range for axis 1 of extent 3");
  CHECK(index_message(a, 0, ~std::size_t{0}) ==
        "weft: index 9223372036854775807 is out of range for axis 1 of extent 3");
  const auto v = a(range(), range(1, 3));
  CHECK(index_message(v, 0, 2) == "weft: index 2 is out of range for axis 1 of extent 2");
  CHECK(index_message(v, range(), 5) == "weft: index 5 is out of range for axis 1 of extent 2");
  w::matrix<float> empty;
  CHECK(index_message(empty, 0, 0) == "weft: index 0 is out of range for axis 0 of extent 0");
}

TEST_CASE("ranges, all and integers make views that share the elements") {
  w::matrix<float> a = numbered(3, 4);
  auto row = a(1, all);
  static_assert(std::is_same_v<decltype(row), w::view<float, 1>>);
  CHECK(values(row) == floats{4, 5, 6, 7});
  auto column = a(all, -1);
  CHECK(values(column) == floats{3, 7, 11});
  CHECK(column.strides() == w::shape_t<1>{4});
  auto block = a(range(1, 3), range(0, 4, 2));
  CHECK(block.shape() == w::shape_t<2>{2, 2});
  CHECK(values(block) == floats{4, 6, 8, 10});
  a(1, 0) = -1;
  CHECK(block(0, 0) == -1);
  block(1, 1) = 50;
  CHECK(a(2, 2) == 50);
  const auto& c = a;
  static_assert(std::is_same_v<decltype(c(1, all)), w::view<const float, 1>>);
  CHECK(values(c(2, all)) == floats{8, 9, 50, 11});
}

TEST_CASE("views compose, forwards and backwards") {
  const w::matrix<float> a = numbered(4, 5);
  const auto flipped = a(range(open, open, -1), range(open, open, -2));
  CHECK(values(flipped(0, all)) == floats{19, 17, 15});
  const auto again = flipped(range(open, open, -1), range(open, open, -1));
  CHECK(values(again(0, all)) == floats{0, 2, 4});
  CHECK(again(-1, -1) == 19);
  CHECK(values(flipped(range(1, 3), 1)) == floats{12, 7});
  CHECK(a(range(9, 12), all).size() == 0);
  CHECK(values(a(range(9, 12), range(2, open))(all, range())).empty());
}

TEST_CASE("contiguity") {
  const w::matrix<float> a = numbered(4, 5);
  CHECK(a(all, all).is_contiguous());
  CHECK(a(range(1, 3), all).is_contiguous());
  CHECK_FALSE(a(all, range(1, 3)).is_contiguous());
  CHECK(a(2, range(1, 3)).is_contiguous());
  CHECK_FALSE(a(all, 1).is_contiguous());
  CHECK(a(range(0, 1), range(1, 3)).is_contiguous());
  CHECK_FALSE(a(range(open, open, -1), all).is_contiguous());
  CHECK(a(range(0), range(1, 3)).is_contiguous());
}

TEST_CASE("views keep the storage alive") {
  const auto make = [] {
    w::matrix<float> a = numbered(2, 2);
    return a(1, all);
  };
  CHECK(values(make()) == floats{2, 3});
  const auto from_temporary = numbered(2, 2)(all, 0);
  CHECK(values(from_temporary) == floats{0, 2});
  CHECK(from_temporary.storage().owners() == 1);
}

TEST_CASE("permuted axes") {
  const w::matrix<float> a = numbered(2, 3);
  const auto t = w::detail::permuted(w::detail::as_view(a), {1, 0});
  CHECK(t.shape() == w::shape_t<2>{3, 2});
  CHECK(values(t) == floats{0, 3, 1, 4, 2, 5});
  CHECK(t(2, 1) == 5);
  CHECK_FALSE(t.is_contiguous());
}

TEST_CASE("a view becomes a tensor") {
  const w::matrix<float> a = numbered(3, 4);
  const w::matrix<float> b = a(range(2), range(1, 3));
  CHECK(values(b) == floats{1, 2, 5, 6});
  const w::tensor<float, 2, dyn> c = a(range(2), all);
  CHECK(c.extent(1) == 4);
  CHECK_THROWS_AS((w::tensor<float, 2, 2>(a(all, all))), w::shape_error);
  const auto d = a(1, all).copy();
  static_assert(std::is_same_v<decltype(d), const w::vector<float>>);
  CHECK(values(d) == floats{4, 5, 6, 7});
}

TEST_CASE("views convert to views of const, and from tensors") {
  w::matrix<float> a = numbered(2, 2);
  const auto corner = [](w::view<const float, 2> v) { return v(0, 0); };
  CHECK(corner(a) == 0);
  CHECK(corner(a(range(1, 2), all)) == 2);
  CHECK(corner(std::as_const(a)) == 0);
  w::view<float, 2> v = a;
  v(0, 0) = 9;
  CHECK(a(0, 0) == 9);
}

TEST_CASE("rank 0") {
  w::tensor<float> s = 3;
  w::view<float, 0> v = s;
  CHECK(static_cast<float>(v) == 3);
  v = 4;
  CHECK(s() == 4);
  CHECK(v() == 4);
}

TEST_CASE("offsets past 2^31") {
  // Never filled, so that only the pages that are touched take memory.
  const w::index_t rows = (w::index_t{1} << 16) + 1, columns = w::index_t{1} << 15;
  auto a = w::matrix<std::uint8_t>::uninitialized({rows, columns});
  a(-1, -1) = 7;
  auto last = a(range(-1, open), range(-2, open));
  CHECK(last(0, 1) == 7);
  CHECK(last.data() - a.data() == rows * columns - 2);
  last = 9;
  CHECK(a(rows - 1, columns - 2) == 9);
  const auto backwards = a(range(open, open, -1), range(open, open, -1));
  CHECK(backwards(0, 0) == 9);
}
