// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <doctest/doctest.h>

#include <weft/capture/control.hpp>
#include <weft/grad/checkpoint.hpp>
#include <weft/grad/transforms.hpp>

#include "../support/control.hpp"

// Control flow inside control flow, under checkpoint, and with derivatives taken inside bodies.
namespace w = weft;
using namespace weft_test;
using w::symbol;

namespace {
const auto x2 = vector_of({0.5, 0.25});
}

TEST_CASE("control flow: a loop in a loop, closing over both") {
  const auto step = [](auto x, auto s, auto t) { return w::sin(t * s) + x; };
  CHECK(flow_difference(
            [=](auto x) {
              return w::sum(w::fori(
                  3,
                  [=](auto, auto s) {
                    return w::fori(
                        2, [=](auto, auto t) { return step(x, s, t); }, s);
                  },
                  x));
            },
            [=](auto x) {
              auto s = x;
              for (int i = 0; i < 3; ++i) {
                auto t = s;
                for (int j = 0; j < 2; ++j) t = step(x, s, t);
                s = t;
              }
              return w::sum(s);
            },
            x2) == "");
}

TEST_CASE("control flow: a condition in a loop, a loop in a condition") {
  // The sign of the state alternates.
  CHECK(flow_difference(
            [](auto x) {
              return w::sum(w::fori(
                  4,
                  [=](auto, auto s) {
                    return w::cond(
                        w::sum(s) > 0.0, [=](auto a) { return w::sin(a) * x - 1.0; },
                        [=](auto a) { return a * a + x; }, s);
                  },
                  x));
            },
            [](auto x) {
              auto s = x;
              double a = 0.5, b = 0.25;
              for (int i = 0; i < 4; ++i) {
                if (a + b > 0) {
                  s = w::sin(s) * x - 1.0;
                  a = std::sin(a) * 0.5 - 1, b = std::sin(b) * 0.25 - 1;
                } else {
                  s = s * s + x;
                  a = a * a + 0.5, b = b * b + 0.25;
                }
              }
              return w::sum(s);
            },
            x2) == "");
  CHECK(flow_difference(
            [](auto x) {
              return w::cond(
                  w::sum(x) > 0.0,
                  [=](auto a) {
                    return w::sum(w::fori(
                        3, [=](auto, auto s) { return w::sin(s) * x; }, a));
                  },
                  [](auto a) { return w::sum(a); }, x * 2.0);
            },
            [](auto x) {
              auto s = x * 2.0;
              for (int i = 0; i < 3; ++i) s = w::sin(s) * x;
              return w::sum(s);
            },
            x2) == "");
}

TEST_CASE("control flow: a bounded while_loop in a scan") {
  CHECK(flow_difference(
            [](auto x) {
              const auto [last, ys] = w::scan(
                  [](auto c, auto a) {
                    const auto n =
                        w::while_loop([](auto s) { return s < 1.9; },
                                      [=](auto s) { return s * 2.0 + a; }, c, w::max_steps<5>);
                    return std::tuple{n * 0.25, n * n};
                  },
                  w::sum(x), x);
              return last + w::sum(ys);
            },
            [](auto x) {
              // 0.75 -> 2.0 -> 0.5 -> 1.25 -> 2.75
              const auto a = w::sum(x.sliced(0, 0, 1, 1)), b = w::sum(x.sliced(0, 1, 1, 1));
              const auto n = w::sum(x) * 2.0 + a;
              const auto m = (n * 0.25 * 2.0 + b) * 2.0 + b;
              return m * 0.25 + n * n + m * m;
            },
            x2) == "");
}

