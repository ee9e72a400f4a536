// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/array/creation.hpp>
#include <weft/compile/control.hpp>
#include <weft/grad/transforms.hpp>

#include <doctest/doctest.h>
#include <base/allocations.hpp>
#include <support/gradients.hpp>
#include <support/tensors.hpp>

// Compiled control flow against the reference evaluator.
namespace w = weft;
using namespace weft_test;
using w::index_t;

namespace {

// Exactly representable in every dtype; the state stays small.
constexpr auto running = [](auto h, auto xs) {
  auto [last, ys] = w::scan(
      [](auto h, auto x) {
        auto n = h * 0.5f + x;
        return std::tuple{n, std::tuple{n * x, w::sum(n)}};
      },
      h, xs);
  return std::tuple{last, std::get<0>(ys), std::get<1>(ys)};
};

/// A scan of `running` for n steps of a state of 5 elements.
template <class T>
void check_running(index_t n, const tolerance& near) {
  CAPTURE(n);
  const auto h = filled_tensor<T, 1>({5}, 1);
  const auto xs = filled_tensor<T, 2>({n, 5}, 2);
  const auto expected = results([](auto h, auto xs) { return running(h, xs); }, read(h), read(xs));
  const auto [last, products, sums] = w::compile(running)(h, xs);
  CHECK(difference(last, expected[0], near) == "");
  CHECK(difference(products, expected[1], near) == "");
  CHECK(difference(sums, expected[2], near) == "");
}

}  // namespace

TEST_CASE("compiled scan: any number of steps, float and double") {
  for (const index_t n : {0, 1, 2, 3, 8}) {
    check_running<double>(n, {.relative = 1e-14, .absolute = 1e-14});
    check_running<float>(n, {.relative = 1e-6, .absolute = 1e-6});
  }
}

TEST_CASE("compiled scan: strided and transposed arguments, results in views") {
  const auto f = w::compile(running);
  const auto wide = filled_tensor<double, 2>({10, 8}, 3);
  const auto h = filled_tensor<double, 1>({10}, 4);
  const w::view<const double, 2> xs({}, wide.data(), w::shape_t<2>{4, 5}, w::shape_t<2>{2, 16});
  const auto start = h(w::range(0, 10, 2));
  const w::matrix<double> xs_copy = xs;
  const w::vector<double> h_copy = start;
  const auto [last, products, sums] = f(h_copy, xs_copy);
  const auto [last2, products2, sums2] = f(start, xs);
  CHECK(difference(last2, read(last)) == "");
  CHECK(difference(products2, read(products)) == "");
  CHECK(difference(sums2, read(sums)) == "");

  w::vector<double> to = w::zeros<double>(10);
  w::matrix<double> table = w::zeros<double>(8, 5);
  w::vector<double> totals = w::zeros<double>(4);
  auto every_other = to(w::range(0, 10, 2));
  auto rows = table(w::range(0, 8, 2), w::range(0, 5));
  f.into(std::tie(every_other, rows, totals), start, xs);
  CHECK(difference(every_other, read(last)) == "");
  CHECK(difference(rows, read(products)) == "");
  CHECK(to(1) == 0);
  CHECK(table(1, 0) == 0);
}

TEST_CASE("compiled control flow: into allocates nothing after the first call") {
  const auto f = w::compile([](auto x, auto u) {
    auto [h, ys] = w::scan(
        [u](auto h, auto x) {
          auto n = w::cond(
              w::sum(h) > 0.f, [u](auto h) { return h * u; }, [](auto h) { return h + 1.f; }, h);
          return std::tuple{n, w::sum(n * x)};
        },
        u, x);
    auto z = w::while_loop([](auto s) { return w::sum(s) < 50.f; },
                           [](auto s) { return w::abs(s) * 2.f + 1.f; }, h);
    return std::tuple{z, ys};
  });
  const w::matrix<float> x = w::full<float>({7, 3}, 0.5);
  const w::vector<float> u{0.5f, -0.25f, 1};
  w::vector<float> z = w::zeros<float>(3), ys = w::zeros<float>(7);
  f.into(std::tie(z, ys), x, u);
  const std::size_t before = weft_test::allocations();
  for (int i = 0; i < 3; ++i) f.into(std::tie(z, ys), x, u);
  CHECK(weft_test::allocations() == before);
  const auto [z2, ys2] = f(x, u);
  CHECK(difference(z, read(z2)) == "");
  CHECK(difference(ys, read(ys2)) == "");
  CHECK(static_cast<double>(w::item(w::sum(z))) >= 50);
}

