// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/grad/transforms.hpp>

#include "grid_check.hpp"

// Row reductions and what surrounds them, on the host grid.

namespace w = weft;
using namespace weft_test;

namespace {

constexpr auto softmax = [](auto x) { return w::softmax(x); };
constexpr auto layer_norm = [](auto x, auto weight, auto bias) {
  return w::layer_norm(x, weight, bias);
};
constexpr auto logsumexp = [](auto x) { return w::logsumexp(x, w::axis<1>); };
constexpr auto row_sums = [](auto x) {
  return std::tuple{w::sum(x, w::axis<1>), w::max(x * 2, w::axis<1>)};
};
constexpr auto variance = [](auto x) { return w::var(x, w::axis<1>); };
constexpr auto sums_only = [](auto x) { return w::sum(x, w::axis<1>); };
constexpr auto total = [](auto x) { return w::sum(x); };

}  // namespace

TEST_CASE("rows of all lengths") {
  grid_cases c;
  for (index_t n : {1, 3, 31, 33, 64, 1023, 1024, 4097}) {
    c.add("softmax", softmax, {filled(dtype::float32, {5, n}, 1)});
    c.add("sums", row_sums, {filled(dtype::float32, {3, n}, 2)});
  }
  c.run();
}

TEST_CASE("rows: norms and logsumexp") {
  grid_cases c;
  for (index_t n : {33, 256, 4096}) {
    c.add("layer norm", layer_norm,
          {filled(dtype::float32, {4, n}, 1), filled(dtype::float32, {n}, 2),
           filled(dtype::float32, {n}, 3)});
    c.add("logsumexp", logsumexp, {filled(dtype::float32, {4, n}, 1)});
    c.add("variance", variance, {filled(dtype::float32, {4, n}, 1)});
  }
  c.add("many short rows", softmax, {filled(dtype::float32, {1001, 3}, 1)});
  c.add("double", softmax, {filled(dtype::float64, {9, 70}, 1)});
  c.run();
}

TEST_CASE("rows of 16 bits: coarse functions, and divisors of any size") {
  grid_cases c;
  for (dtype t : {dtype::bfloat16, dtype::float16}) {
    c.add("softmax", softmax, {filled(t, {5, 264}, 1, -20, 5)});
    c.add("sigmoid", [](auto x) { return w::sigmoid(x); }, {filled(t, {999}, 1, -105, 105)});
    reference_value x = filled(t, {8, 32}, 1, 0.1, 1);
    const long double sizes[]{1, 1e-39L, 3e38L, 1e-30L, 1e30L, 0, inf, 1e-7L};
    for (std::size_t i = 0; i < x.reals.size(); ++i) x.reals[i] *= sizes[i / 32];
    x = weft::detail::converted(weft::detail::converted(x, dtype::float64), t);
    c.add("over the row's maximum", [](auto x) { return x / w::max(x, w::axis<1>, w::keepdims); },
          {x});
  }
  c.run();
}

TEST_CASE("few long rows are shared by blocks") {
  grid_cases c;
  c.add("sum of all", total, {filled(dtype::float32, {300001}, 1)});
  c.add("sum of all, in vectors", total, {filled(dtype::float32, {64, 4096}, 1)});
  c.add("softmax", softmax, {filled(dtype::float32, {2, 40000}, 1)});
  c.add("logsumexp", logsumexp, {filled(dtype::float32, {1, 100000}, 1)});
  c.run();
}

TEST_CASE("rows that do not fit registers are read again") {
  grid_cases c;
  cuda::tuning u;
  u.splits = 1;
  c.add("softmax", softmax, {filled(dtype::float32, {2, 40000}, 1)}, u);
  c.run();
}

TEST_CASE("rows that are read again: the maximum and the sum below it come from one pass") {
  grid_cases c;
  cuda::tuning u;
  u.threads = 256;
  SUBCASE("of one block") {
    u.splits = 1;
  }
  SUBCASE("of several, which combine what each has") {}
  for (dtype t : {dtype::float32, dtype::float64}) {
    constexpr index_t n = 20000;
    reference_value x = filled(t, {5, n}, 1, -3, 3);
    for (index_t i = 0; i < n; ++i) {
      auto at = [&](index_t row) -> long double& {
        return x.reals[static_cast<std::size_t>(row * n + i)];
      };
      if (i < 15000) at(0) = -inf;                // most threads begin with none
      at(1) = -inf;                               // no maximum: NaN
      if (i == 10001) at(2) = NAN;                // NaN
      at(3) = static_cast<long double>(i) / 512;  // each maximum is greater
      at(4) = i == n - 1 ? 300 : -static_cast<long double>(i % 7) * 200;  // exp is 0 but for one
    }
    x = weft::detail::converted(weft::detail::converted(x, dtype::float64), t);
    c.add("softmax", softmax, {x}, u);
    c.add("logsumexp", logsumexp, {x}, u);
  }
  // The label's logit is summed in the last pass.
  for (index_t n : {20000, 20001}) {
    reference_value labels = filled(dtype::int32, {3}, 1, 0, 100);
    c.add(
        "cross entropy",
        [](auto x, auto y) {
          return w::value_and_grad(
              [](auto logits, auto which) { return w::cross_entropy(logits, which); })(x, y);
        },
        {filled(dtype::bfloat16, {3, n}, 1, -3, 3), labels}, u);
  }
  c.run();
}

TEST_CASE("rows that leave no registers for a second block lie in shared memory") {
  grid_cases c;
  cuda::tuning u;
  u.splits = 1;
  c.add("softmax", softmax, {filled(dtype::bfloat16, {2, 50304}, 1)}, u);
  c.add("odd softmax", softmax, {filled(dtype::bfloat16, {2, 50257}, 1)}, u);
  c.run();
}

TEST_CASE("rows of any other team are the same sums") {
  grid_cases c;
  for (int threads : {32, 64, 256, 1024}) {
    cuda::tuning u;
    u.threads = threads;
    c.add("softmax", softmax, {filled(dtype::float32, {3, 4096}, 1)}, u);
  }
  c.run();
}

TEST_CASE("empty rows and no rows") {
  grid_cases c;
  c.add("of none", sums_only, {filled(dtype::float32, {3, 0}, 2)});
  c.add("no rows", softmax, {filled(dtype::float32, {0, 5}, 2)});
  c.run();
}

TEST_CASE("odd rows of 16 bits are read in aligned vectors, whatever is in front of them") {
  grid_cases c;
  constexpr auto bf = dtype::bfloat16;
  for (index_t n : {257, 1000, 1001, 4099, 50257}) {
    c.add("softmax", softmax, {filled(bf, {5, n}, 1, -3, 3)});
    c.add("layer norm", layer_norm,
          {filled(bf, {3, n}, 1), filled(bf, {n}, 2), filled(bf, {n}, 3)});
  }
  c.add("to float", [](auto x) { return w::cast<float>(w::softmax(x)); },
        {filled(bf, {5, 1001}, 1, -3, 3)});
  cuda::tuning u;
  u.unaligned = 5;  // x, and a result
  c.add("addresses that are no multiples", softmax, {filled(bf, {4, 1024}, 1, -3, 3)}, u);
  c.add("few long rows", softmax, {filled(bf, {2, 40001}, 1, -3, 3)});
  c.add("sums", sums_only, {filled(dtype::float16, {9, 301}, 1)});
  c.run();
}
