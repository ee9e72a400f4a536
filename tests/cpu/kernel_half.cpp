// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "kernel_check.hpp"

#include <weft/cpu/lane_half.hpp>
#include <weft/grad/transforms.hpp>

// Kernels on memory of 16-bit floats: computed in float, rounded once where they are stored.
namespace w = weft;
using namespace weft_test;

namespace {

/// One rounding of what is stored, and what float arithmetic adds to it.
constexpr tolerance once{.ulp = 0.51};

/// Against the reference, which rounds nothing between ops; results of one kernel only.
template <class Source>
void check_once(const std::vector<reference_value>& x, const std::vector<layout>& layouts = {},
                const tolerance& within = once) {
  for (const auto& v : x) CAPTURE(described(v));
  auto wanted = expected<Source>(x);
  const auto found = run<Source>(x, layouts);
  CHECK(results_differ(found, wanted, within) == "");
  CHECK(bits_differ(run<Source>(x, layouts), found) == "");
}

struct chain {
  constexpr auto operator()(auto x) const {
    return std::tuple{w::tanh(x * 3 + 0.1) * x, x * 256 * 256 / 65536, x > 0.5, -x};
  }
};
struct rows {
  constexpr auto operator()(auto x) const {
    return std::tuple{w::softmax(x), w::mean(x, w::axis<1>), w::max(x, w::axis<1>, w::keepdims)};
  }
};
struct normalised {
  constexpr auto operator()(auto x) const { return w::layer_norm(x) * 2; }
};
/// One kernel: forward and backward in floats.
struct row_gradients {
  constexpr auto operator()(auto x) const {
    return std::tuple{w::grad([](auto y) { return w::sum(w::sin(w::layer_norm(y))); })(x),
                      w::grad([](auto y) { return w::sum(w::square(w::softmax(y))); })(x),
                      w::grad([](auto y) { return w::sum(w::max(y * y, w::axis<1>)); })(x)};
  }
};
struct columns {
  constexpr auto operator()(auto x) const {
    return std::tuple{w::sum(x * x, w::axis<0>), w::max(x, w::axis<0>)};
  }
};
struct dense {
  constexpr auto operator()(auto x, auto k, auto bias) const {
    auto y = w::matmul(x, k);
    return std::tuple{y, w::relu(y + bias)};
  }
};
struct places {
  constexpr auto operator()(auto x) const {
    return std::tuple{w::argmax(x, w::axis<1>), w::argmin(x, w::axis<0>)};
  }
};
struct gathered {
  constexpr auto operator()(auto x, auto at) const { return w::take(x, at); }
};
struct scattered {
  constexpr auto operator()(auto x, auto at) const {
    return w::grad([](auto y, auto i) { return w::sum(w::square(w::take(y, i))); })(x, at);
  }
};
struct broadcast_gradient {
  constexpr auto operator()(auto x, auto y) const {
    return w::grad<0, 1>([](auto a, auto b) { return w::sum(a * b); })(x, y);
  }
};
template <class T>
struct cast_to {
  constexpr auto operator()(auto x) const { return w::cast<T>(x); }
};
/// The cast rounds between the two ops, though one kernel holds both.
struct rounded_between {
  constexpr auto operator()(auto x) const {
    using H = w::bfloat16;
    return std::tuple{w::cast<float>(w::cast<H>(x + 1)), w::cast<H>(w::cast<H>(x) * 3) - 1};
  }
};

template <class F, dtype Type>
void check_matrix(const tolerance& within = once) {
  using dynamic = program_of_function<F, spec(Type, {w::dyn, w::dyn})>;
  for (index_t n : {index_t{1}, lanes - 1, lanes, 2 * lanes + 1, index_t{1025}})
    for (index_t m : {1, 3, 300}) check_once<dynamic>({filled(Type, {m, n}, 7)}, {}, within);
  using open = program_of_function<F, strided(spec(Type, {w::dyn, w::dyn}))>;
  for (layout how : {layout::shifted, layout::spaced, layout::backwards, layout::transposed})
    check_once<open>({filled(Type, {5, 2 * lanes + 1}, 8)}, {how}, within);
}

/// All patterns of 16 bits.
template <class H>
reference_value all_patterns() {
  reference_value x(w::dtype_of<H>, {65536});
  for (unsigned b = 0; b < 65536; ++b)
    x.reals[b] = static_cast<float>(H::from_bits(static_cast<std::uint16_t>(b)));
  return x;
}

/// Numbers at, and beside, the middles of neighbours.
reference_value near_ties(dtype type) {
  generator g(5);
  reference_value x(dtype::float64, {20011});
  for (auto& v : x.reals) {
    const double scale = std::ldexp(1.0, g.below(60) - 35);
    const double m = 1 + g.below(4096) * 0x1p-12;  // a middle of half's, in one of two
    const double beside = g.below(3) - 1;
    v = (g.bits() & 1 ? -1 : 1) * scale *
        (m + beside * (type == dtype::float32 ? 0x1p-23 : 0x1p-45));
  }
  return w::detail::converted(x, type);
}

template <class H>
void check_casts() {
  constexpr dtype type = w::dtype_of<H>;
  const auto all = all_patterns<H>();
  auto exact = [](auto source, const reference_value& x) {
    const auto found = run<decltype(source)>({x});
    CHECK(bits_differ(found, expected<decltype(source)>({x})) == "");
  };
  exact(program_of_function<cast_to<float>, spec(type, {w::dyn})>{}, all);
  exact(program_of_function<cast_to<std::int32_t>, spec(type, {w::dyn})>{}, all);
  exact(program_of_function<cast_to<bool>, spec(type, {w::dyn})>{}, all);
  exact(program_of_function<cast_to<H>, f32({w::dyn})>{}, near_ties(dtype::float32));
  exact(program_of_function<cast_to<H>, f64({w::dyn})>{}, near_ties(dtype::float64));
  exact(program_of_function<cast_to<H>, i32({w::dyn})>{},
        filled(dtype::int32, {4099}, 3, -2e9, 2e9));
  exact(program_of_function<cast_to<H>, spec(dtype::uint8, {w::dyn})>{},
        filled(dtype::uint8, {777}, 3, 0, 255));
  exact(program_of_function<cast_to<H>, spec(dtype::boolean, {w::dyn})>{},
        filled(dtype::boolean, {77}, 3));
}

}  // namespace

