// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <doctest/doctest.h>

#include "../support/capture.hpp"
#include "../support/values.hpp"

// The oracle itself, against values worked out by hand.
namespace w = weft;
using namespace weft_test;
using weft::detail::reference_arithmetic;
using weft::detail::reference_evaluate;

namespace {

/// One op at run time, by its number.
template <class Op>
reference_value apply(std::vector<reference_value> x) {
  weft::detail::builder b;
  symbol s[3];
  for (std::size_t k = 0; k < x.size(); ++k) {
    value_spec v = spec(x[k].type);
    for (index_t e : x[k].shape) v.extent[v.rank++] = e;
    s[k] = weft::detail::make_argument(b, v, static_cast<int>(k));
  }
  b.g.outputs.push_back(pointwise(b, weft::detail::id_of<Op>, s, static_cast<int>(x.size())).id());
  return reference_evaluate(b.finished(), x)[0];
}

}  // namespace

TEST_CASE("reference: integers keep their dtype's width") {
  const auto u8 = [](std::vector<long double> v) { return vector_of(v, dtype::uint8); };
  CHECK(difference(apply<w::add_>({u8({200, 128}), u8({100, 128})}), {44, 0}) == "");
  CHECK(difference(apply<w::subtract_>({u8({3}), u8({5})}), {254}) == "");
  CHECK(difference(apply<w::negative_>({u8({1})}), {255}) == "");
  const auto i = [](std::vector<long double> v) { return vector_of(v, dtype::int32); };
  const long double least = -2147483648.0L;
  CHECK(difference(apply<w::divide_>({i({7, -7, 5, least}), i({2, 2, 0, -1})}),
                   {3, -3, 0, least}) == "");
  CHECK(difference(apply<w::floor_divide_>({i({-7, 7, 5}), i({2, -2, 0})}), {-4, -4, 0}) == "");
  CHECK(difference(apply<w::remainder_>({i({-7, 7, 5, least}), i({2, -2, 0, -1})}),
                   {1, -1, 5, 0}) == "");
  CHECK(difference(apply<w::abs_>({i({least, -3})}), {least, 3}) == "");
  CHECK(difference(apply<w::multiply_>({i({65536}), i({65536})}), {0}) == "");
  CHECK(difference(apply<w::shift_left_>({i({1, 1, -1}), i({31, 32, 70})}), {least, 0, 0}) == "");
  CHECK(difference(apply<w::shift_right_>({i({-8, -8, 8}), i({1, 40, 99})}), {-4, -1, 0}) == "");
  CHECK(difference(apply<w::less_>(
                       {vector_of({0}, dtype::uint32), vector_of({4294967295.0L}, dtype::uint32)}),
                   {1}) == "");
}

TEST_CASE("reference: NaN, ties and zeros of pointwise ops") {
  const auto f = [](std::vector<long double> v) { return vector_of(v, dtype::float32); };
  const tolerance exact{.signs = true};
  CHECK(difference(apply<w::maximum_>({f({-0.0, 0.0, qnan, 1}), f({0.0, -0.0, 1, qnan})}),
                   {0.0, 0.0, qnan, qnan}, exact) == "");
  CHECK(difference(apply<w::minimum_>({f({-0.0, 0.0, qnan, 1}), f({0.0, -0.0, 1, qnan})}),
                   {-0.0, -0.0, qnan, qnan}, exact) == "");
  CHECK(difference(apply<w::sign_>({f({-0.0, qnan, -3, inf})}), {-0.0, qnan, -1, 1}, exact) == "");
  CHECK(difference(apply<w::relu_>({f({-1, qnan, 2})}), {0, qnan, 2}) == "");
  CHECK(difference(apply<w::remainder_>({f({1e10f, 1}), f({1e-20f, 0})}), {2.64e-21L, qnan},
                   {.relative = 1e-2}) == "");
  CHECK(difference(apply<w::floor_divide_>({vector_of({1.0}), vector_of({0.1})}), {9}) == "");
  CHECK(difference(apply<w::mul_zero_>({f({0, 0, 2}), f({inf, qnan, inf})}), {0, 0, inf}) == "");
  CHECK(difference(apply<w::sigmoid_>({f({0, -1000, 1000})}), {0.5, 0, 1}) == "");
  CHECK(difference(apply<w::where_>({vector_of({1, 0}, dtype::boolean), f({1, 2}), f({qnan, 4})}),
                   {1, 4}) == "");
}

