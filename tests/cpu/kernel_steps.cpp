// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "kernel_check.hpp"

#include <weft/grad/transforms.hpp>

// Steps that are no loop nest: gather, scatter, places of extremes, concatenation, padding.
namespace w = weft;
using namespace weft_test;

namespace {

struct places {
  constexpr auto operator()(auto x) const {
    return std::tuple{w::argmax(x, w::axis<1>), w::argmin(x * 2, w::axis<0>), w::argmax(x)};
  }
};
struct gathered {
  constexpr auto operator()(auto x, auto at) const {
    return std::tuple{w::take(w::exp(x), at) + 1, w::take(x, at, w::axis<1>)};
  }
};
/// The gradient of take adds where indices repeat.
struct scattered {
  constexpr auto operator()(auto x, auto at) const {
    return w::grad([](auto y, auto i) { return w::sum(w::sin(w::take(y, i))); })(x, at);
  }
};
struct joined {
  constexpr auto operator()(auto x) const {
    return std::tuple{w::concat(w::axis<0>, x, x * 2, x), w::concat(w::axis<1>, x, w::exp(x)) + 1};
  }
};
/// The gradient of a slice pads.
struct padded {
  constexpr auto operator()(auto x) const {
    return w::grad([](auto y) {
      return w::sum(w::square(w::slice<0, 1, w::to_end, 2>(y))) + w::sum(w::slice<1, 0, 1>(y));
    })(x);
  }
};
/// Windows of each other, as views and as what is computed.
struct windows {
  constexpr auto operator()(auto x) const {
    return std::tuple{w::slice<0, w::to_end, w::to_front, -1>(x) + x, w::transpose(w::exp(x)) * 2,
                      w::slice<1, 0, w::to_end, 2>(w::tanh(x))};
  }
};

reference_value indices(index_t count, index_t extent) {
  generator g(5);
  reference_value r(dtype::int32, {count});
  for (auto& b : r.bits)
    b = static_cast<std::uint64_t>(static_cast<index_t>(g.below(static_cast<int>(2 * extent))) -
                                   extent);
  return r;
}

}  // namespace

TEST_CASE("kernel forms: places of extremes") {
  using source = program_of_function<places, f32({w::dyn, w::dyn})>;
  for (index_t n : edge_extents()) {
    if (n == 0) continue;
    for (index_t rows : {1, 3, 18}) {
      auto x = filled(dtype::float32, {rows, n}, 7);
      check_call<source>({x});
      // Ties: the lowest place. NaN: the first.
      for (auto& v : x.reals) v = std::floor(v);
      check_call<source>({x});
      for (std::size_t i = x.reals.size() / 2; i < x.reals.size(); i += 3) x.reals[i] = qnan;
      check_call<source>({x});
    }
  }
  check_static_form<places>();
}
TEST_CASE("kernel forms: gather and scatter") {
  using take = program_of_function<gathered, f32({w::dyn, w::dyn}), i32({w::dyn})>;
  using give = program_of_function<scattered, f32({w::dyn, w::dyn}), i32({w::dyn})>;
  for (index_t n : edge_extents()) {
    if (n == 0) continue;
    for (index_t count : {0, 1, 3, 70}) {
      const index_t rows = n > 1000 ? 2 : 5;
      const auto x = filled(dtype::float32, {rows, n}, 3);
      check_call<take>({x, indices(count, rows < n ? rows : n)});
      check_call<give>({x, indices(count, rows)});
    }
  }
  const auto x = filled(dtype::float32, {3, lanes}, 3);
  check_call<program_of_function<gathered, f32({3, lanes}), i32({4})>>({x, indices(4, 3)});
  check_call<program_of_function<scattered, f32({3, lanes}), i32({4})>>({x, indices(4, 3)});
  using open =
      program_of_function<gathered, strided(f32({w::dyn, w::dyn})), strided(i32({w::dyn}))>;
  for (layout how : {layout::spaced, layout::backwards, layout::transposed})
    check_call<open>({x, indices(9, 3)}, {how, how == layout::transposed ? layout::spaced : how});
  // Out of range: an error, before anything is written.
  CHECK_THROWS_AS(run<take>({x, vector_of({0, 3}, dtype::int32)}), w::index_error);
  CHECK_THROWS_AS(run<take>({x, vector_of({-4}, dtype::int32)}), w::index_error);
}
TEST_CASE("kernel forms: concatenation") {
  check_matrix_form<joined>();
  check_static_form<joined>();
}
TEST_CASE("kernel forms: padding") {
  using source = program_of_function<padded, f32({w::dyn, w::dyn})>;
  for (index_t n : edge_extents())
    for (index_t rows : {0, 1, 2, 3, 8}) check_call<source>({filled(dtype::float32, {rows, n}, 7)});
  check_static_form<padded>();
}
TEST_CASE("kernel forms: windows and transposes of what is computed") {
  check_matrix_form<windows>();
  check_static_form<windows>();
}