TEST_CASE_TEMPLATE("half lanes: stores round as the scalar type does", H, w::half, w::bfloat16) {
  auto check = [&]<std::size_t W>(std::integral_constant<std::size_t, W>) {
    using L = w::simd::lane<float, W, xsimd::default_arch>;
    generator g(9);
    int wrong = 0;
    for (int round = 0; round < 20000; ++round) {
      float x[W];
      H to[W + 1], back[W];
      for (float& v : x) v = std::bit_cast<float>(static_cast<std::uint32_t>(g.bits()));
      const std::size_t n = 1 + g.bits() % W;
      for (H& h : to) h = H(7);
      w::simd::store_partial(static_cast<H*>(to), n, w::simd::load<L>(x));
      auto same = [](H a, H b) { return a.bits == b.bits || (a != a && b != b); };
      for (std::size_t i = 0; i <= W; ++i) wrong += !same(to[i], i < n ? H(x[i]) : H(7));
      w::simd::store(static_cast<H*>(back),
                     w::simd::load_partial<L>(static_cast<const H*>(to), n, H(3)));
      for (std::size_t i = 0; i < W; ++i) wrong += !same(back[i], i < n ? to[i] : H(3));
    }
    CHECK(wrong == 0);
  };
  check(std::integral_constant<std::size_t, 4>{});
  check(std::integral_constant<std::size_t, 8>{});
  check(std::integral_constant<std::size_t, 16>{});
}

TEST_CASE("half kernels: elements, rows and columns, any layout and tail") {
  check_matrix<chain, dtype::bfloat16>();
  check_matrix<chain, dtype::float16>();
  check_matrix<rows, dtype::bfloat16>();
  check_matrix<rows, dtype::float16>();
  check_matrix<columns, dtype::bfloat16>();
  check_matrix<columns, dtype::float16>();
}

TEST_CASE("half kernels: layer_norm of rows") {
  using source = program_of_function<normalised, spec(dtype::bfloat16, {w::dyn, w::dyn})>;
  for (index_t n : {index_t{2}, lanes + 3, index_t{1000}})
    check_once<source>({filled(dtype::bfloat16, {5, n}, 4)}, {}, {.ulp = 0.51, .absolute = 1e-6});
}

