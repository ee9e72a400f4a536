// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "grid_check.hpp"

// Pointwise kernels on the host grid: chains, broadcasts, views, all dtypes.

namespace w = weft;
using namespace weft_test;

namespace {

constexpr auto chain = [](auto a, auto b, auto c) {
  return w::tanh(a * b + c) * w::sigmoid(a) - b;
};
constexpr auto plus_one = [](auto x) { return w::transpose(x) + 1; };
constexpr auto sliced = [](auto x) { return w::slice<1, 1, 7>(x) * 2 + w::slice<1, 7, 1, -1>(x); };
constexpr auto dropout = [](auto x, auto key) { return w::dropout(x, key, 0.25) + x; };
constexpr auto integers = [](auto x, auto y) {
  return std::tuple{x + y,           x * y - x,  x / y, w::floor_divide(x, y), w::remainder(x, y),
                    w::abs(x),       w::sign(x), -x,    w::maximum(x, y),      w::cast<float>(x),
                    w::cast<bool>(y)};
};

}  // namespace

TEST_CASE("a chain at odd sizes") {
  grid_cases c;
  for (index_t n : {1, 3, 31, 33, 1023, 4096, 4097})
    c.add("chain", chain,
          {filled(dtype::float32, {n}, 1), filled(dtype::float32, {n}, 2),
           filled(dtype::float32, {n}, 3)});
  for (index_t n : {3, 8, 33})
    c.add("chain of rows", chain,
          {filled(dtype::float32, {5, n}, 1), filled(dtype::float32, {n}, 2),
           filled(dtype::float32, {5, 1}, 3)});
  c.add("chain of doubles", chain,
        {filled(dtype::float64, {3, 70}, 1), filled(dtype::float64, {3, 70}, 2),
         filled(dtype::float64, {}, 3)});
  c.add("chain of bfloat16", chain,
        {filled(dtype::bfloat16, {7, 64}, 1), filled(dtype::bfloat16, {64}, 2),
         filled(dtype::bfloat16, {7, 1}, 3)});
  c.add("chain of half", chain,
        {filled(dtype::float16, {129}, 1), filled(dtype::float16, {129}, 2),
         filled(dtype::float16, {129}, 3)});
  c.add("nothing", chain,
        {filled(dtype::float32, {0, 4}, 1), filled(dtype::float32, {4}, 2),
         filled(dtype::float32, {0, 1}, 3)});
  c.run();
}

TEST_CASE("a chain with any schedule") {
  grid_cases c;
  for (int threads : {32, 128})
    for (int items : {1, 2, 5})
      for (int vector : {1, 2, 4, 8}) {
        cuda::tuning u;
        u.threads = threads;
        u.items = items;
        u.vector = vector;
        u.unaligned = vector == 8 ? 2 : 0;
        c.add("chain", chain,
              {filled(dtype::float32, {1001}, 1), filled(dtype::float32, {1001}, 2),
               filled(dtype::float32, {1001}, 3)},
              u);
      }
  c.run();
}

TEST_CASE("views are read in place") {
  grid_cases c;
  for (index_t n : {1, 5, 64, 100})
    c.add("transpose", plus_one, {filled(dtype::float32, {n, 67}, 1)});
  c.add("transpose", plus_one, {filled(dtype::float32, {128, 64}, 1)});
  c.add("transpose of half", plus_one, {filled(dtype::bfloat16, {96, 130}, 1)});
  c.add("slices", sliced, {filled(dtype::float32, {9, 8}, 1)});
  c.add("integers", integers,
        {filled(dtype::int32, {40}, 1, -9, 9), filled(dtype::int32, {40}, 2, -3, 3)});
  c.add("bytes", integers,
        {filled(dtype::uint8, {40}, 1, 0, 255), filled(dtype::uint8, {40}, 2, 0, 4)});
  c.add("wide integers", integers,
        {filled(dtype::int64, {33}, 1, -9e18, 9e18), filled(dtype::int64, {33}, 2, -3, 3)});
  c.run();
}

TEST_CASE("dropout has the reference's mask, bit for bit") {
  grid_cases c;
  c.add("dropout", dropout,
        {filled(dtype::float32, {33, 17}, 1), values(dtype::uint32, {2}, {12345, 678})});
  c.run();
}
