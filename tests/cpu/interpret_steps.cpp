// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "interpret_check.hpp"

#include <weft/cpu/threads.hpp>
#include <weft/grad/transforms.hpp>

// Interpreted kernels of 16-bit values, beside products and other steps, and shared by teams.
namespace w = weft;
using namespace weft_test;

namespace {

struct halves {
  constexpr auto operator()(auto x) const {
    return std::tuple{w::tanh(x * 3 + 0.1) * x, w::softmax(x), w::mean(x, w::axis<1>), x > 0.5,
                      w::sum(x * x, w::axis<0>)};
  }
};
struct half_casts {
  constexpr auto operator()(auto x) const {
    return std::tuple{w::cast<float>(w::cast<w::bfloat16>(x) + 1), w::cast<w::half>(x * 2),
                      w::cast<double>(w::exp(w::cast<w::half>(x)))};
  }
};
struct noise {
  constexpr auto operator()(auto x, auto key) const {
    return std::tuple{w::random::normal_like(x, key) + x, w::dropout(x, key, 0.25f)};
  }
};
struct dense_gradients {
  constexpr auto operator()(auto x, auto k, auto bias) const {
    return w::grad<0, 1, 2>([](auto a, auto b, auto c) {
      return w::mean(w::square(w::gelu(w::matmul(a, b) + c)));
    })(x, k, bias);
  }
};
struct steps {
  constexpr auto operator()(auto x, auto at) const {
    return std::tuple{w::argmax(x, w::axis<1>), w::take(w::exp(x), at) + 1,
                      w::grad([](auto y, auto i) { return w::sum(w::sin(w::take(y, i))); })(x, at),
                      w::concat(w::axis<1>, x, w::exp(x)) + 1};
  }
};
struct for_teams {
  constexpr auto operator()(auto x) const {
    return std::tuple{w::softmax(x), w::sum(w::exp(x), w::axis<0>), w::tanh(x) * x, w::sum(x * x)};
  }
};

}  // namespace

TEST_CASE("interpreted: 16-bit values") {
  check_interpreted_matrix<halves, dtype::float16>(false);
  check_interpreted_matrix<halves, dtype::bfloat16>(false);
  check_interpreted_matrix<half_casts>();
}
TEST_CASE("interpreted: random numbers, positions and constants") {
  using source = program_of_function<noise, f32({w::dyn, w::dyn}), spec(dtype::uint32, {2})>;
  for (index_t n : {index_t{1}, lanes + 1, index_t{1025}})
    check_interpreted<source>({filled(dtype::float32, {3, n}, 1), filled(dtype::uint32, {2}, 2)});
}
TEST_CASE("interpreted: products and their epilogues") {
  using source = program_of_function<dense_gradients, f32({w::dyn, w::dyn}), f32({w::dyn, w::dyn}),
                                     f32({w::dyn})>;
  for (index_t n : {index_t{1}, index_t{17}, index_t{70}})
    check_interpreted<source>({filled(dtype::float32, {33, 20}, 1),
                               filled(dtype::float32, {20, n}, 2), filled(dtype::float32, {n}, 3)});
}
TEST_CASE("interpreted: steps that are no loop nests") {
  using source = program_of_function<steps, f32({w::dyn, w::dyn}), i32({w::dyn})>;
  reference_value at(dtype::int32, {5});
  at.bits = {0, 2, 2, 1, 0};
  check_interpreted<source>({filled(dtype::float32, {3, 2 * lanes + 1}, 1), at});
}
TEST_CASE("interpreted: the number of threads changes nothing") {
  struct restore {
    ~restore() { w::set_threads(0); }
  } after;
  using source = program_of_function<for_teams, f32({w::dyn, w::dyn})>;
  for (int threads : {1, 3}) {
    w::set_threads(threads);
    check_interpreted<source>({filled(dtype::float32, {1, 220011}, 1)});
    check_interpreted<source>({filled(dtype::float32, {311, 701}, 1)});
    check_interpreted<source>({filled(dtype::float32, {20001, 11}, 1)});
  }
}

namespace {
/// Numbers of 64 bits beside vectors of 32 bits, whose lanes are twice as many.
struct wide_numbers {
  constexpr auto operator()(auto x, auto n) const {
    return std::tuple{x * w::cast<float>(n * 3 + 1), w::cast<int>(x) + w::cast<int>(n - 2)};
  }
};
}  // namespace
TEST_CASE("interpreted: 64-bit numbers in kernels of 32-bit vectors") {
  using source = program_of_function<wide_numbers, f32({w::dyn}), spec(dtype::int64)>;
  check_interpreted<source>(
      {filled(dtype::float32, {3 * lanes + 1}, 1), filled(dtype::int64, {}, 2)});
}
