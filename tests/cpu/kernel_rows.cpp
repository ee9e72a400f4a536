// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "kernel_check.hpp"

#include <weft/grad/transforms.hpp>

// Kernels that reduce along rows, with what surrounds them.
namespace w = weft;
using namespace weft_test;

namespace {

struct pointwise_form {
  constexpr auto operator()(auto x) const { return w::tanh(x * x + 0.5) * w::sigmoid(x) - x; }
};
struct row_sums {
  constexpr auto operator()(auto x) const { return w::sum(w::exp(x) * x, w::axis<1>) * 2; }
};
struct row_extremes {
  constexpr auto operator()(auto x) const {
    return std::tuple{w::max(x, w::axis<1>), w::min(x * x, w::axis<1>, w::keepdims)};
  }
};
/// Three passes: maximum, sum of what is kept, quotient.
struct soft {
  constexpr auto operator()(auto x) const { return w::softmax(x); }
};
/// Several reductions over one read, then a pass that uses them.
struct normal {
  constexpr auto operator()(auto x) const { return w::layer_norm(x); }
};
struct row_gradient {
  constexpr auto operator()(auto x) const {
    return w::grad([](auto y) { return w::sum(w::square(w::softmax(y))); })(x);
  }
};

template <class F>
void check_alone() {
  using source = program_of_function<F, f32({w::dyn, w::dyn})>;
  for (index_t n : {index_t{5}, lanes + 3, index_t{1025}}) {
    const auto x = filled(dtype::float32, {7, n}, 3);
    const auto all = run<source>({x})[0];
    const index_t width = all.size() / 7;
    for (index_t row = 0; row < 7; ++row) {
      reference_value one(dtype::float32, {1, n});
      for (index_t i = 0; i < n; ++i)
        one.reals[static_cast<std::size_t>(i)] = x.reals[static_cast<std::size_t>(row * n + i)];
      const auto alone = run<source>({one})[0];
      bool same = true;
      for (index_t i = 0; i < width; ++i)
        same = same && alone.reals[static_cast<std::size_t>(i)] ==
                           all.reals[static_cast<std::size_t>(row * width + i)];
      CAPTURE(n);
      CAPTURE(row);
      CHECK(same);
    }
  }
}

}  // namespace

TEST_CASE("kernel forms: pointwise") {
  check_matrix_form<pointwise_form>();
  check_static_form<pointwise_form>();
}
TEST_CASE("kernel forms: row sums") {
  check_matrix_form<row_sums>();
  check_static_form<row_sums>();
  check_matrix_form<row_sums, dtype::float64>();
}
TEST_CASE("kernel forms: row extremes") {
  check_matrix_form<row_extremes>(false);
  check_static_form<row_extremes>();
}
TEST_CASE("kernel forms: softmax, kept values and passes") {
  check_matrix_form<soft>();
  check_static_form<soft>();
  check_matrix_form<row_gradient>();
  check_static_form<row_gradient>();
}
TEST_CASE("kernel forms: layer norm") {
  check_matrix_form<normal>();
  check_static_form<normal>();
}
TEST_CASE("kernel forms: a row's result does not depend on the other rows") {
  check_alone<row_sums>();
  check_alone<soft>();
  check_alone<normal>();
}
