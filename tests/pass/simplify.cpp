// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <doctest/doctest.h>

#include <weft/graph/print.hpp>
#include <weft/graph/verify.hpp>
#include <weft/pass/pipeline.hpp>

#include "../support/capture.hpp"

// Each rule, and each rewriting that IEEE arithmetic forbids.
namespace w = weft;
using namespace weft_test;

namespace {

constexpr int turn[]{1, 2, 0};

template <class F>
graph simplified(const value_spec& s, F f) {
  const graph before = capture(s, f);
  CHECK(before.error.empty());
  const graph g = weft::detail::canonical(weft::detail::simplify(before));
  CHECK(std::string(verify(g).view()) == "");
  return g;
}
/// The result is the argument itself.
template <class F>
bool vanishes(const value_spec& s, F f) {
  const graph g = simplified(s, f);
  return g.size() == 1 && g.nodes[0].op == weft::detail::id_of<weft::detail::argument_>;
}
/// An op is still there.
template <class Op, class F>
bool stays(const value_spec& s, F f) {
  return count_of<Op>(simplified(s, f)) > 0;
}

}  // namespace

TEST_CASE("simplify: what is exact for every IEEE input goes") {
  CHECK(vanishes(f32({3}), [](auto x) { return x * 1.0f; }));
  CHECK(vanishes(f32({3}), [](auto x) { return 1.0f * x; }));
  CHECK(vanishes(f64(), [](auto x) { return x / 1.0; }));
  CHECK(vanishes(f32({3}), [](auto x) { return x - 0.0f; }));
  CHECK(vanishes(f32({3}), [](auto x) { return x + -0.0f; }));
  CHECK(vanishes(f32({3}), [](auto x) { return -0.0f + x; }));
  CHECK(vanishes(f32({3}), [](auto x) { return -(-x); }));
  CHECK(vanishes(i32({3}), [](auto x) { return x + 0; }));
  CHECK(vanishes(i32({3}), [](auto x) { return (x - 0) * 1 / 1; }));
}

TEST_CASE("simplify: what loses a sign, a NaN or a rounding stays") {
  CHECK(stays<w::add_>(f32({3}), [](auto x) { return x + 0.0f; }));
  CHECK(stays<w::add_>(f32({3}), [](auto x) { return 0.0f + x; }));
  CHECK(stays<w::subtract_>(f32({3}), [](auto x) { return x - -0.0f; }));
  CHECK(stays<w::subtract_>(f32({3}), [](auto x) { return 0.0f - x; }));
  CHECK(stays<w::multiply_>(f32({3}), [](auto x) { return x * 0.0f; }));
  CHECK(stays<w::subtract_>(f32({3}), [](auto x) { return x - x; }));
  CHECK(stays<w::divide_>(f32({3}), [](auto x) { return x / x; }));
  CHECK(stays<w::divide_>(f32({3}), [](auto x) { return x / 3.0f; }));
  CHECK(stays<w::subtract_>(f32({3}), [](auto x) { return (x + 1.0f) - 1.0f; }));
  CHECK(stays<w::divide_>(f32({3}), [](auto x) { return x * 3.0f / 3.0f; }));
  CHECK(stays<w::multiply_>(f32({3}), [](auto x) { return -1.0f * x; }));
  CHECK(stays<w::divide_>(i32({3}), [](auto x) { return x / x; }));
  CHECK(count_of<weft::detail::cast_>(
            simplified(f64({3}), [](auto x) { return w::cast<double>(w::cast<float>(x)); })) == 2);
  CHECK(count_of<w::multiply_>(simplified(f32({3}), [](auto x) { return w::max(x * 2.0f); })) == 1);
  CHECK(count_of<w::multiply_>(simplified(f32({3}), [](auto x) { return (x * 2.0f) * 3.0f; })) ==
        2);
}

