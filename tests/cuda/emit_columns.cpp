// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/grad/transforms.hpp>

#include "grid_check.hpp"

// Reductions over rows, alone and beside reductions along them, on the host grid.

namespace w = weft;
using namespace weft_test;

namespace {

constexpr auto sums = [](auto x) { return w::sum(x, w::axis<0>); };
constexpr auto extrema = [](auto x) {
  return std::tuple{w::max(x, w::axis<0>), w::min(x * x, w::axis<0>), x * 2};
};
constexpr auto middle = [](auto x) { return w::sum(w::exp(x), w::axis<1>); };
constexpr auto outer = [](auto x) { return w::sum(x, w::axis<0, 1>); };
constexpr auto softmax_columns = [](auto x) { return w::softmax(x, w::axis<0>); };
constexpr auto norm_loss = [](auto x, auto weight, auto bias, auto g) {
  return w::sum(w::layer_norm(x, weight, bias) * g);
};
constexpr auto norm_backward = [](auto x, auto weight, auto bias, auto g) {
  return w::grad<0, 1, 2>(norm_loss)(x, weight, bias, g);
};
constexpr auto norm_both = [](auto x, auto weight, auto bias, auto g) {
  return w::value_and_grad<0, 1, 2>(norm_loss)(x, weight, bias, g);
};

std::vector<reference_value> norm_arguments(index_t rows, index_t n, dtype t = dtype::float32) {
  return {filled(t, {rows, n}, 1), filled(t, {n}, 2), filled(t, {n}, 3), filled(t, {rows, n}, 4)};
}

}  // namespace

TEST_CASE("columns of all sizes") {
  grid_cases c;
  for (index_t rows : {1, 3, 33, 1023})
    for (index_t n : {1, 3, 33, 64}) c.add("sums", sums, {filled(dtype::float32, {rows, n}, 1)});
  c.add("many rows", sums, {filled(dtype::float32, {20011, 5}, 1)});
  c.add("many rows, in vectors", sums, {filled(dtype::float32, {9000, 8}, 1)});
  c.add("many columns", sums, {filled(dtype::float32, {7, 4097}, 1)});
  c.add("no rows", sums, {filled(dtype::float32, {0, 7}, 1)});
  c.add("extrema", extrema, {filled(dtype::float32, {130, 36}, 1)});
  c.add("middle axis", middle, {filled(dtype::float32, {3, 40, 20}, 1)});
  c.add("outer axes", outer, {filled(dtype::float32, {3, 40, 20}, 1)});
  c.add("bytes", sums, {filled(dtype::uint8, {300, 33}, 1, 0, 255)});
  c.add("bfloat16", sums, {filled(dtype::bfloat16, {300, 64}, 1)});
  c.add("softmax", softmax_columns, {filled(dtype::float32, {65, 40}, 1)});
  c.run();
}

TEST_CASE("layer norm: gradients of x, weight and bias") {
  grid_cases c;
  for (index_t n : {1, 33, 64, 1024})
    for (index_t rows : {1, 5, 300}) {
      if (rows * n > 64 * 300) continue;
      c.add("backward", norm_backward, norm_arguments(rows, n));
    }
  c.add("both", norm_both, norm_arguments(40, 256));
  c.add("bfloat16", norm_backward, norm_arguments(40, 256, dtype::bfloat16));
  c.add("long rows", norm_backward, norm_arguments(6, 20000));
  c.run();
}
