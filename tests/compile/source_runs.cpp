// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/array/creation.hpp>
#include <weft/compile/evaluate.hpp>
#include <weft/compile/source_prelude.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

// The printed loops are C++: these are compiled, run, and compared with what the library computes.
namespace weft_golden::chain {
using namespace weft::loops;
#include "compile/golden/pointwise_chain.txt"
}  // namespace weft_golden::chain
namespace weft_golden::softmax {
using namespace weft::loops;
#include "compile/golden/softmax.txt"
}  // namespace weft_golden::softmax
namespace weft_golden::layer_norm {
using namespace weft::loops;
#include "compile/golden/layer_norm.txt"
}  // namespace weft_golden::layer_norm
namespace weft_golden::layer_norm_grad {
using namespace weft::loops;
#include "compile/golden/layer_norm_grad.txt"
}  // namespace weft_golden::layer_norm_grad
namespace weft_golden::integers {
using namespace weft::loops;
#include "compile/golden/integers.txt"
}  // namespace weft_golden::integers
namespace weft_golden::middle {
using namespace weft::loops;
#include "compile/golden/middle_axis.txt"
}  // namespace weft_golden::middle
namespace weft_golden::sixteen {
using namespace weft::loops;
#include "compile/golden/sixteen_bits.txt"
}  // namespace weft_golden::sixteen

namespace w = weft;

namespace {

w::matrix<float> numbers(w::index_t rows, w::index_t columns) {
  auto x = w::matrix<float>::uninitialized({rows, columns});
  for (w::index_t i = 0; i < x.size(); ++i)
    x.data()[i] = 0.25f * static_cast<float>((i * 37) % 29) - 3.0f;
  return x;
}

double worst(const float* a, const float* b, w::index_t n) {
  double most = 0;
  for (w::index_t i = 0; i < n; ++i)
    most = std::max(most, static_cast<double>(std::fabs(a[i] - b[i])));
  return most;
}

}  // namespace

