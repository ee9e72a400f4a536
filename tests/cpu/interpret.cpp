// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "interpret_check.hpp"

#include <weft/grad/transforms.hpp>

// Interpreted kernels against compiled ones, bit for bit.
namespace w = weft;
using namespace weft_test;

namespace {

struct chain {
  constexpr auto operator()(auto x) const {
    return std::tuple{w::tanh(x * x + 0.5) * w::sigmoid(x) - x / (x * x + 1), w::relu(x), -x};
  }
};
struct rows {
  constexpr auto operator()(auto x) const {
    return std::tuple{w::softmax(x), w::sum(w::exp(x) * x, w::axis<1>) * 2, w::max(x, w::axis<1>),
                      w::min(x * x, w::axis<1>, w::keepdims)};
  }
};
struct row_gradient {
  constexpr auto operator()(auto x) const {
    return w::grad([](auto y) { return w::sum(w::sin(w::layer_norm(y))); })(x);
  }
};
struct columns {
  constexpr auto operator()(auto x) const {
    return std::tuple{w::sum(w::exp(x) * x, w::axis<0>), w::sum(x, w::axis<0>, w::keepdims) * x,
                      w::sum(x * x)};
  }
};
struct column_extremes {
  constexpr auto operator()(auto x) const {
    return std::tuple{w::max(x, w::axis<0>), w::min(x, w::axis<0>, w::keepdims)};
  }
};
struct truths {
  constexpr auto operator()(auto x) const {
    return std::tuple{x > 0.5, w::where(w::logical_and(x > 0, x < 2), x, x * 3),
                      w::sum(w::cast<int>(x > 1), w::axis<1>)};
  }
};
struct norm_gradient {
  constexpr auto operator()(auto x, auto scale, auto shift) const {
    return w::grad<0, 1, 2>([](auto y, auto s, auto t) {
      return w::sum(w::square(w::layer_norm(y) * s + t));
    })(x, scale, shift);
  }
};
struct cube {
  constexpr auto operator()(auto x) const {
    return std::tuple{w::sum(x * x, w::axis<0, 2>), w::sum(x, w::axis<1>),
                      w::sum(w::sin(x), w::axis<1, 2>), w::transpose(x) + 1};
  }
};
struct integers {
  constexpr auto operator()(auto a, auto b) const {
    return std::tuple{a * b + (a << 3),      w::sum(a ^ b, w::axis<1>), w::remainder(a, b),
                      w::max(a, w::axis<1>), w::cast<double>(a) * 0.5,  w::cast<std::uint8_t>(b)};
  }
};

}  // namespace

TEST_CASE("interpreted: pointwise chains") {
  check_interpreted_matrix<chain>();
  check_interpreted_matrix<chain, dtype::float64>();
}
TEST_CASE("interpreted: rows") {
  check_interpreted_matrix<rows>(false);
  check_interpreted_matrix<rows, dtype::float64>(false);
  check_interpreted_matrix<row_gradient>();
}
TEST_CASE("interpreted: columns") {
  check_interpreted_matrix<columns>();
  check_interpreted_matrix<columns, dtype::float64>();
  using extremes = program_of_function<column_extremes, f32({w::dyn, w::dyn})>;
  for (index_t n : edge_extents())
    check_interpreted<extremes>({filled(dtype::float32, {18, n}, 5)});
}
TEST_CASE("interpreted: truth values") {
  check_interpreted_matrix<truths>();
}
TEST_CASE("interpreted: rows and columns in one kernel, operands that repeat") {
  using source =
      program_of_function<norm_gradient, f32({w::dyn, w::dyn}), f32({w::dyn}), f32({w::dyn})>;
  for (index_t n : {index_t{3}, lanes, index_t{100}, index_t{1030}})
    check_interpreted<source>({filled(dtype::float32, {530, n}, 1), filled(dtype::float32, {n}, 2),
                               filled(dtype::float32, {n}, 3)});
}
TEST_CASE("interpreted: three axes") {
  using source = program_of_function<cube, f32({w::dyn, w::dyn, w::dyn})>;
  for (index_t n : {1, 5, 40})
    check_interpreted<source>({filled(dtype::float32, {n, 7, 2 * lanes + 1}, 1)});
}
TEST_CASE("interpreted: integers") {
  using source = program_of_function<integers, i32({w::dyn, w::dyn}), i32({w::dyn, w::dyn})>;
  for (index_t n : edge_extents())
    if (n > 0)
      check_interpreted<source>({filled(dtype::int32, {3, n}, 1), filled(dtype::int32, {3, n}, 2)});
}
