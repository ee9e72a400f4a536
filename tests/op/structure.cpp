// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors

#include <doctest/doctest.h>
#include <weft/array/creation.hpp>
#include <weft/compile/evaluate.hpp>

#include "check.hpp"

namespace w = weft;
using op_test::list;
template <std::size_t N>
using shape_of = std::array<w::index_t, N>;

TEST_CASE("reshape and flatten") {
  const w::matrix<float> a{{1, 2, 3}, {4, 5, 6}};
  const auto b = w::eval(w::reshape(a, w::shape<3, -1>));
  CHECK(b.shape() == shape_of<2>{3, 2});
  CHECK(list(b) == std::vector<float>{1, 2, 3, 4, 5, 6});
  const auto c = w::eval(w::reshape(w::transpose(a), w::shape<1, 6>));
  CHECK(list(c) == std::vector<float>{1, 4, 2, 5, 3, 6});
  CHECK(list(w::eval(w::flatten(w::transpose(a) + 1.0f))) == std::vector<float>{2, 5, 3, 6, 4, 7});
  CHECK_THROWS_AS(w::eval(w::reshape(a, w::shape<4, -1>)), w::shape_error);
  CHECK_THROWS_AS(w::eval(w::reshape(a, w::shape<5>)), w::shape_error);
}

TEST_CASE("expand, squeeze and unsqueeze") {
  const w::vector<float> v{1, 2};
  const auto e = w::eval(w::expand(w::unsqueeze(v, w::axis<-1>), w::shape<3, -1, 2>));
  CHECK(e.shape() == shape_of<3>{3, 2, 2});
  CHECK(list(e) == std::vector<float>{1, 1, 2, 2, 1, 1, 2, 2, 1, 1, 2, 2});
  const auto x = w::variable<"v">(v);
  const w::vector<float> g = w::grad(w::sum(w::expand(x, w::shape<3, -1>)), x);
  CHECK(list(g) == std::vector<float>{3, 3});
  const w::matrix<float> m{{5, 6}};
  const w::vector<float> s = w::squeeze(m, w::axis<0>) * 1.0f;
  CHECK(list(s) == std::vector<float>{5, 6});
  CHECK_THROWS_AS(w::eval(w::squeeze(m, w::axis<1>)), w::shape_error);
  CHECK(w::eval(w::unsqueeze(m, w::axis<0, 2, -1>)).shape() == shape_of<5>{1, 1, 1, 2, 1});
}

TEST_CASE("concat joins along an axis and its gradient splits") {
  const w::matrix<float> a{{1, 2}}, b{{3, 4}, {5, 6}};
  const auto c = w::eval(w::concat(w::axis<0>, a, b * 10.0f, a));
  CHECK(list(c) == std::vector<float>{1, 2, 30, 40, 50, 60, 1, 2});
  const auto x = w::variable<"a">(a);
  const w::matrix<float> weight{{1, 2}, {3, 4}, {5, 6}};
  const w::matrix<float> g = w::grad(w::sum(w::concat(w::axis<0>, b, x) * weight), x);
  CHECK(list(g) == std::vector<float>{5, 6});
}

namespace {
/// The places that NumPy's a[start:stop:step] has on an axis of extent n.
std::vector<float> places(w::index_t n, w::index_t start, w::index_t stop, w::index_t step) {
  const auto clip = [&](w::index_t e) {
    const w::index_t low = step > 0 ? 0 : -1, high = step > 0 ? n : n - 1;
    if (e < 0) e = e < -n ? low : e + n;
    return e < low ? low : e > high ? high : e;
  };
  std::vector<float> r;
  for (w::index_t i = clip(start), end = clip(stop); step > 0 ? i < end : i > end; i += step)
    r.push_back(static_cast<float>(i));
  return r;
}

template <w::index_t Start, w::index_t Stop, w::index_t Step>
bool slices_alike() {
  bool good = true;
  for (w::index_t n : {0, 1, 2, 3, 5, 8}) {
    const w::vector<float> x = w::arange<float>(n);
    const w::vector<float> y = w::slice<0, Start, Stop, Step>(x);
    good = good && list(y) == places(n, Start, Stop, Step);
  }
  const w::tensor<float, 5> five{0, 1, 2, 3, 4};
  return good &&
         list(w::eval(w::slice<0, Start, Stop, Step>(five))) == places(5, Start, Stop, Step);
}
}  // namespace

TEST_CASE("slice has NumPy's bounds, also where extents are known at the call") {
  CHECK(slices_alike<0, 3, 1>());
  CHECK(slices_alike<1, w::to_end, 2>());
  CHECK(slices_alike<-3, -1, 1>());
  CHECK(slices_alike<w::to_end, w::to_front, -1>());
  CHECK(slices_alike<4, 0, -2>());
  CHECK(slices_alike<-2, -5, -1>());
}

TEST_CASE("the gradient of a slice is zero elsewhere") {
  const w::matrix<float> a{{1, 2, 3}, {4, 5, 6}};
  const auto x = w::variable<"a">(a);
  const w::matrix<float> g =
      w::grad(w::sum(w::square(w::slice<1, w::to_end, w::to_front, -2>(x))), x);
  CHECK(list(g) == std::vector<float>{2, 0, 6, 8, 0, 12});
}

TEST_CASE("what is known to be wrong is recorded while capturing") {
  using namespace w::detail;
  const auto error_of = [](auto&& f) {
    builder b;
    const value_spec s{w::dtype::float32, 2, {2, 3}, false};
    (void)f(make_argument(b, s, 0));
    return std::string(b.g.error.view());
  };
  CHECK(error_of([](auto x) {
          return w::reshape(x, w::shape<4, -1>);
        }).find("reshape: the elements do not fill") != std::string::npos);
  CHECK(error_of([](auto x) {
          return w::reshape(x, w::shape<-1, -1>);
        }).find("only one extent may be -1") != std::string::npos);
  CHECK(error_of([](auto x) {
          return w::expand(x, w::shape<2, 4>);
        }).find("only extents of 1 can be repeated") != std::string::npos);
  CHECK(error_of([](auto x) { return w::squeeze(x, w::axis<1>); }).find("axis 1 has extent 3") !=
        std::string::npos);
  CHECK(error_of([](auto x) {
          return w::unsqueeze(x, w::axis<3>);
        }).find("axis 3 is out of range") != std::string::npos);
  CHECK(error_of([](auto x) { return w::slice<2, 0, 1>(x); }).find("axis 2 is out of range") !=
        std::string::npos);
  CHECK(error_of([](auto x) { return w::slice<0, 0, 1, 0>(x); }).find("the step is 0") !=
        std::string::npos);
  CHECK(error_of([](auto x) { return w::argmax(x, w::axis<0, 1>); }).find("name one axis") !=
        std::string::npos);
}
