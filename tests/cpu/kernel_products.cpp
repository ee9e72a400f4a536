// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "kernel_check.hpp"

#include <weft/grad/transforms.hpp>

// Products with what follows them applied to their tiles, and gradients of products.
namespace w = weft;
using namespace weft_test;

namespace {

struct dense_layer {
  constexpr auto operator()(auto x, auto k, auto bias) const {
    return w::relu(w::matmul(x, k) + bias);
  }
};
struct dense_twice {
  constexpr auto operator()(auto x, auto k, auto bias) const {
    auto y = w::matmul(x, k);
    return std::tuple{y, w::tanh(y) * bias + y};
  }
};
struct dense_gradients {
  constexpr auto operator()(auto x, auto k, auto bias) const {
    return w::grad<0, 1, 2>([](auto a, auto b, auto c) {
      return w::mean(w::square(w::gelu(w::matmul(a, b) + c)));
    })(x, k, bias);
  }
};

template <class F, dtype Type>
void check_sizes() {
  using source = program_of_function<F, spec(Type, {w::dyn, w::dyn}), spec(Type, {w::dyn, w::dyn}),
                                     spec(Type, {w::dyn})>;
  for (index_t m : {0, 1, 7, 33})
    for (index_t k : {0, 1, 5, 300})
      for (index_t n : {index_t{0}, index_t{1}, lanes, 2 * lanes + 1})
        check_call<source>(
            {filled(Type, {m, k}, 1), filled(Type, {k, n}, 2), filled(Type, {n}, 3)});
}
template <class F>
void check_known() {
  auto one = [&]<index_t N>(std::integral_constant<index_t, N>) {
    using source = program_of_function<F, f32({3, N}), f32({N, N}), f32({N})>;
    check_call<source>({filled(dtype::float32, {3, N}, 1), filled(dtype::float32, {N, N}, 2),
                        filled(dtype::float32, {N}, 3)});
  };
  one(std::integral_constant<index_t, 3>{});
  one(std::integral_constant<index_t, lanes>{});
  one(std::integral_constant<index_t, 2 * lanes + 1>{});
}

}  // namespace

TEST_CASE("kernel forms: a product with its epilogue") {
  check_sizes<dense_layer, dtype::float32>();
  check_sizes<dense_layer, dtype::float64>();
  check_known<dense_layer>();
}
TEST_CASE("kernel forms: a product that is a result, and its epilogue") {
  check_sizes<dense_twice, dtype::float32>();
}
TEST_CASE("kernel forms: gradients of a dense_layer layer") {
  check_sizes<dense_gradients, dtype::float64>();
}
TEST_CASE("kernel forms: products of strided operands") {
  using source = program_of_function<dense_layer, strided(f32({w::dyn, w::dyn})),
                                     strided(f32({w::dyn, w::dyn})), strided(f32({w::dyn}))>;
  for (layout a : {layout::row_major, layout::spaced, layout::backwards, layout::transposed})
    for (layout b : {layout::row_major, layout::spaced, layout::backwards, layout::transposed})
      check_call<source>({filled(dtype::float32, {9, 40}, 1), filled(dtype::float32, {40, 21}, 2),
                          filled(dtype::float32, {21}, 3)},
                         {a, b, a == layout::transposed ? layout::spaced : a});
}
