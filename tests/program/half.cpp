// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
//
// Programs on 16-bit floats through both front doors.
#include <weft/weft.hpp>

#include <doctest/doctest.h>

#include <cmath>

namespace w = weft;
using bf16 = w::bfloat16;
using w::half;

namespace {

template <class H>
w::matrix<H> numbers(w::index_t rows, w::index_t columns, int seed) {
  auto x = w::matrix<H>::uninitialized({rows, columns});
  for (w::index_t i = 0; i < x.size(); ++i)
    x.data()[i] = H(static_cast<float>((i * 37 + seed * 11) % 61 - 30) / 17.0f);
  return x;
}

/// Half a unit in the last place of H at v.
template <class H>
double rounding(double v) {
  constexpr int digits = std::numeric_limits<H>::digits;
  const int e = std::max(v == 0 ? -100 : std::ilogb(v), std::numeric_limits<H>::min_exponent - 1);
  return std::ldexp(0.5, e - digits + 1);
}

/// The greatest distance of two matrices, as a part of a bound that may depend on the place.
template <class X, class Y, class Bound>
double worst(const X& x, const Y& y, Bound bound) {
  double r = x.size() == y.size() ? 0 : 1e9;
  for (w::index_t i = 0; i < x.size(); ++i) {
    const double a = x.data()[i], b = y.data()[i];
    if (a != b) r = std::max(r, std::fabs(a - b) / bound(i));
  }
  return r;
}

template <class T>
struct layer {
  w::leaf<T, 2, bf16> weight;
  w::leaf<T, 1, bf16> bias;
  constexpr auto operator()(const auto& x) const { return w::matmul(x, weight) + bias; }
};
constexpr layer<w::spec> layer_shape{.weight = {{3, 1}, w::initializer::uniform, 0.5f},
                                     .bias = {{1}, w::initializer::zeros, 1}};

template <class T>
struct mixed {
  w::nn::linear<T> inner;
  constexpr auto operator()(const auto& x) const {
    return w::cast<float>(w::matmul(w::cast<bf16>(x), w::cast<bf16>(inner.weight))) + inner.bias;
  }
};
constexpr mixed<w::spec> mixed_shape{.inner = w::nn::linear_spec(3, 1)};

}  // namespace

TEST_CASE_TEMPLATE("fused and unfused agree within one rounding for each stored value", H, half,
                   bf16) {
  const auto x = numbers<H>(7, 45, 1), y = numbers<H>(7, 45, 2);
  const w::matrix<H> fused = w::tanh(x * y + x);
  const w::matrix<H> product = x * y;
  const w::matrix<H> sum = product + x;
  const w::matrix<H> apart = w::tanh(sum);
  const auto bound = [&](w::index_t i) {
    return rounding<H>(product.data()[i]) + rounding<H>(sum.data()[i]) +
           2.01 * rounding<H>(fused.data()[i]);
  };
  CHECK(worst(fused, apart, bound) <= 1);
  CHECK(worst(fused, apart, [](w::index_t) { return 1e-9; }) > 0);  // they are two programs

  // One kernel rounds once.
  int wrong = 0;
  for (w::index_t i = 0; i < x.size(); ++i) {
    const double a = x.data()[i], b = y.data()[i], exact = std::tanh(a * b + a);
    wrong += std::fabs(fused.data()[i] - exact) > 1.01 * rounding<H>(exact);
  }
  CHECK(wrong == 0);
}

TEST_CASE("both front doors give the same bits") {
  const auto x = numbers<bf16>(5, 19, 3), k = numbers<bf16>(19, 6, 4);
  const auto f =
      w::compile([](auto a, auto b) { return w::softmax(w::layer_norm(w::matmul(a, b)) * 0.1f); });
  const w::matrix<bf16> from_function = f(x, k);
  const w::matrix<bf16> from_expression = w::softmax(w::layer_norm(w::matmul(x, k)) * w::lit<0.1f>);
  CHECK(worst(from_function, from_expression, [](w::index_t) { return 1.0; }) == 0);

  // Against the same in float.
  const w::matrix<float> xf = w::cast<float>(x), kf = w::cast<float>(k);
  const w::matrix<float> exact = w::softmax(w::layer_norm(w::matmul(xf, kf)) * w::lit<0.1f>);
  CHECK(worst(from_function, exact,
              [&](w::index_t i) { return 4 * rounding<bf16>(exact.data()[i]); }) <= 1);
}

TEST_CASE("scalars: a run-time number rounds to the dtype, a literal is a float") {
  const w::vector<bf16> x{1, 2, 4};
  const w::vector<bf16> y = x * 0.1f;
  CHECK(y(0) == static_cast<float>(bf16(0.1f)));
  const w::vector<bf16> z = x * bf16(0.1f) + half(1) * x;
  CHECK(z(0) == bf16(static_cast<float>(bf16(0.1f)) + 1));
  const w::vector<float> exact = w::cast<float>(x * w::lit<0.1f>);
  CHECK(exact(0) == 0.1f);
  const w::vector<float> rounded = w::cast<float>(w::cast<bf16>(x * w::lit<0.1f>));
  CHECK(rounded(0) == static_cast<float>(bf16(0.1f)));
  const float total = w::sum(x);
  const double wide = w::sum(x);
  const bf16 narrow = w::sum(x);
  const w::tensor<bf16> kept = w::sum(x);
  const float from_tensor = kept;
  CHECK(total == 7);
  CHECK(wide == 7);
  CHECK(narrow == 7.0f);
  CHECK(from_tensor == 7);
  CHECK(static_cast<int>(w::sum(x)) == 7);
  CHECK(std::sqrt(kept) == std::sqrt(7.0f));
}

