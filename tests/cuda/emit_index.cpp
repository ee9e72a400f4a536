// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/grad/transforms.hpp>

#include "grid_check.hpp"

// Gathers, scatters, extrema's places and copies on the host grid.

namespace w = weft;
using namespace weft_test;

namespace {

constexpr auto rows_taken = [](auto x, auto i) { return w::take(x, i); };
constexpr auto columns_taken = [](auto x, auto i) { return w::take(x, i, w::axis<1>); };
constexpr auto middle_taken = [](auto x, auto i) { return w::take(x, i, w::axis<1>); };
constexpr auto take_loss = [](auto x, auto i) { return w::sum(w::square(w::take(x, i))); };
constexpr auto take_gradient = [](auto x, auto i) { return w::grad(take_loss)(x, i); };
constexpr auto column_loss = [](auto x, auto i) {
  return w::sum(w::exp(w::take(x, i, w::axis<1>)));
};
constexpr auto column_gradient = [](auto x, auto i) { return w::grad(column_loss)(x, i); };
constexpr auto places = [](auto x) {
  return std::tuple{w::argmax(x, w::axis<1>), w::argmin(x, w::axis<1>), w::argmax(x, w::axis<0>)};
};
constexpr auto joined = [](auto x, auto y) {
  return std::tuple{w::concat(w::axis<1>, x, y), w::concat(w::axis<0>, x, x * 2)};
};
constexpr auto slice_loss = [](auto x) { return w::sum(w::square(w::slice<1, 1, 7, 2>(x))); };
constexpr auto slice_gradient = [](auto x) { return w::grad(slice_loss)(x); };

reference_value indices(std::vector<index_t> shape, int below, dtype t = dtype::int32) {
  return filled(t, std::move(shape), 9, -below, below);
}

}  // namespace

TEST_CASE("gathers") {
  grid_cases c;
  for (index_t n : {1, 3, 8, 64}) {
    c.add("rows", rows_taken, {filled(dtype::float32, {10, n}, 1), indices({7}, 10)});
    c.add("columns", columns_taken, {filled(dtype::float32, {n, 10}, 1), indices({5}, 10)});
  }
  c.add("a matrix of indices", rows_taken,
        {filled(dtype::bfloat16, {10, 32}, 1), indices({3, 4}, 10, dtype::int64)});
  c.add("the middle", middle_taken,
        {filled(dtype::float64, {3, 10, 6}, 1), indices({4}, 10, dtype::int64)});
  c.run();
}

TEST_CASE("scatters add in the order of the indices") {
  grid_cases c;
  c.add("rows", take_gradient, {filled(dtype::float32, {10, 33}, 1), indices({40}, 10)});
  c.add("columns", column_gradient, {filled(dtype::float32, {9, 10}, 1), indices({40}, 10)});
  c.add("many", take_gradient, {filled(dtype::float32, {900, 32}, 1), indices({3000}, 900)});
  c.add("many of bfloat16", take_gradient,
        {filled(dtype::bfloat16, {900, 32}, 1, -1, 1), indices({2000}, 900)});
  c.run();
}

TEST_CASE("places of extrema") {
  grid_cases c;
  for (index_t n : {1, 5, 32, 33, 1000})
    c.add("places", places, {filled(dtype::float32, {6, n}, n)});
  c.add("of integers, with ties", places, {filled(dtype::int32, {5, 100}, 1, -2, 2)});
  reference_value nan = filled(dtype::float32, {3, 100}, 1);
  nan.reals[70] = nan.reals[90] = nan.reals[110] = qnan;
  c.add("the first NaN", places, {nan});
  c.run();
}

TEST_CASE("joins, slices and their gradients") {
  grid_cases c;
  c.add("joined", joined, {filled(dtype::float32, {5, 7}, 1), filled(dtype::float32, {5, 4}, 2)});
  c.add("slices", slice_gradient, {filled(dtype::float32, {5, 9}, 1)});
  c.run();
}

TEST_CASE("an index out of range is reported, and nothing outside is touched") {
  grid_batch batch;
  const std::vector<reference_value> x{filled(dtype::float32, {10, 8}, 1),
                                       values(dtype::int32, {3}, {1, 10, 2})};
  grid_run run(batch, graph_of<2>(x, rows_taken), x);
  batch.compile();
  CHECK(run.fault.state == 0);
  const auto y = run.outputs();
  CHECK(run.fault.state == cuda::fault_record::told);
  if (has_gpu()) return;  // which gives no results then
  CHECK(run.fault.text() == "weft: take: index 10 is out of range for axis 0 of extent 10");
  for (std::size_t k = 0; k < 8; ++k) CHECK(y[0].reals[k] == x[0].reals[8 + k]);
}
