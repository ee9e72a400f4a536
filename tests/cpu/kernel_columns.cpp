// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "kernel_check.hpp"

#include <weft/grad/transforms.hpp>

// Kernels that reduce along columns, over everything, or over axes apart from one another.
namespace w = weft;
using namespace weft_test;

namespace {

struct column_sums {
  constexpr auto operator()(auto x) const { return w::sum(w::exp(x) * x, w::axis<0>); }
};
struct column_extremes {
  constexpr auto operator()(auto x) const {
    return std::tuple{w::max(x, w::axis<0>), w::min(x, w::axis<0>, w::keepdims)};
  }
};
struct everything {
  constexpr auto operator()(auto x) const { return w::sum(x * x) + 1; }
};
struct two_means {
  constexpr auto operator()(auto x) const {
    return std::tuple{w::mean(x, w::axis<0>), w::mean(x, w::axis<1>), x * 2};
  }
};
/// Rows and columns in one kernel: the gradient of a layer norm with scale and shift.
struct norm_gradient {
  constexpr auto operator()(auto x, auto scale, auto shift) const {
    return w::grad<0, 1, 2>([](auto y, auto s, auto t) {
      return w::sum(w::square(w::layer_norm(y) * s + t));
    })(x, scale, shift);
  }
};
struct outer_axes {
  constexpr auto operator()(auto x) const { return w::sum(x * x, w::axis<0, 2>); }
};
struct middle_axis {
  constexpr auto operator()(auto x) const {
    return std::tuple{w::sum(x, w::axis<1>), w::max(x, w::axis<1>)};
  }
};
struct last_axes {
  constexpr auto operator()(auto x) const { return w::sum(w::sin(x), w::axis<1, 2>); }
};

template <class F>
void check_rank_3(std::initializer_list<index_t> firsts) {
  using source = program_of_function<F, f32({w::dyn, w::dyn, w::dyn})>;
  for (index_t a : firsts)
    for (index_t b : {1, 3, 40})
      for (index_t n : {index_t{1}, lanes, 2 * lanes + 1, index_t{130}})
        check_call<source>({filled(dtype::float32, {a, b, n}, 4)});
  using open = program_of_function<F, strided(f32({w::dyn, w::dyn, w::dyn}))>;
  for (layout how : {layout::spaced, layout::backwards, layout::transposed})
    check_call<open>({filled(dtype::float32, {3, 4, lanes + 1}, 8)}, {how});
}

}  // namespace

TEST_CASE("kernel forms: column sums") {
  check_matrix_form<column_sums>();
  check_static_form<column_sums>();
  using source = program_of_function<column_sums, f32({w::dyn, w::dyn})>;
  for (index_t rows : {1000, 1025, 4097})
    check_call<source>({filled(dtype::float32, {rows, 3}, 1)});
}
TEST_CASE("kernel forms: column extremes") {
  using source = program_of_function<column_extremes, f32({w::dyn, w::dyn})>;
  for (index_t n : edge_extents())
    for (index_t rows : {1, 3, 18, 1100})
      if (rows * n < 100000) check_call<source>({filled(dtype::float32, {rows, n}, 7)});
  check_static_form<column_extremes>();
}
TEST_CASE("kernel forms: full sums") {
  check_matrix_form<everything>();
  check_static_form<everything>();
}
TEST_CASE("kernel forms: both directions and elements of one read") {
  using source = program_of_function<two_means, f32({w::dyn, w::dyn})>;
  for (index_t n : edge_extents())
    for (index_t rows : {1, 3, 18}) check_call<source>({filled(dtype::float32, {rows, n}, 7)});
  check_static_form<two_means>();
}
TEST_CASE("kernel forms: rows and columns in one kernel") {
  using source =
      program_of_function<norm_gradient, f32({w::dyn, w::dyn}), f32({w::dyn}), f32({w::dyn})>;
  for (index_t n : edge_extents()) {
    if (n == 2) continue;  // (x - y) / |x - y| amplifies every rounding
    for (index_t rows : {1, 3, 18})
      check_call<source>({filled(dtype::float32, {rows, n}, 1), filled(dtype::float32, {n}, 2),
                          filled(dtype::float32, {n}, 3)});
  }
  check_call<program_of_function<norm_gradient, f32({4, 3}), f32({3}), f32({3})>>(
      {filled(dtype::float32, {4, 3}, 1), filled(dtype::float32, {3}, 2),
       filled(dtype::float32, {3}, 3)});
  check_call<program_of_function<norm_gradient, f32({4, lanes}), f32({lanes}), f32({lanes})>>(
      {filled(dtype::float32, {4, lanes}, 1), filled(dtype::float32, {lanes}, 2),
       filled(dtype::float32, {lanes}, 3)});
}
TEST_CASE("kernel forms: axes apart, a middle axis, the last two") {
  check_rank_3<outer_axes>({0, 1, 3, 70});
  check_rank_3<middle_axis>({0, 1, 3});
  check_rank_3<last_axes>({0, 1, 3});
}
