// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "interpret_check.hpp"

#include <weft/cpu/interpret_kernel.hpp>
#include <weft/graph/print.hpp>
#include <weft/pass/pipeline.hpp>

#include <doctest/doctest.h>

#include <support/random_graph.hpp>

#include <limits>

// Chains of simple ops that the interpreter runs in registers: rows here are long enough for the
// blocks of eight vectors, and have a rest behind them.
using namespace weft_test;

namespace {

namespace wd = weft::detail;

/// Random pointwise graphs of long rows: mostly ops of chains, now and then another one.
class random_chains {
 public:
  random_chains(std::uint64_t seed, index_t n) : random_(seed) {
    for (dtype t : {dtype::float32, dtype::float32, dtype::float64, dtype::int32, dtype::int64,
                    dtype::boolean})
      argument(spec(t, {3, n}));
    argument(f32({n}));
    for (dtype t : {dtype::float32, dtype::float64, dtype::int32, dtype::int64, dtype::boolean})
      argument(spec(t, {}));
    for (int i = 0; i < 30; ++i) step();
  }
  graph finished() {
    for (const symbol& s : pool_)
      if (random_.below(5) == 0 || s.id() == pool_.back().id()) b_.g.outputs.push_back(s.id());
    return b_.finished();
  }
  std::vector<reference_value> arguments(std::uint64_t seed) const {
    std::vector<reference_value> r;
    for (const value_spec& s : specs_)
      r.push_back(filled(s.type, {s.extent, s.extent + s.rank}, seed++, -3, 3));
    return r;
  }

 private:
  void argument(const value_spec& s) {
    specs_.push_back(s);
    pool_.push_back(wd::make_argument(b_, s, static_cast<int>(specs_.size()) - 1));
  }
  template <class... Op>
  wd::op_id one_of(wd::type_list<Op...>) {
    static constexpr wd::op_id all[]{wd::id_of<Op>...};
    return all[random_.below(static_cast<int>(sizeof...(Op)))];
  }
  /// Operands are rather young, so that long chains arise.
  symbol any(dtype t) {
    for (int tries = 0; tries < 40; ++tries) {
      const int size = static_cast<int>(pool_.size());
      const int age = random_.below(2) ? random_.below(size) : random_.below(std::min(size, 4));
      const symbol s = pool_[static_cast<std::size_t>(size - 1 - age)];
      if (s.type() == t) return s;
    }
    return {};
  }
  void step() {
    const wd::op_id op = random_.below(8) ? one_of(wd::chain_ops{})
                                          : one_of(wd::type_list<weft::exp_, weft::sigmoid_>{});
    const wd::op_info& f = wd::info(op);
    static constexpr dtype types[]{dtype::float32, dtype::float32, dtype::float64,
                                   dtype::int32,   dtype::int64,   dtype::boolean};
    const dtype t = types[random_.below(6)];
    if (!takes(f, t)) return step();
    symbol x[3];
    for (int k = 0; k < f.arity; ++k) {
      const bool condition = f.types == wd::typing::select && k == 0;
      x[k] = any(condition ? dtype::boolean : t);
      if (x[k].id() < 0) return;
    }
    pool_.push_back(wd::pointwise(b_, op, x, f.arity));
  }

  wd::builder b_;
  generator random_;
  std::vector<value_spec> specs_;
  std::vector<symbol> pool_;
};

/// The chains of the only kernel of a graph.
std::vector<wd::tile_chain> chains_of(const graph& g) {
  const auto p = wd::interpreted(wd::make_plan(wd::optimised(g)));
  REQUIRE(p->planned().kernels.size() == 1);
  return static_cast<const wd::tile_code*>(p->code().interpreted[0])->passes[0].chains;
}
graph capture(auto f) {
  wd::builder b;
  symbol x[3];
  for (int k = 0; k < 3; ++k) x[k] = wd::make_argument(b, f32({weft::dyn}), k);
  b.g.outputs.push_back(f(x[0], x[1], x[2]).id());
  return b.finished();
}

}  // namespace

TEST_CASE("interpreted chains: random graphs of simple ops have the reference's values") {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    static constexpr index_t lengths[]{131, 300, 1300, 64};
    random_chains r(seed, lengths[seed % 4]);
    const graph g = wd::optimised(r.finished());
    const auto x = r.arguments(seed);
    const auto wanted = reference_evaluate(g, x, wd::reference_arithmetic::own);
    const auto exact = reference_evaluate(g, x, wd::reference_arithmetic::wide);
    const auto found = run_interpreted(g, x);
    for (std::size_t j = 0; j < found.size(); ++j) {
      CAPTURE(j);
      // Where a rounding changes the result, as in exp(exp(x)), so does that of exp.
      if (!difference(exact[j], wanted[j], {.ulp = 4, .relative = 1e-5, .absolute = 1e-6}).empty())
        continue;
      const std::string d =
          difference(found[j], wanted[j], {.ulp = 4, .relative = 1e-3, .absolute = 1e-4});
      REQUIRE_MESSAGE(d == "", d << "\n" << to_text(g));
      ++compared;
    }
  }
  CHECK(compared > 1500);
}