TEST_CASE("reference: casts truncate, saturate and round") {
  const auto cast = [](dtype from, dtype to, std::vector<long double> v) {
    return reference_evaluate(
        capture(spec(from, {static_cast<index_t>(v.size())}), [to](auto x) { return x.as(to); }),
        {vector_of(v, from)})[0];
  };
  CHECK(difference(cast(dtype::float32, dtype::int32, {2.9, -2.9, 1e20, -1e20, qnan, inf}),
                   {2, -2, 2147483647.0L, -2147483648.0L, 0, 2147483647.0L}) == "");
  CHECK(difference(cast(dtype::float64, dtype::uint8, {-1, 256, 255.9, qnan}), {0, 255, 255, 0}) ==
        "");
  CHECK(difference(cast(dtype::int32, dtype::uint8, {256, -1, 300}), {0, 255, 44}) == "");
  CHECK(difference(cast(dtype::float32, dtype::boolean, {0, -0.0, 0.5, qnan}), {0, 0, 1, 1}) == "");
  CHECK(difference(cast(dtype::int32, dtype::float32, {16777217}), {16777216}) == "");
  CHECK(difference(cast(dtype::float64, dtype::float32, {1 + 0x1p-30L}), {1}) == "");
}

TEST_CASE("reference: floats keep more digits than their dtype, or exactly its own") {
  const auto g = capture(f32(), [](auto x) { return x * x * x; });
  const auto x = scalar(1e20f, dtype::float32);
  CHECK(reference_evaluate(g, {x})[0][0] == doctest::Approx(1e60).epsilon(1e-6));
  CHECK(reference_evaluate(g, {x}, reference_arithmetic::own)[0][0] == inf);
  const auto h = capture(f64(), [](auto x) { return w::exp(x); });
  CHECK(reference_evaluate(h, {scalar(1000)})[0][0] < inf);
  CHECK(reference_evaluate(h, {scalar(1000)}, reference_arithmetic::own)[0][0] == inf);
}

TEST_CASE("reference: reductions") {
  const auto x = values(dtype::float32, {2, 3}, {1, 5, 5, -0.0, qnan, 2});
  const auto reduced = [&](auto f) { return reference_evaluate(capture(f32({2, 3}), f), {x})[0]; };
  CHECK(difference(reduced([](auto s) { return w::max(s, w::axis<1>); }), {5, qnan}) == "");
  CHECK(difference(reduced([](auto s) { return w::min(s, w::axis<0>); }), {-0.0, qnan, 2},
                   {.signs = true}) == "");
  CHECK(difference(reduced([](auto s) { return w::sum(s, w::axis<0>, w::keepdims); }),
                   {1, qnan, 7}) == "");
  CHECK(difference(reduced([](auto s) {
                     return make_node<weft::detail::arg_max_>(s.builder(), dtype::int64,
                                                              {2, {2, 1}}, {{1}}, s);
                   }),
                   {1, 1}) == "");
  CHECK(difference(reduced([](auto s) {
                     return make_node<weft::detail::arg_min_>(s.builder(), dtype::int64,
                                                              {2, {2, 1}}, {{1}}, s);
                   }),
                   {0, 1}) == "");
  const auto ones = values(dtype::uint8, {1000}, std::vector<long double>(1000, 1));
  const auto sum = reference_evaluate(
      capture(spec(dtype::uint8, {1000}), [](auto s) { return w::sum(s); }), {ones})[0];
  CHECK(sum.type == dtype::uint64);
  CHECK(difference(sum, {1000}) == "");
  const auto empty = capture(f32({0}), [](auto s) { return std::tuple{w::sum(s), w::mean(s)}; });
  const auto r = reference_evaluate(empty, {vector_of({}, dtype::float32)});
  CHECK(difference(r[0], {0}) == "");
  CHECK(difference(r[1], {qnan}) == "");
}

