// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/compile/source.hpp>
#include <weft/grad/transforms.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "paths.hpp"

// Plans of common patterns, word for word: golden/NAME.txt. A change of the passes or the planner
// that is meant is recorded by running this test with WEFT_WRITE_GOLDEN=1, and reviewed as a diff.

namespace w = weft;
using w::dyn;
using w::symbol;
using w::detail::value_spec;

namespace {

value_spec spec(std::initializer_list<w::index_t> extents, w::dtype type = w::dtype::float32) {
  value_spec s{type, static_cast<int>(extents.size()), {}, false};
  int i = 0;
  for (w::index_t e : extents) s.extent[i++] = e;
  return s;
}

/// The text of the plan of f, captured at run time.
template <class F, class... S>
std::string planned(F f, const S&... specs) {
  w::detail::builder b;
  const value_spec all[]{specs...};
  auto result = [&]<int... K>(std::integer_sequence<int, K...>) {
    const symbol x[]{w::detail::make_argument(b, all[K], K)...};
    return f(x[K]...);
  }
  (std::make_integer_sequence<int, static_cast<int>(sizeof...(S))>{});
  if constexpr (std::is_same_v<decltype(result), symbol>)
    b.g.outputs.push_back(result.id());
  else
    std::apply([&](auto... y) { (b.g.outputs.push_back(y.id()), ...); }, result);
  REQUIRE(std::string(b.g.error.view()) == "");
  const w::detail::plan p = w::detail::make_plan(w::detail::optimised(b.finished()));
  REQUIRE(std::string(p.error.view()) == "");
  return w::detail::plan_source(w::detail::view_of(p)).text;
}

void check_golden(const std::string& name, const std::string& text) {
  const std::string path =
      std::string(weft_test::source_dir()) + "/tests/compile/golden/" + name + ".txt";
  if (std::getenv("WEFT_WRITE_GOLDEN")) {
    std::ofstream(path) << text;
    return;
  }
  std::ifstream file(path);
  REQUIRE_MESSAGE(file.good(), path);
  std::stringstream recorded;
  recorded << file.rdbuf();
  CHECK_MESSAGE(recorded.str() == text, name);
}

constexpr auto softmax = [](auto x) {
  auto e = w::exp(x - w::max(x, w::axis<1>, w::keepdims));
  return e / w::sum(e, w::axis<1>, w::keepdims);
};
constexpr auto layer_norm = [](auto x, auto scale, auto shift) {
  auto d = x - w::mean(x, w::axis<1>, w::keepdims);
  auto v = w::mean(d * d, w::axis<1>, w::keepdims);
  return d * w::rsqrt(v + 1e-5) * scale + shift;
};
constexpr auto dense = [](auto x, auto weight, auto bias) {
  return w::relu(w::matmul(x, weight) + bias);
};

}  // namespace

TEST_CASE("the plans of common patterns are the recorded ones") {
  const auto row = spec({dyn}), plane = spec({dyn, dyn});
  check_golden(
      "pointwise_chain",
      planned([](auto a, auto b, auto c) { return w::tanh(a * b + c) * w::sigmoid(a) - b; }, row,
              row, row));
  check_golden("softmax", planned(softmax, plane));
  check_golden("layer_norm", planned(layer_norm, plane, row, row));
  check_golden("rational_value_and_grad", planned(w::value_and_grad([](auto x) {
                                                    auto s = x * x;
                                                    auto a = s + 3 * x;
                                                    auto b = a * (x - 1);
                                                    return w::sum(b / (s + 1));
                                                  }),
                                                  row));
  check_golden("matmul_bias_relu", planned(dense, spec({32, 64}), spec({64, 10}), spec({10})));
  check_golden("dense_value_and_grad",
               planned(w::value_and_grad<1, 2>([](auto x, auto weight, auto bias) {
                         return w::mean(dense(x, weight, bias));
                       }),
                       spec({dyn, 64}), spec({64, 10}), spec({10})));
  check_golden("layer_norm_grad", planned(w::grad<0, 1, 2>([](auto x, auto scale, auto shift) {
                                            return w::sum(w::sin(layer_norm(x, scale, shift)));
                                          }),
                                          spec({dyn, 128}), spec({128}), spec({128})));
  check_golden("column_sums", planned([](auto x) { return w::sum(x * 0.1, w::axis<0>); }, plane));
  check_golden("middle_axis",
               planned([](auto x) { return w::max(x, w::axis<1>); }, spec({3, dyn, 5})));
  check_golden("outer_axes_of_three",
               planned([](auto x) { return w::sum(x, w::axis<0, 2>); }, spec({dyn, 4, 8})));
  check_golden("strided",
               planned([](auto x, auto y) { return x + w::transpose(y); }, plane, plane));
  check_golden(
      "integers",
      planned(
          [](auto x, auto y) {
            return std::tuple{w::where(x > y, w::floor_divide(x, y), x * 3 - 1), w::sum(x == y)};
          },
          spec({dyn}, w::dtype::int32), spec({dyn}, w::dtype::int32)));
  check_golden("sixteen_bits",
               planned(
                   [](auto x) {
                     auto y = w::cast<w::half>(w::tanh(x) * 3);
                     return std::tuple{y + 0.1, w::sum(x * x, w::axis<0>), w::max(x, w::axis<1>)};
                   },
                   spec({dyn, dyn}, w::dtype::bfloat16)));
  check_golden(
      "take_and_concat",
      planned([](auto x, auto y, auto i) { return w::take(w::concat(w::axis<0>, x, y), i); }, plane,
              plane, spec({dyn}, w::dtype::int64)));
}

