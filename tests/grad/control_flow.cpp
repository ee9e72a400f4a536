// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <doctest/doctest.h>

#include <weft/capture/control.hpp>
#include <weft/grad/checkpoint.hpp>
#include <weft/grad/transforms.hpp>

#include "../support/control.hpp"

// Derivatives of loops and conditions, first and second, are those of the same thing unrolled.
namespace w = weft;
using namespace weft_test;
using w::symbol;

namespace {

const auto x3 = vector_of({0.5, 0.25, -0.75});

/// Row k of a matrix, or element k of a vector.
symbol row(symbol x, index_t k) {
  symbol s = x.sliced(0, k, 1, 1);
  weft::detail::shape_of shape{};
  for (int d = 1; d < s.rank(); ++d) shape.d[shape.rank++] = s.shape().d[d];
  return s.reshaped(shape);
}

}  // namespace

TEST_CASE("control flow: fori") {
  const auto step = [](auto x, auto s) { return w::sin(s) * x + s; };
  for (const index_t n : {0, 1, 2, 5}) {
    CAPTURE(n);
    CHECK(flow_difference(
              [=](auto x) {
                return w::sum(w::fori(
                    n, [=](auto, auto s) { return step(x, s); }, x));
              },
              [=](auto x) {
                auto s = x;
                for (index_t i = 0; i < n; ++i) s = step(x, s);
                return w::sum(s);
              },
              x3) == "");
  }
}

TEST_CASE("control flow: the number of the step") {
  const auto step = [](auto x, auto i, auto s) { return s * 0.5 + x * x * i; };
  CHECK(flow_difference(
            [=](auto x) {
              return w::sum(w::fori(
                  4, [=](auto i, auto s) { return step(x, w::cast<double>(i), s); }, x));
            },
            [=](auto x) {
              auto s = x;
              for (int i = 0; i < 4; ++i) s = step(x, x.number(i), s);
              return w::sum(s);
            },
            x3) == "");
}

TEST_CASE("control flow: scan carries, slices and stacks") {
  const auto xs = filled(dtype::float64, {4, 3}, 7);
  const auto step = [](auto h, auto x) {
    const auto n = w::tanh(h * 0.7 + x * h);
    return std::tuple{n, w::sum(n * x)};
  };
  const auto loss = [](auto h, auto ys) { return w::sum(h * h) + w::sum(w::square(ys) * ys); };
  const auto scanned = [=](auto h, auto xs) {
    const auto [last, ys] = w::scan(step, h, xs);
    return loss(last, ys);
  };
  const auto unrolled = [=](auto h, auto xs) {
    auto total = h.number(0);
    for (int k = 0; k < 4; ++k) {
      const auto [n, y] = step(h, row(xs, k));
      h = n;
      total = total + w::square(y) * y;
    }
    return w::sum(h * h) + total;
  };
  CHECK(flow_difference(scanned, unrolled, x3, xs) == "");
  // By what is scanned.
  CHECK(flow_difference([=](auto xs, auto h) { return scanned(h, xs); },
                        [=](auto xs, auto h) { return unrolled(h, xs); }, xs, x3) == "");
}

TEST_CASE("control flow: scan of tuples, without stacks, without slices that matter") {
  const auto step = [](auto a, auto b, auto x, auto y) {
    return std::tuple{a * x + b, w::sin(b) * y + a * x};
  };
  CHECK(flow_difference(
            [=](auto x) {
              const auto [last, none] = w::scan(
                  [=](auto c, auto s) {
                    const auto& [a, b] = c;
                    const auto& [u, v] = s;
                    return std::tuple{step(a, b, u, v), std::tuple{}};
                  },
                  std::tuple{w::sum(x), w::mean(x)}, std::tuple{x, x * 2.0});
              static_assert(std::tuple_size_v<std::remove_cvref_t<decltype(none)>> == 0);
              return std::get<0>(last) * std::get<1>(last);
            },
            [=](auto x) {
              auto a = w::sum(x), b = w::mean(x);
              for (int k = 0; k < 3; ++k) std::tie(a, b) = step(a, b, row(x, k), row(x, k) * 2.0);
              return a * b;
            },
            x3) == "");
}

TEST_CASE("control flow: map closes over what is outside") {
  CHECK(flow_difference(
            [](auto x) {
              return w::sum(w::map([x](auto a) { return w::sum(w::exp(a * x)) * a; }, x));
            },
            [](auto x) {
              auto total = x.number(0);
              for (int k = 0; k < 3; ++k) total = total + w::sum(w::exp(row(x, k) * x)) * row(x, k);
              return total;
            },
            x3) == "");
}

TEST_CASE("control flow: cond") {
  const auto then = [](auto a, auto x) { return w::sum(w::sin(a) * a * x); };
  const auto other = [](auto a, auto x) { return w::sum(w::exp(a) * x * 2.0); };
  for (const double limit : {-10.0, 10.0}) {
    CAPTURE(limit);
    CHECK(flow_difference(
              [=](auto x) {
                return w::cond(
                    w::sum(x) > limit, [=](auto a) { return then(a, x); },
                    [=](auto a) { return other(a, x); }, x * x);
              },
              [=](auto x) { return limit < 0 ? then(x * x, x) : other(x * x, x); }, x3) == "");
  }
}

TEST_CASE("control flow: cond whose sides keep nothing, or do not depend on the arguments") {
  CHECK(flow_difference(
            [](auto x) {
              return w::cond(
                  w::sum(x) > 0.0, [](auto a) { return w::sum(a); },
                  [](auto a) { return w::sum(a * 2.0); }, x);
            },
            [](auto x) { return w::sum(x * 2.0) * (x.number(1) / 2.0) + w::sum(x * 0.0); },
            vector_of({1, 2, 3})) == "");
  CHECK(flow_difference(
            [](auto x) {
              return w::cond(
                         w::sum(x) > 0.0, [](auto a) { return a.number(3); },
                         [](auto a) { return w::sum(a * 2.0); }, x) *
                     w::sum(x * x);
            },
            [](auto x) { return w::sum(x * x) * 3.0; }, vector_of({1, 2, 3})) == "");
}

TEST_CASE("control flow: while_loop with a bound") {
  const auto body = [](auto s, auto x) { return s * s + x + 1.0; };
  const auto go = [](auto s) { return w::sum(s) < 10.0; };
  for (const double start : {0.5, 20.0}) {  // some steps, none
    CAPTURE(start);
    const auto x = vector_of({start, 0.25});
    int steps = 0;
    for (double a = start, b = 0.25; a + b < 10 && steps < 8; ++steps)
      a = a * a + start + 1, b = b * b + 1.25;
    CHECK(flow_difference(
              [=](auto x) {
                return w::sum(w::while_loop(
                    go, [=](auto s) { return body(s, x); }, x, w::max_steps<8>));
              },
              [=](auto x) {
                auto s = x;
                for (int i = 0; i < steps; ++i) s = body(s, x);
                return w::sum(s);
              },
              x) == "");
  }
  // The bound stops it.
  CHECK(flow_difference(
            [=](auto x) {
              return w::sum(w::while_loop(
                  go, [=](auto s) { return s + x * s * 0.1; }, x, w::max_steps<3>));
            },
            [=](auto x) {
              auto s = x;
              for (int i = 0; i < 3; ++i) s = s + x * s * 0.1;
              return w::sum(s);
            },
            x3) == "");
}
