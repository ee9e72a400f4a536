// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <doctest/doctest.h>

#include <weft/graph/verify.hpp>
#include <weft/pass/pipeline.hpp>

#include "../support/capture.hpp"
#include "../support/values.hpp"

// FMA only where the graph says so: a product with one use that feeds an addition.
namespace w = weft;
using namespace weft_test;

namespace {

constexpr value_spec four_scalars[]{f32(), f32(), f32(), f32()};

template <class F>
graph contracted(F f) {
  const graph g = weft::detail::optimised(capture(four_scalars, f));
  CHECK(std::string(verify(g).view()) == "");
  return g;
}
template <class F>
int fmas(F f) {
  return count_of<w::fma_>(contracted(f));
}
template <class F>
long double value(F f, double a, double b, double c) {
  const std::vector<reference_value> x{scalar(a, dtype::float32), scalar(b, dtype::float32),
                                       scalar(c, dtype::float32), scalar(0, dtype::float32)};
  return reference_evaluate(contracted(f), x, weft::detail::reference_arithmetic::own)[0][0];
}

}  // namespace

TEST_CASE("contract: a product with one use that feeds an addition") {
  CHECK(fmas([](auto a, auto b, auto c, auto) { return a * b + c; }) == 1);
  CHECK(fmas([](auto a, auto b, auto c, auto) { return c + a * b; }) == 1);
  CHECK(fmas([](auto a, auto b, auto c, auto) { return a * b - c; }) == 1);
  CHECK(fmas([](auto a, auto b, auto c, auto) { return c - a * b; }) == 1);
  CHECK(fmas([](auto a, auto b, auto c, auto d) { return a * (b * c + d) + d; }) == 2);
  CHECK(fmas([](auto a, auto, auto c, auto) { return a * a + c; }) == 1);
}

TEST_CASE("contract: never two products, nor a product with two uses, nor through a rounding") {
  CHECK(fmas([](auto a, auto b, auto c, auto d) { return a * b + c * d; }) == 0);
  CHECK(fmas([](auto a, auto b, auto c, auto d) { return a * b - c * d; }) == 0);
  CHECK(fmas([](auto a, auto b, auto c, auto) { return std::tuple{a * b + c, a * b}; }) == 0);
  CHECK(fmas([](auto a, auto b, auto c, auto d) { return (a * b + c) * (a * b + d); }) == 0);
  CHECK(fmas([](auto a, auto b, auto c, auto) { return -(a * b) + c; }) == 0);
  CHECK(fmas([](auto a, auto b, auto c, auto) {
          return w::cast<double>(a * b) + w::cast<double>(c);
        }) == 0);
  CHECK(fmas([](auto a, auto b, auto c, auto) { return w::sum(a * b) + c; }) ==
        1);  // rank 0: no reduction
  const value_spec ints[]{i32(), i32(), i32()};
  CHECK(count_of<w::fma_>(weft::detail::optimised(
            capture(ints, [](auto a, auto b, auto c) { return a * b + c; }))) == 0);
}

TEST_CASE("contract: a use in dead code does not count") {
  CHECK(fmas([](auto a, auto b, auto c, auto) {
          const auto p = a * b;
          (void)w::exp(p);
          return p + c;
        }) == 1);
  CHECK(fmas([](auto a, auto b, auto c, auto) { return -(-(a * b)) + c; }) ==
        1);  // dead after simplification
}

TEST_CASE("contract: values are those of one rounding, with the right signs") {
  const double a = 1 + 0x1p-12,
               b = 1 - 0x1p-12;  // a * b = 1 - 2^-24 exactly, 1 in float after rounding
  CHECK(value([](auto x, auto y, auto z, auto) { return x * y - z; }, a, b, 1) == -0x1p-24L);
  CHECK(value([](auto x, auto y, auto z, auto) { return z - x * y; }, a, b, 1) == 0x1p-24L);
  CHECK(value([](auto x, auto y, auto z, auto) { return x * y + z; }, a, b, -1) == -0x1p-24L);
  CHECK(value([](auto x, auto y, auto z, auto w) { return (x * y - z) + w * x * y * w; }, a, b,
              1) == -0x1p-24L);
}
