// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <doctest/doctest.h>

#include <weft/array/creation.hpp>
#include <weft/compile/control.hpp>
#include <weft/compile/explain.hpp>
#include <weft/graph/verify.hpp>

#include <limits>

namespace w = weft;
namespace d = weft::detail;

namespace {

template <class T>
void check_equal(const w::vector<T>& got, std::initializer_list<T> want) {
  REQUIRE(got.size() == static_cast<w::index_t>(want.size()));
  w::index_t i = 0;
  for (T v : want) CHECK(got(i++) == v);
}

constexpr auto pick = [](auto x, auto u) {
  auto big = w::masked_select(x * u, x > 0.);
  auto head = w::slice<0>(x, 0, w::item(w::cast<std::int64_t>(w::sum(u))));
  return std::tuple{w::sum(big * big), big * 2., w::nonzero(x > 0.), head + 1.};
};

TEST_CASE("shapes that follow from data: a call, and another with other counts") {
  const w::vector<double> x{.5, -.25, 3, 0, .5}, u{2, 1, 0, 0, 0};
  const auto f = w::compile(pick);
  auto [s, b, n, h] = f(x, u);
  CHECK(w::item(s) == 1);
  check_equal(b, {2., 0., 0.});
  REQUIRE(n.shape() == w::shape_t<2>{3, 1});
  CHECK((n(0, 0) == 0 && n(1, 0) == 2 && n(2, 0) == 4));
  check_equal(h, {1.5, .75, 4.});
  std::tie(s, b, n, h) = f(u, x);
  CHECK(w::item(s) == 1 + .0625);
  check_equal(b, {2., -.5});
  check_equal(h, {3., 2., 1.});
  std::tie(s, b, n, h) = f(-x * x, u);  // none is positive
  CHECK(w::item(s) == 0);
  CHECK(b.size() == 0);
  CHECK(n.shape() == w::shape_t<2>{0, 1});
}

TEST_CASE("shapes that follow from data: results into tensors keep their values if a call throws") {
  const w::vector<double> x{.5, -.25, 3}, u{2, 1, 0}, short_one{1, 2};
  const auto f = w::compile(pick);
  w::tensor<double> s;
  w::vector<double> b, h;
  w::tensor<std::int64_t, w::dyn, w::dyn> n;
  f.into(std::tie(s, b, n, h), x, u);
  check_equal(b, {2., 0.});
  CHECK_THROWS_AS(f.into(std::tie(s, b, n, h), x, short_one), w::shape_error);
  check_equal(b, {2., 0.});
}

TEST_CASE("shapes that follow from data: gradients are those of where") {
  const w::vector<double> x{.5, -.25, 3, 0, .5}, u{2, 1, 0, .5, -1};
  auto [v, gx, gu] = w::value_and_grad<0, 1>([](auto x, auto u) {
    auto y = w::masked_select(w::sin(x) * u, x > 0.);
    return w::sum(y * y) +
           w::sum(w::slice<0>(x * x, 1, w::item(w::cast<std::int64_t>(w::sum(u * u)))));
  })(x, u);
  auto [v2, gx2, gu2] = w::value_and_grad<0, 1>([](auto x, auto u) {
    auto y = w::where(x > 0., w::sin(x) * u, 0.);
    return w::sum(y * y) + w::sum(w::slice<0, 1, w::to_end>(x * x));
  })(x, u);
  CHECK(w::item(v) == doctest::Approx(w::item(v2)));
  for (w::index_t i = 0; i < 5; ++i) {
    CHECK(gx(i) == doctest::Approx(gx2(i)));
    CHECK(gu(i) == doctest::Approx(gu2(i)));
  }
}

TEST_CASE("nonzero, masked_select and unique of tensors") {
  const w::matrix<float> m{{0, 1, -0.f}, {2, std::numeric_limits<float>::quiet_NaN(), 0}};
  const auto n = w::nonzero(m);
  REQUIRE(n.shape() == w::shape_t<2>{3, 2});
  CHECK((n(0, 0) == 0 && n(0, 1) == 1 && n(1, 0) == 1 && n(1, 1) == 0 && n(2, 0) == 1 &&
         n(2, 1) == 1));
  check_equal(w::masked_select(m, m == m), {0.f, 1.f, -0.f, 2.f, 0.f});
  const w::vector<int> k{3, -1, 3, 3, 0};
  check_equal(w::unique(k), {-1, 0, 3});
  const auto q = w::unique(m);
  REQUIRE(q.size() == 4);
  CHECK((q(0) == 0 && q(1) == 1 && q(2) == 2 && q(3) != q(3)));
}

TEST_CASE("shapes that follow from data: every part is well formed, and explain counts them") {
  using source = d::function_source<decltype(pick), w::vector<double>, w::vector<double>>;
  const d::cut_program c = d::cut(source::build(false));
  REQUIRE(c.parts.size() == 2);  // what the host makes side by side needs one cut
  for (const d::graph& g : c.parts) CHECK(d::verify(g).view() == "");
  CHECK(c.calls.size() == 3);
  const w::vector<double> x{.5, -.25, 3}, u{2, 1, 0};
  const w::report r = w::explain(pick, x, u);
  CHECK(r.parts == 2);
  CHECK(r.breaks.size() == 3);
  CHECK(r.regions() == 4);
}

}  // namespace