TEST_CASE("simplify: views of views, and reductions over unit axes") {
  CHECK(vanishes(f32({2, 3}), [](auto x) { return w::transpose(w::transpose(x)); }));
  CHECK(vanishes(f32({2, 3}), [](auto x) {
    return x.reshaped(weft::detail::shape_of{1, {6}}).reshaped(weft::detail::shape_of{2, {2, 3}});
  }));
  CHECK(vanishes(f32({2, 1}), [](auto x) { return w::max(x, w::axis<1>, w::keepdims); }));
  // A sum of one element begins with 0, which a single -0 does not survive.
  CHECK(stays<w::add_>(f32({2, 1}), [](auto x) { return w::sum(x, w::axis<1>, w::keepdims); }));
  CHECK(vanishes(f32({2, 3}), [](auto x) { return w::cast<float>(x); }));
  const graph g = simplified(f32({3}), [](auto x) {
    return x.broadcast_to({2, {2, 3}}).broadcast_to({3, {4, 2, 3}});
  });
  CHECK(count_of<weft::detail::broadcast_>(g) == 1);
  CHECK(vanishes(f32({2, 3, 4}),
                 [](auto x) { return x.permuted(turn).permuted(turn).permuted(turn); }));
  CHECK(stays<weft::detail::permute_>(f32({2, 3, 4}),
                                      [](auto x) { return x.permuted(turn).permuted(turn); }));
  CHECK(stays<weft::detail::reduce_sum_>(f32({2, 1}), [](auto x) { return w::sum(x); }));
}

TEST_CASE("simplify: constants fold with one rounding, and never to infinity or NaN") {
  const auto folded = [](const value_spec& s, auto f) {
    const graph g = simplified(s, f);
    return g.nodes.back().op == weft::detail::id_of<weft::detail::constant_>
               ? number_text(g.nodes.back())
               : "";
  };
  CHECK(folded(f32(), [](auto x) { return x.number(0.1) + x.number(0.2); }) == "0.3");
  CHECK(folded(f64(), [](auto x) { return x.number(0.1) + x.number(0.2); }) ==
        "0.30000000000000004");
  CHECK(folded(f32(), [](auto x) { return x.number(1) / x.number(3); }) == "0.33333334");
  CHECK(folded(f32(), [](auto x) { return x.number(1) / x.number(0); }) == "");
  CHECK(folded(f32(), [](auto x) { return x.number(3e38) * x.number(3e38); }) == "");
  CHECK(folded(f32(), [](auto x) { return w::exp(x.number(1)); }) == "");
}

TEST_CASE("simplify: comparisons of numbers, and what they no longer decide") {
  // clamp asks whether its bounds are NaN.
  const graph g = simplified(f32({3}), [](auto x) { return w::clamp(x, -1.0f, 1.0f); });
  CHECK(count_of<weft::not_equal_>(g) == 0);
  CHECK(count_of<weft::bitwise_or_>(g) == 0);
  CHECK(count_of<weft::where_>(g) == 2);
  CHECK(vanishes(i32({3}), [](auto x) { return (x | 0) | 0; }));
  CHECK(stays<weft::bitwise_or_>(i32({3}), [](auto x) { return x | 1; }));
  const graph nan = simplified(
      f32({3}), [](auto x) { return w::clamp(x, -1.0f, std::numeric_limits<float>::quiet_NaN()); });
  CHECK(count_of<weft::not_equal_>(nan) == 0);
  CHECK(count_of<weft::bitwise_or_>(nan) == 1);
}

TEST_CASE("simplify: a protected product") {
  const auto mul_zero = [](symbol g, symbol d) {
    symbol x[]{g, d};
    return pointwise(g.builder(), weft::detail::id_of<w::mul_zero_>, x, 2);
  };
  CHECK(vanishes(f32(), [&](auto d) { return mul_zero(d.number(1), d); }));
  CHECK(stays<w::multiply_>(f32(), [&](auto d) { return mul_zero(d.number(2), d); }));
  CHECK(stays<w::multiply_>(f32(), [&](auto g) { return mul_zero(g, g.number(2)); }));
  CHECK(stays<w::mul_zero_>(f32(), [&](auto g) { return mul_zero(g, g.number(HUGE_VAL)); }));
  CHECK(stays<w::mul_zero_>(f32(), [&](auto g) { return mul_zero(g, w::exp(g)); }));
  // 0 of either sign times a derivative that may be infinite is 0, not a product.
  for (const double zero : {0.0, -0.0})
    CHECK(!stays<w::multiply_>(f32(), [&](auto d) { return mul_zero(d.number(zero), d); }));
}