TEST_CASE("assignments: views, aliases and compound operators") {
  w::vector<half> a{1, 2, 3, 4, 5};
  a(w::range(1, 5)) = a(w::range(0, 4)) * 2;
  CHECK(a(1) == 2.0f);
  CHECK(a(4) == 8.0f);
  a += 0.5f;
  a *= a;
  CHECK(a(0) == 2.25f);
  w::matrix<half> m = numbers<half>(4, 4, 1);
  const w::matrix<half> old = m;
  m = m + w::transpose(m);
  CHECK(m(1, 2) == half(old(1, 2) + old(2, 1)));
  m(w::all, 0) = 7;
  CHECK(m(3, 0) == 7.0f);
  const w::vector<std::int64_t> places = w::argmax(m, w::axis<1>);
  CHECK(places(0) == 0);
}

TEST_CASE("gradients keep the dtype; saved or recomputed, within roundings") {
  const auto x = numbers<bf16>(6, 17, 5), k = numbers<bf16>(17, 4, 6);
  const auto loss = [](auto a, auto b) { return w::mean(w::square(w::gelu(w::matmul(a, b)))); };
  const auto again = [](auto a, auto b) {
    return w::checkpoint(
        [](auto u, auto v) { return w::mean(w::square(w::gelu(w::matmul(u, v)))); })(a, b);
  };
  const w::matrix<bf16> g = w::grad<1>(loss)(x, k);
  const w::matrix<bf16> h = w::grad<1>(again)(x, k);
  const w::matrix<float> xf = w::cast<float>(x), kf = w::cast<float>(k);
  const w::matrix<float> exact = w::grad<1>(loss)(xf, kf);
  // One value between kernels is stored, of which an element of the result sums six.
  double size = 0;
  for (w::index_t i = 0; i < exact.size(); ++i)
    size = std::max<double>(size, std::fabs(exact.data()[i]));
  const auto bound = [&](w::index_t) { return 6 * rounding<bf16>(size); };
  CHECK(size > 0.1);
  CHECK(worst(g, exact, bound) <= 1);
  CHECK(worst(h, exact, bound) <= 1);
}

TEST_CASE("take, concat and slices, and their gradients") {
  const auto x = numbers<half>(5, 3, 7);
  const w::vector<std::int64_t> at{0, 2, 2};
  const w::matrix<half> picked = w::take(x, at);
  CHECK(picked(2, 1) == static_cast<float>(x(2, 1)));
  const w::matrix<half> g =
      w::grad<0>([](auto a, auto i) { return w::sum(w::take(a, i) * 3); })(x, at);
  CHECK(g(2, 0) == 6.0f);
  CHECK(g(1, 0) == 0.0f);
  const w::matrix<half> both = w::concat(w::axis<0>, x, x * 2);
  CHECK(both(5, 1) == 2 * x(0, 1));
}

TEST_CASE("random numbers are those of float, rounded") {
  const auto key = w::random::key(3);
  const auto f = w::random::normal<float>(key, 100);
  const auto h = w::random::normal<half>(key, 100);
  const auto u = w::random::uniform<bf16>(key, 100);
  const auto v = w::random::uniform<float>(key, 100);
  int wrong = 0;
  for (int i = 0; i < 100; ++i)
    wrong += h(i) != static_cast<float>(half(f(i))) || u(i) != static_cast<float>(bf16(v(i)));
  CHECK(wrong == 0);
}

TEST_CASE("training: 16-bit parameters, and float parameters used in 16 bits") {
  auto x = numbers<float>(16, 3, 8);
  const w::matrix<float> y = w::matmul(x, w::matrix<float>{{1}, {-0.5}, {0.25}}) + 0.5f;
  const w::matrix<bf16> small = w::cast<bf16>(x), target = w::cast<bf16>(y);
  const auto objective = [](const auto& model, auto a, auto b) {
    return w::mean(w::square(model(a) - b));
  };
  auto model = w::init(layer_shape, w::random::key(1));
  auto train = w::training<layer_shape>(objective, w::optim::adamw{.learning_rate = 0.05f});
  const float first = train.step(model, small, target);
  float last = first;
  for (int i = 0; i < 100; ++i) last = train.step(model, small, target);
  CHECK(last < 0.02f * first);

  auto other = w::init(mixed_shape, w::random::key(1));
  auto mixed_training = w::training<mixed_shape>(objective, w::optim::sgd{.learning_rate = 0.1f});
  const float before = mixed_training.step(other, x, y);
  float after = before;
  for (int i = 0; i < 100; ++i) after = mixed_training.step(other, x, y);
  CHECK(after < 0.01f * before);
}
