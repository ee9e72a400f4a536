// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/array/creation.hpp>
#include <weft/compile/evaluate.hpp>
#include <weft/nn/init.hpp>
#include <weft/nn/linear.hpp>
#include <weft/nn/losses.hpp>

#include <doctest/doctest.h>

#include <cmath>

namespace w = weft;

namespace {

template <class T>
struct net {
  w::nn::linear<T> first;
  std::array<w::leaf<T, 1>, 2> scale;
  int heads = 4;
};
constexpr net<w::spec> shape{
    .first = w::nn::linear_spec(16, 3),
    .scale = {{{{5}, w::initializer::ones}, {{400}, w::initializer::normal, 0.5f}}},
    .heads = 7};

}  // namespace

TEST_CASE("init fills a model as its shape says, a function of the key alone") {
  const auto m = w::init(shape, w::seed_key(5));
  CHECK(m.heads == 7);
  CHECK(m.first.weight.shape() == w::shape_t<2>{16, 3});
  CHECK(m.first.bias.shape() == w::shape_t<1>{3});
  // Leaf i from the i-th child key, uniform within 1 / sqrt(inputs).
  const auto key = w::split(w::seed_key(5), 0);
  double least = 1, most = -1;
  for (w::index_t i = 0; i < 48; ++i) {
    const float x = m.first.weight(i / 3, i % 3);
    const double u = w::random_double(key, static_cast<std::uint64_t>(i));
    CHECK(x == doctest::Approx(0.25 * (2 * u - 1)).epsilon(1e-6));
    least = std::min<double>(least, x), most = std::max<double>(most, x);
  }
  CHECK(least < -0.2);
  CHECK(most > 0.2);
  CHECK(m.first.bias(0) != m.first.weight(0, 0));
  for (w::index_t i = 0; i < 5; ++i) CHECK(m.scale[0](i) == 1);
  double mean = 0, square = 0;
  for (w::index_t i = 0; i < 400; ++i) {
    mean += m.scale[1](i) / 400.0;
    square += m.scale[1](i) * m.scale[1](i) / 400.0;
  }
  CHECK(std::abs(mean) < 0.1);
  CHECK(std::sqrt(square) == doctest::Approx(0.5).epsilon(0.1));
  const auto other = w::init(shape, w::seed_key(6));
  CHECK(other.first.weight(0, 0) != m.first.weight(0, 0));
}

TEST_CASE("a linear layer is x W + b, also of tensors at hand") {
  const auto m = w::init(shape, w::seed_key(5));
  auto x = w::zeros<float>(2, 16);
  for (w::index_t i = 0; i < 32; ++i) x.data()[i] = 0.1f * static_cast<float>(i % 7) - 0.2f;
  const w::matrix<float> y = m.first(x);
  REQUIRE(y.shape() == w::shape_t<2>{2, 3});
  for (w::index_t i = 0; i < 2; ++i)
    for (w::index_t j = 0; j < 3; ++j) {
      double want = m.first.bias(j);
      for (w::index_t k = 0; k < 16; ++k) want += double{x(i, k)} * m.first.weight(k, j);
      CHECK(y(i, j) == doctest::Approx(want).epsilon(1e-5));
    }
}

TEST_CASE("losses are means: of rows for cross_entropy, of elements for mse") {
  const w::matrix<double> logits{{1, 2, 0}, {-1000, 0, 0}};
  const w::vector<std::int32_t> labels{1, 0};
  const double row0 = std::log(std::exp(1.0) + std::exp(2.0) + 1) - 2;
  const double row1 = 1000 + std::log(2.0);
  CHECK(w::item(w::nn::cross_entropy(logits, labels)) ==
        doctest::Approx((row0 + row1) / 2).epsilon(1e-14));
  const w::matrix<double> target{{1, 0, 0}, {-1000, 0, 3}};
  CHECK(w::item(w::nn::mse(logits, target)) == doctest::Approx(13.0 / 6));
}