// Compilers differ in the order in which they evaluate operands, so it must not reach the plan.
TEST_CASE("the order in which a function's operands were captured leaves no trace") {
  auto left_first = [](auto x) {
    auto a = x * x + 3 * x;
    auto b = w::sin(x);
    return w::sum(a * b);
  };
  auto right_first = [](auto x) {
    auto b = w::sin(x);
    auto s = x * x, t = 3 * x;
    return w::sum((s + t) * b);
  };
  const auto row = spec({dyn});
  CHECK(planned(left_first, row) == planned(right_first, row));
}
TEST_CASE("nor in a gradient") {
  auto left_first = [](auto x) {
    auto a = w::exp(x);
    auto b = w::sin(x);
    auto c = w::cos(x);
    return w::sum(a * b * c);
  };
  auto right_first = [](auto x) {
    auto c = w::cos(x);
    auto b = w::sin(x);
    auto a = w::exp(x);
    return w::sum(a * b * c);
  };
  const auto row = spec({dyn});
  CHECK(planned(w::grad(left_first), row) == planned(w::grad(right_first), row));
}

TEST_CASE("the printed loops follow the plan") {
  const auto plane = spec({dyn, dyn});
  const std::string changed = planned(
      [](auto x) {
        auto e = w::exp(x - w::max(x, w::axis<1>, w::keepdims));
        return e * w::sum(e, w::axis<1>, w::keepdims);
      },
      plane);
  CHECK(changed != planned(softmax, plane));
  // An expensive value that a later pass needs is kept; a cheap one is computed again.
  CHECK(changed.find("kept") != std::string::npos);
  const std::string cheap = planned(
      [](auto x) {
        auto d = x - w::max(x, w::axis<1>, w::keepdims);
        return d * w::sum(d, w::axis<1>, w::keepdims);
      },
      plane);
  CHECK(cheap.find("kept") == std::string::npos);
}

TEST_CASE("literals read back as the same number") {
  using w::detail::literal_text;
  auto bits = [](double v) { return std::bit_cast<w::index_t>(v); };
  CHECK(literal_text(w::dtype::float32, bits(0.5)) == "0.5f");
  CHECK(literal_text(w::dtype::float32, bits(-3)) == "-3.0f");
  CHECK(literal_text(w::dtype::float64, bits(-0.0)) == "-0.0");
  CHECK(literal_text(w::dtype::float32, bits(static_cast<double>(0.1f))) ==
        "0.1f /* 0x1.99999ap-4 */");
  CHECK(literal_text(w::dtype::float64, bits(0.1)) == "0.1 /* 0x1.999999999999ap-4 */");
  CHECK(literal_text(w::dtype::float64, bits(1e300 * 1e300)) ==
        "std::numeric_limits<double>::infinity()");
  CHECK(literal_text(w::dtype::int64, -5) == "std::int64_t{-5}");
  CHECK(literal_text(w::dtype::boolean, 1) == "true");
  CHECK(std::strtof("0.1f", nullptr) == 0.1f);
}