TEST_CASE("control flow: a checkpointed body computes again and has the same derivatives") {
  const auto body = [](auto c, auto a) {
    const auto n = w::sin(c * a) + w::exp(c * 0.5);
    return std::tuple{n, w::tanh(n) * a};
  };
  const auto of = [=](auto step) {
    return [=](auto x) {
      const auto [last, ys] = w::scan(step, w::sum(x), x);
      return last * w::sum(ys);
    };
  };
  const auto unrolled = [=](auto x) {
    auto c = w::sum(x), total = x.number(0);
    for (int k = 0; k < 2; ++k) {
      const auto [n, y] = body(c, w::sum(x.sliced(0, k, 1, 1)));
      c = n;
      total = total + y;
    }
    return c * total;
  };
  CHECK(flow_difference(of(w::checkpoint(body)), unrolled, x2) == "");
  // Around a whole loop, too.
  CHECK(flow_difference(w::checkpoint(of(body)), unrolled, x2) == "");

  // It stacks the carries and not what follows from them.
  const value_spec specs[]{f64({8})};
  const graph kept = capture(specs, w::grad(of(body))),
              again = capture(specs, w::grad(of(w::checkpoint(body))));
  const auto stacks = [](const graph& g) {
    int n = 0;
    for (const auto& x : g.nodes)
      n += x.op == weft::detail::id_of<weft::detail::result_> && x.shape.rank == 1;
    return n;
  };
  CHECK(stacks(again) < stacks(kept));
}

TEST_CASE("control flow: derivatives taken inside a body") {
  const auto energy = [](auto x) { return w::sum(w::cos(x) * x); };
  CHECK(flow_difference(
            [=](auto x) {
              return energy(w::fori(
                  3, [=](auto, auto s) { return s - w::grad(energy)(s) * 0.1 * x; }, x));
            },
            [=](auto x) {
              auto s = x;
              for (int i = 0; i < 3; ++i) s = s - w::grad(energy)(s) * 0.1 * x;
              return energy(s);
            },
            x2) == "");
  CHECK(flow_difference(
            [=](auto x) {
              return w::sum(w::fori(
                  2,
                  [=](auto, auto s) {
                    return w::grad([=](auto a) {
                      return w::sum(w::fori(
                          2, [=](auto, auto t) { return w::sin(t) * a; }, x));
                    })(s);
                  },
                  x));
            },
            [=](auto x) {
              auto s = x;
              for (int i = 0; i < 2; ++i)
                s = w::grad([=](auto a) { return w::sum(w::sin(w::sin(x) * a) * a); })(s);
              return w::sum(s);
            },
            x2) == "");
}

TEST_CASE("control flow: forward mode of a while_loop without a bound") {
  const auto f = [](auto x) {
    return w::while_loop([](auto s) { return w::sum(s) < 10.0; },
                         [x](auto s) { return s * s + x + 1.0; }, x);
  };
  const auto u = [](auto x) {
    auto s = x;
    for (int i = 0; i < 3; ++i) s = s * s + x + 1.0;
    return s;
  };
  const auto v = vector_of({-0.75, 1.5});
  const auto found = results(w::jvp(f), x2, v), expected = results(w::jvp(u), x2, v);
  CHECK(difference(found[0], expected[0]) == "");
  CHECK(difference(found[1], expected[1], {.relative = 1e-15}) == "");
  // Twice.
  const auto twice = [](auto g) {
    return [g](auto x, auto v) {
      return std::get<1>(w::jvp([g, v](auto y) { return std::get<1>(w::jvp(g)(y, v)); })(x, v));
    };
  };
  CHECK(difference(result(twice(f), x2, v), result(twice(u), x2, v), {.relative = 1e-14}) == "");
}

TEST_CASE("control flow: a rule of its own under checkpoint, differentiated twice in a body") {
  const auto x = vector_of({0.5, -0.25, 0.75});
  const auto inner = weft::checkpoint([](auto s) {
    return weft::sin(weft::softmax(s * 2.0) + weft::mean(s) * weft::square(s)) * s;
  });
  const auto flow = [inner](auto x) {
    const auto y = weft::cond(
        weft::sum(x * 0.0) > -1.0, inner, [](auto s) { return s; }, x);
    return weft::sum(weft::fori(
        2, [inner](auto, auto s) { return inner(s) + s; }, y));
  };
  const auto unrolled = [inner](auto x) {
    auto y = inner(x);
    for (int i = 0; i < 2; ++i) y = inner(y) + y;
    return weft::sum(y);
  };
  CHECK(flow_difference(flow, unrolled, x) == "");
}