TEST_CASE("compiled scan: what broadcasts, in the general plan") {
  const auto f = w::compile([](auto h, auto xs) {
    return w::scan([](auto h, auto x) { return std::tuple{h + w::sum(x), h * x}; }, h, xs);
  });
  for (const w::shape_t<2> s : {w::shape_t<2>{4, 3}, w::shape_t<2>{4, 1}}) {
    const auto h = filled_tensor<double, 1>({3}, 1);
    const auto xs = filled_tensor<double, 2>(s, 2);
    const auto [last, ys] = f(h, xs);
    for (index_t k = 0; k < 3; ++k) {
      double c = h(k);
      for (index_t t = 0; t < 4; ++t) {
        CHECK(ys(t, k) == doctest::Approx(c * xs(t, s[1] == 1 ? 0 : k)));
        for (index_t j = 0; j < s[1]; ++j) c += xs(t, j);
      }
      CHECK(last(k) == doctest::Approx(c));
    }
  }
  CHECK_THROWS_AS(f(w::vector<double>{1, 2, 3}, filled_tensor<double, 2>({4, 2}, 1)),
                  w::shape_error);
}

TEST_CASE("compiled control flow: integer and bool states, static extents, tuples") {
  const auto collatz = w::compile([](auto n) {
    return w::while_loop([](auto s) { return std::get<0>(s) > 1; },
                         [](auto s) {
                           auto [n, steps, odd_seen] = s;
                           auto odd = w::remainder(n, 2) == 1;
                           return std::tuple{w::where(odd, n * 3 + 1, w::floor_divide(n, 2)),
                                             steps + 1, w::logical_or(odd_seen, odd)};
                         },
                         std::tuple{n, n * 0, n != n});
  });
  const auto [one, steps, odd] = collatz(w::tensor<std::int64_t>(27));
  CHECK(one == 1);
  CHECK(steps == 111);
  CHECK(odd == true);
  const auto [same, none, no] = collatz(w::tensor<std::int64_t>(1));
  CHECK(same == 1);
  CHECK(none == 0);
  CHECK(no == false);

  const auto powers = w::compile([](auto x, auto n) {
    return w::fori(
        n, [x](auto i, auto s) { return s * x + w::cast<float>(i); }, x);
  });
  const w::tensor<float, 2> x{2, 3};
  const w::tensor<float, 2> y = powers(x, 3);  // x^4 + 0 x^2 + x + 2
  CHECK(y(0) == 20);
  CHECK(y(1) == 86);
  const w::tensor<float, 2> z = powers(x, 0), m = powers(x, -5);
  CHECK(z(1) == 3);
  CHECK(m(1) == 3);
}

TEST_CASE("compiled control flow: half states round where they are stored") {
  const auto f = w::compile([](auto x) {
    return w::fori(
        10, [x](auto, auto s) { return s * 0.5f + x; }, x);
  });
  const w::vector<w::half> x{w::half(1.f), w::half(0.1f), w::half(-3.f)};
  const w::vector<w::half> y = f(x);
  for (index_t k = 0; k < 3; ++k) {
    w::half s = x(k);
    for (int i = 0; i < 10; ++i)
      s = w::half(static_cast<float>(s) * 0.5f + static_cast<float>(x(k)));
    CHECK(static_cast<float>(y(k)) == doctest::Approx(static_cast<float>(s)).epsilon(2e-3));
  }
}

TEST_CASE("control flow on tensors runs at once") {
  const w::vector<double> u{1, 2, 3};
  const auto [last, ys] = w::scan(
      [](auto c, auto x) {
        return std::tuple{c + x, c * x};
      },
      w::tensor<double>(0), u);
  CHECK(last == 6);
  CHECK(holds(ys, {0, 2, 9}) == "");
  CHECK(holds(w::map([](auto x) { return x * x; }, u), {1, 4, 9}) == "");
  CHECK(holds(w::fori(
                  3, [](auto, auto s) { return s * 2.0; }, u),
              {8, 16, 24}) == "");
  CHECK(holds(w::while_loop([](auto s) { return w::sum(s) < 20.0; }, [](auto s) { return s + 1.0; },
                            u),
              {6, 7, 8}) == "");
  CHECK(holds(w::cond(
                  w::tensor<bool>(false), [](auto a) { return a + 1.0; },
                  [](auto a) { return a - 1.0; }, u),
              {0, 1, 2}) == "");
}
