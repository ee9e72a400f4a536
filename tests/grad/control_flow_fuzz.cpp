// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <doctest/doctest.h>

#include <weft/capture/control.hpp>
#include <weft/grad/checkpoint.hpp>
#include <weft/grad/transforms.hpp>

#include "../support/control.hpp"

// Random nests of loops, conditions and derivatives against the same unrolled.
namespace w = weft;
using namespace weft_test;
using w::symbol;

namespace {

/// A function of a vector of three elements; its seed says which. With `flow` it uses control flow,
/// without it C++ loops.
struct random_program {
  std::uint64_t seed;
  int depth;
  bool flow;

  symbol operator()(symbol x) const {
    generator g(seed);
    return w::sum(block(g, depth, {x}));
  }

  using symbols = std::vector<symbol>;

  /// A bounded vector that follows from some in the pool.
  symbol block(generator& g, int level, symbols pool) const {
    const int statements = 1 + g.below(3);
    for (int k = 0; k < statements; ++k) {
      const auto any = [&] {
        return pool[static_cast<std::size_t>(g.below(static_cast<int>(pool.size())))];
      };
      const symbol a = any(), b = any();
      pool.push_back(statement(g, level, pool, a, b));
    }
    return w::sin(pool.back());
  }

  symbol statement(generator& g, int level, const symbols& pool, symbol a, symbol b) const {
    const int kind = level > 0 ? g.below(9) : g.below(3);
    const std::uint64_t inner = g.bits(), other = g.bits();
    const int steps = g.below(4);
    const bool yes = g.below(2) == 1;
    // A block of the pool and one value more.
    const auto of = [this, level, pool](std::uint64_t seed, symbol s) {
      generator h(seed);
      symbols inside = pool;
      inside.push_back(s);
      return block(h, level - 1, inside);
    };
    switch (kind) {
      case 0:
        return a * b + w::cos(a);
      case 1:
        return w::tanh(a) - b * 0.5;
      case 2:
        return w::exp(w::sin(a)) * w::sum(b * 0.3);
      case 3: {
        const auto step = [=](symbol i, symbol s) { return of(inner, s) * (i * 0.25 + 1.0); };
        if (flow)
          return w::fori(
              steps, [=](auto i, auto s) { return step(w::cast<double>(i), s); }, a);
        symbol s = a;
        for (int i = 0; i < steps; ++i) s = step(a.number(i), s);
        return s;
      }
      case 4: {
        const symbol predicate = w::sum(b * 0.0) > (yes ? -1.0 : 1.0);
        if (flow)
          return w::cond(
              predicate, [=](auto s) { return of(inner, s); }, [=](auto s) { return of(other, s); },
              a);
        return of(yes ? inner : other, a);
      }
      case 5: {
        const auto step = [=](symbol c, symbol x) {
          const symbol n = of(inner, c) + x;
          return std::tuple{n, w::sum(n * x)};
        };
        if (flow) {
          const auto [last, ys] = w::scan(step, a, b);
          return last * (w::sum(ys * ys) * 0.1 + 1.0);
        }
        symbol c = a, total = a.number(0);
        for (int i = 0; i < 3; ++i) {
          const auto [n, y] = step(c, w::sum(b.sliced(0, i, 1, 1)));
          c = n;
          total = total + y * y;
        }
        return c * (total * 0.1 + 1.0);
      }
      case 6: {
        const auto go = [yes](auto s) { return w::sum(s * 0.0) > (yes ? -1.0 : 1.0); };
        if (flow)
          return w::while_loop(
              go, [=](auto s) { return of(inner, s); }, a, w::max_steps<2>);
        symbol s = a;
        for (int i = 0; yes && i < 2; ++i) s = of(inner, s);
        return s;
      }
      case 7:
        return w::grad([=](auto s) { return w::sum(of(inner, s)); })(a);
      default:
        return w::checkpoint([=](auto s) { return of(inner, s) * s; })(a);
    }
  }
};

}  // namespace

TEST_CASE("control flow: random nests have the derivatives of what they stand for") {
  const auto x = vector_of({0.5, -0.25, 0.75});
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    const int depth = seed % 3 == 0 ? 2 : 1;
    CHECK(flow_difference(random_program{seed, depth, true}, random_program{seed, depth, false},
                          x) == "");
  }
}
