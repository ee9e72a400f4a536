// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/capture/control.hpp>
#include <weft/grad/checkpoint.hpp>
#include <weft/grad/transforms.hpp>

#include "values.hpp"

// Random nests of loops, conditions and derivatives, with control flow or unrolled.
namespace weft_test {

/// A function of a vector of three elements; its seed says which. With `flow` it uses control flow,
/// without it C++ loops.
struct random_program {
  std::uint64_t seed;
  int depth;
  bool flow;

  weft::symbol operator()(weft::symbol x) const {
    generator g(seed);
    return weft::sum(block(g, depth, {x}));
  }

  using symbols = std::vector<weft::symbol>;

  /// A bounded vector that follows from some in the pool.
  weft::symbol block(generator& g, int level, symbols pool) const {
    const int statements = 1 + g.below(3);
    for (int k = 0; k < statements; ++k) {
      const auto any = [&] {
        return pool[static_cast<std::size_t>(g.below(static_cast<int>(pool.size())))];
      };
      const weft::symbol a = any(), b = any();
      pool.push_back(statement(g, level, pool, a, b));
    }
    return weft::sin(pool.back());
  }

  weft::symbol statement(generator& g, int level, const symbols& pool, weft::symbol a,
                         weft::symbol b) const {
    const int kind = level > 0 ? g.below(9) : g.below(3);
    const std::uint64_t inner = g.bits(), other = g.bits();
    const int steps = g.below(4);
    const bool yes = g.below(2) == 1;
    // A block of the pool and one value more.
    const auto of = [this, level, pool](std::uint64_t seed, weft::symbol s) {
      generator h(seed);
      symbols inside = pool;
      inside.push_back(s);
      return block(h, level - 1, inside);
    };
    switch (kind) {
      case 0:
        return a * b + weft::cos(a);
      case 1:
        return weft::tanh(a) - b * 0.5;
      case 2:
        return weft::exp(weft::sin(a)) * weft::sum(b * 0.3);
      case 3: {
        const auto step = [=](weft::symbol i, weft::symbol s) {
          return of(inner, s) * (i * 0.25 + 1.0);
        };
        if (flow)
          return weft::fori(
              steps, [=](auto i, auto s) { return step(weft::cast<double>(i), s); }, a);
        weft::symbol s = a;
        for (int i = 0; i < steps; ++i) s = step(a.number(i), s);
        return s;
      }
      case 4: {
        const weft::symbol predicate = weft::sum(b * 0.0) > (yes ? -1.0 : 1.0);
        if (flow)
          return weft::cond(
              predicate, [=](auto s) { return of(inner, s); }, [=](auto s) { return of(other, s); },
              a);
        return of(yes ? inner : other, a);
      }
      case 5: {
        const auto step = [=](weft::symbol c, weft::symbol x) {
          const weft::symbol n = of(inner, c) + x;
          return std::tuple{n, weft::sum(n * x)};
        };
        if (flow) {
          const auto [last, ys] = weft::scan(step, a, b);
          return last * (weft::sum(ys * ys) * 0.1 + 1.0);
        }
        weft::symbol c = a, total = a.number(0);
        for (int i = 0; i < 3; ++i) {
          const auto [n, y] = step(c, weft::sum(b.sliced(0, i, 1, 1)));
          c = n;
          total = total + y * y;
        }
        return c * (total * 0.1 + 1.0);
      }
      case 6: {
        const auto go = [yes](auto s) { return weft::sum(s * 0.0) > (yes ? -1.0 : 1.0); };
        if (flow)
          return weft::while_loop(
              go, [=](auto s) { return of(inner, s); }, a, weft::max_steps<2>);
        weft::symbol s = a;
        for (int i = 0; yes && i < 2; ++i) s = of(inner, s);
        return s;
      }
      case 7:
        return weft::grad([=](auto s) { return weft::sum(of(inner, s)); })(a);
      default:
        return weft::checkpoint([=](auto s) { return of(inner, s) * s; })(a);
    }
  }
};

}  // namespace weft_test