namespace {

/// Random steps of two ops, on rows with a rest behind the blocks: the operands are the chain,
/// another value that is computed, a tile of memory or a splat. make(op, of, random) builds the
/// step.
template <class Make>
void check_steps(int count, Make make) {
  generator random(7);
  for (int n = 0; n < count; ++n) {
    CAPTURE(n);
    static constexpr dtype types[]{dtype::float32, dtype::float64, dtype::int32, dtype::int64};
    const dtype t = types[n % 4];
    const index_t length = n % 3 == 0 ? 1300 : 131 + n % 70;
    wd::builder b;
    const value_spec specs[]{spec(t, {length}), spec(t, {length}), spec(t, {})};
    symbol x[3];
    for (int k = 0; k < 3; ++k) x[k] = wd::make_argument(b, specs[k], k);
    auto op = [&](wd::op_id o, std::initializer_list<symbol> in) {
      symbol all[3];
      std::copy(in.begin(), in.end(), all);
      return wd::pointwise(b, o, all, static_cast<int>(in.size()));
    };
    const symbol sum = op(wd::id_of<weft::add_>, {x[0], x[1]});
    const symbol product = op(wd::id_of<weft::multiply_>, {x[0], x[2]});
    const symbol values[]{sum, product, x[1], x[2]};
    symbol of[4];
    for (symbol& v : of) v = values[random.below(4)];
    const symbol step = make(op, of, random, t);
    b.g.outputs.push_back(op(wd::id_of<weft::maximum_>, {step, x[0]}).id());
    if (random.below(4) == 0) b.g.outputs.push_back(sum.id());
    const graph g = wd::optimised(b.finished());
    std::vector<reference_value> arguments;
    for (const value_spec& s : specs)
      arguments.push_back(filled(s.type, {s.extent, s.extent + s.rank},
                                 static_cast<std::uint64_t>(n) + arguments.size(), -3, 3));
    if (weft::is_floating(t)) {
      arguments[0].reals[5] = std::numeric_limits<long double>::quiet_NaN();
      arguments[1].reals[70] = std::numeric_limits<long double>::quiet_NaN();
    }
    const auto wanted = reference_evaluate(g, arguments, wd::reference_arithmetic::own);
    const auto found = run_interpreted(g, arguments);
    for (std::size_t j = 0; j < found.size(); ++j)
      REQUIRE_MESSAGE(difference(found[j], wanted[j]) == "", to_text(g));
  }
}

}  // namespace

TEST_CASE("interpreted chains: selections by a comparison of and from anything") {
  check_steps(600, [](auto& op, const symbol* of, generator& random, dtype) {
    constexpr wd::op_id comparisons[]{wd::id_of<weft::less_>,    wd::id_of<weft::less_equal_>,
                                      wd::id_of<weft::greater_>, wd::id_of<weft::greater_equal_>,
                                      wd::id_of<weft::equal_>,   wd::id_of<weft::not_equal_>};
    const symbol which = op(comparisons[random.below(6)], {of[0], of[1]});
    return op(wd::id_of<weft::where_>, {which, of[2], of[3]});
  });
}

TEST_CASE("interpreted chains: x * y + z with a negative operand") {
  check_steps(300, [](auto& op, const symbol* of, generator& random, dtype t) {
    if (!weft::is_floating(t)) return op(wd::id_of<weft::negative_>, {of[0]});
    symbol x[]{of[0], of[1], of[2]};
    symbol& one = x[random.below(3)];
    one = op(wd::id_of<weft::negative_>, {one});
    return op(wd::id_of<weft::fma_>, {x[0], x[1], x[2]});
  });
}

TEST_CASE("interpreted chains: what is read by nothing else may be one step with its reader") {
  const auto chosen = chains_of(
      capture([](auto a, auto b, auto c) { return weft::where(a > b, a - c, b * c) + a; }));
  REQUIRE(chosen.size() == 1);
  CHECK(chosen[0].end - chosen[0].begin == 5);
  // The difference, which is left behind; the product, the selection, the sum, which is stored.
  CHECK(chosen[0].parts.size() == 6);

  const auto negative =
      chains_of(capture([](auto a, auto b, auto c) { return weft::abs(a * b - c); }));
  REQUIRE(negative.size() == 1);
  CHECK(negative[0].end - negative[0].begin == 3);
  CHECK(negative[0].parts.size() == 3);
}

TEST_CASE("interpreted chains: what is beside a chain is run within it") {
  const auto chains = chains_of(capture([](auto a, auto b, auto c) {
    auto y = (a - b) * c;
    y = weft::maximum(y, a) - b * 0.5f;
    y = y / (c + 3.0f);
    return weft::where(y > b, weft::minimum(y * y, b), c - 1.0f) - a;
  }));
  REQUIRE(chains.size() == 1);
  CHECK(chains[0].end - chains[0].begin == 13);
}

TEST_CASE("interpreted chains: truth values that others read stay out of them") {
  const auto kept = chains_of(capture([](auto a, auto b, auto c) {
    const auto m = weft::logical_and(a > b, b > c);
    return weft::where(m, a * b, b - c) + weft::cast<float>(m);
  }));
  // Neither the comparisons nor what takes them: the products and sums alone.
  for (const wd::tile_chain& c : kept) CHECK(c.end - c.begin == 2);
}
