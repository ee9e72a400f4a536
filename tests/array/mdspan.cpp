// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/array/mdspan.hpp>

#include <doctest/doctest.h>

namespace w = weft;

TEST_CASE("a tensor as a std::mdspan and back") {
  w::tensor<float, w::dyn, 3> a{{1, 2, 3}, {4, 5, 6}};
  auto m = w::to_mdspan(a);
  static_assert(decltype(m)::static_extent(1) == 3);
  static_assert(decltype(m)::static_extent(0) == std::dynamic_extent);
  CHECK(m.extent(0) == 2);
  m[std::array<w::index_t, 2>{1, 0}] = 40;
  CHECK(a(1, 0) == 40);
  const auto back = w::from_mdspan(m);
  static_assert(std::is_same_v<decltype(back), const w::tensor<float, w::dyn, 3>>);
  CHECK(back(1, 0) == 40);
  CHECK(back.data() != a.data());
  const auto& c = a;
  static_assert(std::is_same_v<decltype(w::to_mdspan(c))::element_type, const float>);
  CHECK(w::to_mdspan(w::tensor<int>(7)).rank() == 0);
}

TEST_CASE("views as strided spans, without copies") {
  w::matrix<float> a{{1, 2, 3}, {4, 5, 6}};
  const auto m = w::to_mdspan(a(w::range(), w::range(0, 3, 2)));
  CHECK(m[std::array<w::index_t, 2>{1, 1}] == 6);
  auto v = w::view_mdspan(m);
  v(0, 1) = 30;
  CHECK(a(0, 2) == 30);
  CHECK(w::from_mdspan(m)(0, 1) == 30);
  CHECK_THROWS_AS(static_cast<void>(w::to_mdspan(a(w::range(), w::range(w::open, w::open, -1)))),
                  w::value_error);
}

TEST_CASE("other layouts are copied into row-major order") {
  float data[6] = {1, 2, 3, 4, 5, 6};
  const std::mdspan<float, std::extents<int, 2, 3>, std::layout_left> m(data);
  const auto a = w::from_mdspan(m);
  static_assert(std::is_same_v<decltype(a), const w::tensor<float, 2, 3>>);
  CHECK(a(0, 1) == 3);
  CHECK(a(1, 0) == 2);
}