TEST_CASE("the printed loops compute what the library computes") {
  constexpr w::index_t rows = 5, inner = 37;
  const auto x = numbers(rows, inner);
  std::vector<float> out(static_cast<std::size_t>(rows * inner));

  SUBCASE("a pointwise chain") {
    const w::vector<float> a = w::full<float>({inner}, 0.75f), b = w::full<float>({inner}, -0.5f);
    auto c = w::vector<float>::uninitialized({inner});
    std::copy_n(x.data(), inner, c.data());
    weft_golden::chain::kernel_0(inner, {a.data(), {1}}, {b.data(), {1}}, {c.data(), {1}},
                                 {out.data(), {1}});
    const w::vector<float> y = w::tanh(a * b + c) * w::sigmoid(a) - b;
    CHECK(worst(out.data(), y.data(), inner) < 1e-6);
  }
  SUBCASE("softmax") {
    weft_golden::softmax::kernel_0(rows, inner, {x.data(), {inner, 1}}, {out.data(), {inner, 1}});
    const auto X = w::variable<"x">(x);
    auto e = w::exp(X - w::max(X, w::axis<1>, w::keepdims));
    const w::matrix<float> y = e / w::sum(e, w::axis<1>, w::keepdims);
    CHECK(worst(out.data(), y.data(), x.size()) < 1e-6);
  }
  SUBCASE("layer norm") {
    const float count = inner;
    const w::vector<float> scale = w::full<float>({inner}, 1.5f),
                           shift = w::full<float>({inner}, 2);
    weft_golden::layer_norm::kernel_0(rows, inner, {x.data(), {inner, 1}}, {&count, {}},
                                      {scale.data(), {0, 1}}, {shift.data(), {0, 1}},
                                      {out.data(), {inner, 1}});
    const auto X = w::variable<"x">(x);
    auto d = X - w::mean(X, w::axis<1>, w::keepdims);
    auto v = w::mean(d * d, w::axis<1>, w::keepdims);
    const w::matrix<float> y = d * w::rsqrt(v + 1e-5f) * scale + shift;
    CHECK(worst(out.data(), y.data(), x.size()) < 1e-5);
  }
  SUBCASE("the gradient of layer norm, with its column sums") {
    const auto z = numbers(rows, 128);
    std::vector<float> dx(static_cast<std::size_t>(z.size())), ds(128), dt(128);
    const w::vector<float> ones = w::full<float>({128}, 1), shifts = w::full<float>({128}, 0.5f);
    weft_golden::layer_norm_grad::kernel_0(rows, 128, {z.data(), {128, 1}}, {ones.data(), {0, 1}},
                                           {shifts.data(), {0, 1}}, {dx.data(), {128, 1}},
                                           {ds.data(), {0, 1}}, {dt.data(), {0, 1}});
    const auto X = w::variable<"x">(z);
    const auto S = w::variable<"s">(ones);
    const auto T = w::variable<"t">(shifts);
    auto d = X - w::mean(X, w::axis<1>, w::keepdims);
    auto v = w::mean(d * d, w::axis<1>, w::keepdims);
    auto f = w::sum(w::sin(d * w::rsqrt(v + 1e-5f) * S + T));
    const w::matrix<float> gx = w::grad(f, X);
    const w::vector<float> gs = w::grad(f, S), gt = w::grad(f, T);
    CHECK(worst(dx.data(), gx.data(), z.size()) < 1e-5);
    CHECK(worst(ds.data(), gs.data(), 128) < 1e-5);
    CHECK(worst(dt.data(), gt.data(), 128) < 1e-5);
  }
  SUBCASE("integers, where and a count") {
    const std::vector<std::int32_t> p{7, -7, 3, 0}, q{2, -8, 3, 5};
    std::vector<std::int32_t> y(4);
    std::int64_t equal = -1;
    weft_golden::integers::kernel_0(4, {p.data(), {1}}, {q.data(), {1}}, {y.data(), {1}},
                                    {&equal, {0}});
    CHECK(y == std::vector<std::int32_t>{3, 0, 8, -1});
    CHECK(equal == 1);
  }
  SUBCASE("16 bits in memory, floats between") {
    const w::matrix<w::bfloat16> z = w::cast<w::bfloat16>(x);
    auto y = w::matrix<w::half>::uninitialized({rows, inner});
    auto sums = w::vector<w::bfloat16>::uninitialized({inner});
    auto most = w::vector<w::bfloat16>::uninitialized({rows});
    weft_golden::sixteen::kernel_0(rows, inner, {z.data(), {inner, 1}}, {y.data(), {inner, 1}},
                                   {sums.data(), {0, 1}}, {most.data(), {1, 0}});
    const w::vector<w::bfloat16> library_sums = w::sum(z * z, w::axis<0>);
    const w::vector<w::bfloat16> library_most = w::max(z, w::axis<1>);
    auto t = w::cast<w::half>(w::cast<float>(w::tanh(z) * w::lit<3>));
    const w::matrix<w::half> library_y = t + w::lit<0.1f>;
    for (w::index_t i = 0; i < y.size(); ++i)
      CHECK(std::abs(y.data()[i] - library_y.data()[i]) <= 0x1p-9f);
    for (w::index_t i = 0; i < inner; ++i) CHECK(sums(i) == library_sums(i));
    for (w::index_t i = 0; i < rows; ++i) CHECK(most(i) == library_most(i));
  }
  SUBCASE("a middle axis: columns within rows") {
    weft_golden::middle::kernel_0(3, 4, 5, {x.data(), {20, 5, 1}}, {out.data(), {5, 0, 1}});
    for (w::index_t k = 0; k < 15; ++k) {
      float most = -100;
      for (w::index_t j = 0; j < 4; ++j)
        most = std::max(most, x.data()[k / 5 * 20 + j * 5 + k % 5]);
      CHECK(out[static_cast<std::size_t>(k)] == most);
    }
  }
}
