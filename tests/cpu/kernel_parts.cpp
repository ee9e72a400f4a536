// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/array/creation.hpp>
#include <weft/compile/explain.hpp>
#include <weft/grad/transforms.hpp>

#include "kernel_check.hpp"

#include <cmath>

// Parts of a concatenation are written where they lie in it; gradients of slices side by side are
// one.

namespace w = weft;
using namespace weft_test;

namespace {

struct parts {
  constexpr auto operator()(auto x) const {
    auto y = w::exp(x);
    return std::tuple{w::concat(w::axis<1>, w::tanh(x), y * x, x),  // one is copied
                      w::concat(w::axis<0>, x + 1, w::concat(w::axis<0>, x * 2, x - 1)) * 3};
  }
};
/// Parts that something else reads, or twice, or that are results.
struct shared_parts {
  constexpr auto operator()(auto x) const {
    auto a = w::sin(x), b = w::cos(x), c = w::abs(x);
    return std::tuple{w::concat(w::axis<0>, a, a), w::concat(w::axis<1>, b, c), c};
  }
};
/// Values for rows side by side.
struct column_parts {
  constexpr auto operator()(auto x) const {
    return w::concat(w::axis<1>, w::sum(x, w::axis<1>, w::keepdims),
                     w::max(x, w::axis<1>, w::keepdims));
  }
};
struct swiglu {
  constexpr auto operator()(auto x) const {
    return w::silu(w::slice<0, 0, 2>(x)) * w::slice<0, 2, 4>(x);
  }
};
struct swiglu_step {
  constexpr auto operator()(auto x) const {
    return w::grad([](auto y) { return w::sum(w::square(swiglu{}(y))); })(x);
  }
};
struct three {
  constexpr auto operator()(auto x) const {
    return w::grad([](auto y) {
      return w::sum(w::sin(w::slice<1, 0, 2>(y)) * w::exp(w::slice<1, 2, 4>(y)) *
                    w::slice<1, 4, 6>(y));
    })(x);
  }
};
struct open_end {
  constexpr auto operator()(auto x) const {
    return w::grad([](auto y) {
      return w::sum(w::exp(w::slice<1, 0, 3>(y))) + w::sum(w::cos(w::slice<1, 3, w::to_end>(y)));
    })(x);
  }
};

}  // namespace

TEST_CASE("kernel forms: parts of concatenations") {
  check_matrix_form<parts>();
  check_static_form<parts>();
  check_matrix_form<shared_parts>();
  check_matrix_form<column_parts>(false);
}

TEST_CASE("kernel forms: gradients of slices side by side") {
  using source = program_of_function<swiglu_step, f32({4, w::dyn})>;
  for (index_t n : edge_extents()) check_call<source>({filled(dtype::float32, {4, n}, 3)});
  using of_three = program_of_function<three, f32({w::dyn, 6})>;
  for (index_t n : {0, 1, 5}) check_call<of_three>({filled(dtype::float32, {n, 6}, 3)});
  using open = program_of_function<open_end, f32({w::dyn, w::dyn})>;
  for (index_t n : {0, 2, 3, 4, 40}) check_call<open>({filled(dtype::float32, {5, n}, 3)});
}

TEST_CASE("nothing is copied") {
  const w::tensor<float, 4, 64> x = w::ones<float>(4, 64);
  const w::report r = w::explain(w::compile(swiglu_step{}), x);
  CHECK(r.launches() == 1);
  CHECK(r.bytes() == 2 * 4 * 4 * 64);
  const w::tensor<float, 5, 6> y = w::ones<float>(5, 6);
  CHECK(w::explain(w::compile(three{}), y).launches() == 1);
  const w::tensor<float, 5, w::dyn> z = w::ones<float>(5, 40);
  CHECK(w::explain(w::compile(open_end{}), z).launches() <= 2);
}

TEST_CASE("a gradient of slices keeps the sign of zero") {
  w::tensor<float, 2> x = w::ones<float>(2);
  auto f = w::compile(w::grad(
      [](auto y) { return w::sum(w::slice<0, 0, 1>(y) * -0.0) + w::sum(w::slice<0, 1, 2>(y)); }));
  const w::tensor<float, 2> g = f(x);
  CHECK((g(0) == 0 && std::signbit(g(0))));
  CHECK(g(1) == 1);
}

TEST_CASE("a part of a result is not written before an error") {
  const w::tensor<float, 3> x = w::ones<float>(3);
  w::tensor<int, 2> i = w::zeros<int>(2);
  w::tensor<float, 8> y = w::ones<float>(8) * 7.0f;
  auto f = w::compile([](auto a, auto index) {
    auto b = w::exp(a);
    return w::concat(w::axis<0>, w::concat(w::axis<0>, b, w::tanh(a)), w::take(a, index));
  });
  i(1) = 3;
  CHECK_THROWS_AS(f.into(y, x, i), w::index_error);
  for (int k = 0; k < 8; ++k) CHECK(y(k) == 7);
  i(1) = 2;
  f.into(y, x, i);
  CHECK(y(0) == doctest::Approx(std::exp(1.0f)));
  CHECK(y(3) == doctest::Approx(std::tanh(1.0f)));
  CHECK(y(7) == 1);
}
