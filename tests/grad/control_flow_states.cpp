// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <doctest/doctest.h>

#include <weft/capture/host.hpp>
#include <weft/grad/checkpoint.hpp>
#include <weft/grad/transforms.hpp>

#include "../support/control.hpp"

// States of other kinds than one tensor, and breaks under derivatives.
namespace w = weft;
using namespace weft_test;
using w::symbol;

namespace {

const auto x3 = vector_of({0.5, 0.25, -0.75});
symbol element(symbol x, index_t k) {
  return w::sum(x.sliced(0, k, 1, 1));
}

/// What a long short-term memory carries.
struct memory {
  symbol h, c;
};

int called = 0;
struct count {
  void operator()(w::view<const double, 1>) const { ++called; }
};
constexpr auto square = [](auto x) {
  return w::graph_break(
      x, "square",
      [](w::view<const double, 1> x) {
        w::vector<double> y = x;
        for (index_t i = 0; i < y.size(); ++i) y(i) *= y(i);
        return y;
      },
      [](w::view<const double, 1> g, w::view<const double, 1> x) {
        w::vector<double> y = g;
        for (index_t i = 0; i < y.size(); ++i) y(i) *= 2 * x(i);
        return y;
      });
};

}  // namespace

TEST_CASE("control flow: structs and arrays as states and slices") {
  const auto step = [](memory m, symbol x) {
    const symbol gate = w::sigmoid(x + m.h);
    const symbol c = m.c * gate + w::tanh(x);
    return memory{gate * w::tanh(c), c};
  };
  CHECK(flow_difference(
            [=](auto x) {
              const auto [last, seen] = w::scan(
                  [=](const memory& m, auto x) {
                    const memory n = step(m, x);
                    return std::tuple{n, std::array{n.h, n.h * n.c}};
                  },
                  memory{w::sum(x), w::mean(x)}, x);
              return last.h * last.c + w::sum(seen[0]) + w::sum(seen[1] * seen[1]);
            },
            [=](auto x) {
              memory m{w::sum(x), w::mean(x)};
              symbol total = x.number(0);
              for (int k = 0; k < 3; ++k) {
                m = step(m, element(x, k));
                total = total + m.h + w::square(m.h * m.c);
              }
              return m.h * m.c + total;
            },
            x3) == "");
}

TEST_CASE("control flow: integers and bools beside what has a gradient") {
  CHECK(flow_difference(
            [](auto x) {
              const auto [last, ks] = w::scan(
                  [](auto state, auto x) {
                    auto [h, k, odd] = state;
                    auto n = w::where(odd, h * x + 1.0, w::sin(h) - x);
                    return std::tuple{std::tuple{n * w::cast<double>(k), k + 1, !odd}, k};
                  },
                  std::tuple{w::sum(x), w::cast<std::int64_t>(x.number(1)), w::sum(x) > 100.0}, x);
              return std::get<0>(last) + w::cast<double>(w::sum(ks));
            },
            [](auto x) {
              auto h = w::sum(x);
              h = w::sin(h) - element(x, 0);
              h = (h * element(x, 1) + 1.0) * 2.0;
              h = (w::sin(h) - element(x, 2)) * 3.0;
              return h + 6.0;
            },
            x3) == "");
}

TEST_CASE("control flow: a cond of tuples, one of whose results is not used") {
  CHECK(flow_difference(
            [](auto x) {
              const auto [a, b] = w::cond(
                  w::sum(x) > 100.0,
                  [](auto x) {
                    return std::tuple{x, w::exp(x)};
                  },
                  [x](auto y) {
                    return std::tuple{y * x, w::exp(x)};
                  },
                  x * 2.0);
              static_cast<void>(b);
              return w::sum(a * a);
            },
            [](auto x) { return w::sum(w::square(x * 2.0 * x)); }, x3) == "");
}

TEST_CASE("control flow: a second use of a loop's results, and two loops that share operands") {
  CHECK(flow_difference(
            [](auto x) {
              const auto y = w::fori(
                  2, [x](auto, auto s) { return w::sin(s * x); }, x);
              const auto z = w::fori(
                  2, [y](auto, auto s) { return w::sin(s * y); }, x);
              return w::sum(y * z) + w::sum(y) * w::sum(z * z);
            },
            [](auto x) {
              const auto y = w::sin(w::sin(x * x) * x);
              const auto z = w::sin(w::sin(x * y) * y);
              return w::sum(y * z) + w::sum(y) * w::sum(z * z);
            },
            x3) == "");
}

TEST_CASE("graph breaks: host functions run once in a gradient, also under checkpoint") {
  const auto body = [](auto x) {
    auto y = w::graph_break(w::sin(x), "count", count{});
    y = square(y);
    y = w::fori(
        3, [x](auto, auto s) { return w::graph_break(w::cos(s) * x, "step", count{}); }, y);
    return w::sum(w::graph_break(y * y, "count", count{}));
  };
  const auto plain = [](auto x) {
    auto y = w::square(w::sin(x));
    for (int i = 0; i < 3; ++i) y = w::cos(y) * x;
    return w::sum(y * y);
  };
  const auto expected = results(w::value_and_grad(plain), x3);
  const auto check = [&](auto f) {
    called = 0;
    const auto found = results(w::value_and_grad(f), x3);
    CHECK(called == 5);
    CHECK(difference(found[0], expected[0], {.relative = 1e-15}) == "");
    CHECK(difference(found[1], expected[1], {.relative = 1e-14}) == "");
  };
  check(body);
  check(w::checkpoint(body));
  check([=](auto x) {
    auto y = w::graph_break(x, "count", count{});  // before the call that is computed again
    return w::checkpoint([](auto x) {
      auto y = square(w::sin(x));
      y = w::fori(
          3, [x](auto, auto s) { return w::graph_break(w::cos(s) * x, "step", count{}); }, y);
      return w::sum(w::graph_break(y * y, "count", count{}));
    })(y);
  });
}