TEST_CASE_TEMPLATE("half kernels: gradients of rows", H, w::half, w::bfloat16) {
  constexpr dtype type = w::dtype_of<H>;
  using source = program_of_function<row_gradients, spec(type, {w::dyn, w::dyn})>;
  for (index_t n : {index_t{2}, lanes + 3, index_t{300}})
    check_once<source>({filled(type, {5, n}, 6)}, {}, {.ulp = 0.51, .absolute = 4e-6});
}

TEST_CASE_TEMPLATE("half kernels: casts round once", H, w::half, w::bfloat16) {
  check_casts<H>();
}

TEST_CASE("half kernels: a cast between fused ops rounds") {
  using from_float = program_of_function<rounded_between, f32({w::dyn})>;
  check_once<from_float>({filled(dtype::float32, {1001}, 2)}, {}, {.ulp = 0.51});
  using from_half = program_of_function<rounded_between, spec(dtype::bfloat16, {w::dyn})>;
  const auto x = filled(dtype::bfloat16, {1001}, 2);
  const auto found = run<from_half>({x})[0];
  for (index_t i = 0; i < x.size(); ++i)
    REQUIRE(found[i] == w::bfloat16(static_cast<float>(x[i]) + 1));
}

TEST_CASE("half kernels: products, with what follows on float tiles") {
  constexpr dtype type = dtype::bfloat16;
  using source = program_of_function<dense, spec(type, {w::dyn, w::dyn}),
                                     spec(type, {w::dyn, w::dyn}), spec(type, {w::dyn})>;
  for (index_t m : {0, 1, 7, 33})
    for (index_t k : {0, 1, 300})
      for (index_t n : {index_t{1}, lanes, 2 * lanes + 1})
        check_once<source>({filled(type, {m, k}, 1), filled(type, {k, n}, 2), filled(type, {n}, 3)},
                           {}, {.ulp = 0.51, .absolute = 1e-4});
  // More tiles than one, and the operands transposed.
  using open = program_of_function<dense, strided(spec(type, {w::dyn, w::dyn})),
                                   strided(spec(type, {w::dyn, w::dyn})), spec(type, {w::dyn})>;
  check_once<open>({filled(type, {300, 70}, 1), filled(type, {70, 200}, 2), filled(type, {200}, 3)},
                   {layout::transposed, layout::transposed}, {.ulp = 0.51, .absolute = 1e-4});
}

TEST_CASE("half kernels: places, take, and a gradient that adds up in float") {
  constexpr dtype type = dtype::float16;
  check_once<program_of_function<places, spec(type, {w::dyn, w::dyn})>>({filled(type, {9, 33}, 1)});
  const auto at = values(dtype::int32, {6}, {0, 3, 3, -1, 2, 3});
  const auto x = filled(type, {5, 19}, 2);
  check_once<program_of_function<gathered, spec(type, {w::dyn, w::dyn}), i32({w::dyn})>>({x, at});
  check_once<program_of_function<scattered, spec(type, {w::dyn, w::dyn}), i32({w::dyn})>>({x, at});
  // 3,000 times 2: in steps of 16 bits the sum would stop at 4096.
  reference_value many(dtype::int32, {3000});
  check_once<program_of_function<scattered, spec(type, {w::dyn}), i32({w::dyn})>>(
      {values(type, {2}, {1, 5}), many});
  using sums =
      program_of_function<broadcast_gradient, spec(type, {w::dyn, w::dyn}), spec(type, {w::dyn})>;
  check_once<sums>({filled(type, {40, 7}, 3), filled(type, {7}, 4)}, {},
                   {.ulp = 0.51, .absolute = 1e-5});
}

TEST_CASE("half kernels: NaN, infinities and the mean of many") {
  using source = program_of_function<rows, spec(dtype::float16, {w::dyn, w::dyn})>;
  check_once<source>(
      {values(dtype::float16, {3, 3}, {1, qnan, 2, 60000, 60000, -inf, -inf, 1, 0})});
  // The number of elements is a float: 70,000 is past the greatest half.
  reference_value ones(dtype::float16, {1, 70000});
  for (auto& v : ones.reals) v = 1;
  CHECK(run<source>({ones})[1][0] == 1);
}
