// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/array/tensor.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace w = weft;
using w::open;
using w::range;

namespace {

template <class X>
std::vector<typename X::value_type> values(const X& x) {
  const auto owned = w::detail::as_view(x).copy();
  return {owned.data(), owned.data() + owned.size()};
}
using floats = std::vector<float>;

w::vector<float> one_to_five() { return {1, 2, 3, 4, 5}; }

w::matrix<float> numbered(w::index_t rows, w::index_t columns) {
  auto out = w::matrix<float>::uninitialized({rows, columns});
  for (w::index_t i = 0; i < out.size(); ++i) out.data()[i] = static_cast<float>(i);
  return out;
}

template <class Assign>
std::string shape_message(Assign assign) {
  try {
    assign();
  } catch (const w::shape_error& e) {
    return e.what();
  }
  return "no shape_error";
}

}  // namespace

TEST_CASE("scalars fill views") {
  w::matrix<float> a = numbered(3, 3);
  a(range(), 1) = 7;
  CHECK(values(a) == floats{0, 7, 2, 3, 7, 5, 6, 7, 8});
  a(range(1, 3), range(open, open, -2)) = -1.5;
  CHECK(values(a) == floats{0, 7, 2, -1.5f, 7, -1.5f, -1.5f, 7, -1.5f});
  w::vector<std::uint8_t> bytes{1, 2};
  CHECK_THROWS_WITH_AS(bytes(range()) = 256,
                       "weft: the scalar 256 is outside the range of uint8; convert the tensor "
                       "with cast<T>",
                       w::value_error);
  CHECK(bytes(1) == 2);
  bytes(range()) = 255;
  CHECK(bytes(1) == 255);
}

TEST_CASE("views write elements and do not rebind") {
  w::matrix<float> a = numbered(2, 3);
  w::matrix<float> b = numbered(2, 3);
  auto x = a(0, range());
  const auto y = b(1, range());
  x = y;
  CHECK(values(a) == floats{3, 4, 5, 3, 4, 5});
  b(1, 0) = 100;
  CHECK(x(0) == 3);
  x = w::vector<float>{7, 8, 9};
  CHECK(a(0, 2) == 9);
  x = w::tensor<float, 3>{1, 1, 1};
  CHECK(a(0, 0) == 1);
  x = w::tensor<float>(6);
  CHECK(values(x) == floats{6, 6, 6});
}

TEST_CASE("axes of extent 1 repeat") {
  w::matrix<float> a = numbered(2, 3);
  a(range(), range()) = w::matrix<float>{{1}, {2}};
  CHECK(values(a) == floats{1, 1, 1, 2, 2, 2});
  a(range(), range()) = w::matrix<float>{{4, 5, 6}};
  CHECK(values(a) == floats{4, 5, 6, 4, 5, 6});
  a(range(), range()) = a(range(1), range(-1, open));
  CHECK(values(a) == floats(6, 6));
  w::matrix<float> empty;
  empty(range(), range()) = w::matrix<float>{{1}};
  CHECK(empty.size() == 0);
}

TEST_CASE("shapes that do not fit are errors that name both, and write nothing") {
  w::matrix<float> a = numbered(2, 3);
  const w::matrix<float> b = numbered(3, 3);
  CHECK(shape_message([&] { a(range(), range()) = b; }) ==
        "weft: cannot assign shape (3, 3) to a view of shape (2, 3); extents must be equal, or 1 "
        "in the source");
  CHECK(shape_message([&] { a(range(1), range()) = b; }) != "no shape_error");
  CHECK(values(a) == values(numbered(2, 3)));
}

TEST_CASE("overlapping views read the old values") {
  auto a = one_to_five();
  a(range(1, open)) = a(range(4));
  CHECK(values(a) == floats{1, 1, 2, 3, 4});
  a = one_to_five();
  a(range(4)) = a(range(1, open));
  CHECK(values(a) == floats{2, 3, 4, 5, 5});
  a = one_to_five();
  a(range()) = a(range(open, open, -1));
  CHECK(values(a) == floats{5, 4, 3, 2, 1});
  a = one_to_five();
  a(range()) = a(range(2, 3));
  CHECK(values(a) == floats{3, 3, 3, 3, 3});
  a = one_to_five();
  a(range(0, 5, 2)) = a(range(3));
  CHECK(values(a) == floats{1, 2, 2, 4, 3});
  w::matrix<float> m = numbered(3, 3);
  w::detail::as_view(m) = w::detail::permuted(w::detail::as_view(m), {1, 0});
  CHECK(values(m) == floats{0, 3, 6, 1, 4, 7, 2, 5, 8});
}

TEST_CASE("a tensor assigned from a view of itself") {
  auto a = one_to_five();
  const float* const place = a.data();
  a = a(range(open, open, -1));
  CHECK(values(a) == floats{5, 4, 3, 2, 1});
  CHECK(a.data() == place);
  const auto old = a(range());
  a = a(range(1, 3));
  CHECK(values(a) == floats{4, 3});
  CHECK(values(old) == floats{5, 4, 3, 2, 1});
  w::tensor<float, 2, 2> square{{1, 2}, {3, 4}};
  square = w::detail::permuted(w::detail::as_view(square), {1, 0});
  CHECK(values(square) == floats{1, 3, 2, 4});
}

TEST_CASE("expanded views are read, never written") {
  w::vector<float> a{1};
  const w::view<float, 1> wide(a.storage(), a.data(), {4}, {0});
  CHECK(values(wide) == floats{1, 1, 1, 1});
  w::view<float, 1> target = wide;
  CHECK_THROWS_AS(target = 3, w::value_error);
  CHECK_THROWS_AS(target = one_to_five()(range(4)), w::value_error);
  CHECK(a(0) == 1);
  auto b = one_to_five();
  b(range(4)) = wide;
  CHECK(values(b) == floats{1, 1, 1, 1, 5});
}

TEST_CASE("copies agree with indexing for every mix of slices of rank 3") {
  using cube = w::tensor<float, w::dyn, w::dyn, w::dyn>;
  auto a = cube::uninitialized({3, 4, 2});
  for (w::index_t i = 0; i < a.size(); ++i) a.data()[i] = static_cast<float>(i);
  const range slices[] = {range(), range(1, open), range(open, open, -1), range(0, 3, 2),
                          range(-1, open), range(0)};
  int wrong = 0;
  for (const auto& r : slices)
    for (const auto& s : slices)
      for (const auto& t : slices) {
        const auto v = a(r, s, t);
        const cube owned = v;
        auto target = cube::uninitialized(v.shape());
        target(range(open, open, -1), range(), range(open, open, -1)) = v;
        for (w::index_t i = 0; i < v.extent(0); ++i)
          for (w::index_t j = 0; j < v.extent(1); ++j)
            for (w::index_t k = 0; k < v.extent(2); ++k) {
              wrong += owned(i, j, k) != v(i, j, k);
              wrong += target(-1 - i, j, -1 - k) != v(i, j, k);
            }
      }
  CHECK(wrong == 0);
}