TEST_CASE("reference: views, products, concatenation") {
  const auto x = values(dtype::float32, {2, 3}, {1, 2, 3, 4, 5, 6});
  const auto of = [&](auto f) { return reference_evaluate(capture(f32({2, 3}), f), {x})[0]; };
  CHECK(difference(of([](auto s) { return w::transpose(s); }), {1, 4, 2, 5, 3, 6}) == "");
  CHECK(difference(of([](auto s) { return s.sliced(1, 2, -1, 3); }), {3, 2, 1, 6, 5, 4}) == "");
  CHECK(difference(
            of([](auto s) { return s.sliced(1, 0, 2, 2).padded_like(s, s.sliced(1, 0, 2, 2)); }),
            {1, 0, 3, 4, 0, 6}) == "");
  CHECK(difference(of([](auto s) {
                     return s.reshaped(weft::detail::shape_of{1, {6}});
                   }),
                   {1, 2, 3, 4, 5, 6}) == "");
  CHECK(difference(of([](auto s) { return w::matmul(s, w::transpose(s)); }), {14, 32, 32, 77}) ==
        "");
  CHECK(difference(of([](auto s) { return w::concat(w::axis<1>, s, s.sliced(1, 1, 1, 1)); }),
                   {1, 2, 3, 2, 4, 5, 6, 5}) == "");
  CHECK(difference(of([](auto s) { return w::sum(s, w::axis<0>).broadcast_to(s); }),
                   {5, 7, 9, 5, 7, 9}) == "");
  CHECK(difference(
            of([](auto s) {
              return make_node<weft::detail::iota_>(s.builder(), dtype::uint64, {2, {2, 2}}, {{0}});
            }),
            {0, 0, 1, 1}) == "");
}

TEST_CASE("reference: take counts from the end, and refuses what is out of range") {
  const value_spec specs[]{f32({3, 2}), i32({3})};
  const auto g = capture(specs, [](auto x, auto i) {
    const auto y = w::take(x, i);
    return std::tuple{y, y.scattered(x, i, 0)};
  });
  const auto x = values(dtype::float32, {3, 2}, {1, 2, 3, 4, 5, 6});
  const auto r = reference_evaluate(g, {x, vector_of({0, -1, 0}, dtype::int32)});
  CHECK(difference(r[0], {1, 2, 5, 6, 1, 2}) == "");
  CHECK(difference(r[1], {2, 4, 0, 0, 5, 6}) == "");
  CHECK_THROWS_AS(reference_evaluate(g, {x, vector_of({0, 3, 0}, dtype::int32)}), w::index_error);
  CHECK_THROWS_WITH(reference_evaluate(g, {x, vector_of({0, -4, 0}, dtype::int32)}),
                    "weft: take: index -4 is out of range for axis 0 with extent 3");
}

TEST_CASE("reference: open extents and guards") {
  const value_spec specs[]{f32({w::dyn, w::dyn}), f32({w::dyn})};
  const auto f = [](auto x, auto y) { return std::tuple{w::mean(x), x + y, w::matmul(x, y)}; };
  const auto x = values(dtype::float32, {2, 2}, {1, 2, 3, 4}),
             y = vector_of({1, 1}, dtype::float32);
  const auto r = reference_evaluate(capture(specs, f), {x, y});
  CHECK(difference(r[0], {2.5}) == "");
  CHECK(difference(r[1], {2, 3, 4, 5}) == "");
  CHECK(difference(r[2], {3, 7}) == "");
  CHECK_THROWS_AS(reference_evaluate(capture(specs, f), {x, vector_of({1, 2, 3}, dtype::float32)}),
                  w::shape_error);
  CHECK_THROWS_AS(reference_evaluate(capture(specs, f), {x}), w::shape_error);
  CHECK_THROWS_AS(reference_evaluate(capture(specs, f), {x, vector_of({1, 1})}), w::dtype_error);
  const auto add = [](auto a, auto b) { return a + b; };
  const auto one = vector_of({10}, dtype::float32);
  CHECK(difference(reference_evaluate(capture(specs, add, true), {x, one})[0], {11, 12, 13, 14}) ==
        "");
  // The plan for equal extents does not take one that broadcasts at the call.
  CHECK_THROWS_AS(reference_evaluate(capture(specs, add), {x, one}), w::shape_error);
  CHECK_THROWS_AS(reference_evaluate(capture(f32({w::dyn}), [](auto s) { return w::max(s); }),
                                     {vector_of({}, dtype::float32)}),
                  w::shape_error);
}

TEST_CASE("reference: random words are those of Philox, for values and for child keys") {
  const value_spec specs[]{spec(dtype::uint32), spec(dtype::uint64, {4})};
  const auto g = capture(specs, [](auto key, auto i) { return key.random_word(key, i); });
  reference_value i(dtype::uint64, {4});
  i.bits = {0, 5, std::uint64_t{1} << 40, (std::uint64_t{1} << 63) | 1};
  const auto r = reference_evaluate(g, {scalar(7, dtype::uint32), i})[0];
  const w::philox_key key{7, 7};
  for (std::size_t k = 0; k < 3; ++k) CHECK(r.bits[k] == w::random_word(key, i.bits[k]));
  CHECK(r.bits[3] == w::split(key, 0).hi);
}
