// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/grad/transforms.hpp>

#include "grid_check.hpp"

// Parts of concatenations, which kernels write where they lie in the whole: at offsets and row
// strides that vectors may not fit.

namespace w = weft;
using namespace weft_test;

namespace {

template <index_t Width>
constexpr auto swiglu_step = [](auto x) {
  return w::grad([](auto y) {
    return w::sum(w::silu(w::slice<1, 0, Width>(y)) * w::slice<1, Width, 2 * Width>(y));
  })(x);
};
constexpr auto rows = [](auto x) {
  return w::concat(w::axis<0>, w::concat(w::axis<0>, w::tanh(x), x), w::exp(x));
};
constexpr auto columns = [](auto x) {
  return w::concat(w::axis<1>, w::concat(w::axis<1>, w::softmax(x), x * 2), w::exp(x)) + 1;
};
constexpr auto sums = [](auto x) {
  return w::concat(w::axis<1>, w::sum(x, w::axis<1>, w::keepdims),
                   w::max(x, w::axis<1>, w::keepdims));
};

}  // namespace

TEST_CASE("parts of concatenations are written in place") {
  grid_cases c;
  c.add("gradient of slices", swiglu_step<64>, {filled(dtype::float32, {9, 128}, 1)});
  c.add("gradient of odd slices", swiglu_step<33>, {filled(dtype::float32, {9, 66}, 1)});
  c.add("gradient of slices of bfloat16", swiglu_step<24>, {filled(dtype::bfloat16, {9, 48}, 1)});
  for (index_t n : {1, 31, 64}) {
    c.add("rows", rows, {filled(dtype::float32, {7, n}, 1)});
    c.add("columns", columns, {filled(dtype::float32, {7, n}, 1)});
  }
  c.add("sums beside each other", sums, {filled(dtype::float32, {7, 40}, 1)});
  c.run();
}
