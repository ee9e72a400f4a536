// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <doctest/doctest.h>

#include <weft/compile/explain.hpp>
#include <weft/compile/random.hpp>
#include <weft/grad/checkpoint.hpp>
#include <weft/nn/init.hpp>
#include <weft/nn/linear.hpp>

namespace w = weft;

namespace {

constexpr auto layer = [](auto x, auto m) {
  for (int i = 0; i < 3; ++i) x = w::softmax(w::tanh(w::matmul(x, m)) * x);
  return x;
};

template <bool Checkpoint>
struct network {
  constexpr auto operator()(auto x, auto m) const {
    for (int i = 0; i < 4; ++i) {
      if constexpr (Checkpoint)
        x = w::checkpoint(layer)(x, m);
      else
        x = layer(x, m);
    }
    return w::sum(w::square(x));
  }
};

template <class T>
struct block {
  w::nn::linear<T> up;
  constexpr auto operator()(auto const& x) const { return w::tanh(up(x)); }
};

// A gradient of a function with a model, whose layer is checkpointed as a whole.
template <bool Checkpoint>
struct of_model {
  constexpr auto operator()(auto const& model, auto x) const {
    if constexpr (Checkpoint)
      return w::sum(w::checkpoint(model)(x));
    else
      return w::sum(model(x));
  }
};

template <class A, class B>
bool same_bits(const A& a, const B& b) {
  if (a.shape() != b.shape()) return false;
  for (w::index_t i = 0; i < a.size(); ++i)
    if (a.data()[i] != b.data()[i]) return false;
  return true;
}

}  // namespace

TEST_CASE("a checkpointed function has the same value and gradient, to the last bit") {
  const w::tensor<float, 16, 32> x = w::random::normal<float>(w::random::key(1), 16, 32);
  const w::tensor<float, 32, 32> m = w::random::normal<float>(w::random::key(2), 32, 32);
  constexpr auto plain = w::value_and_grad<0, 1>(network<false>{});
  constexpr auto again = w::value_and_grad<0, 1>(network<true>{});
  const auto [v1, x1, m1] = plain(x, m);
  const auto [v2, x2, m2] = again(x, m);
  CHECK(same_bits(v1, v2));
  CHECK(same_bits(x1, x2));
  CHECK(same_bits(m1, m2));

  SUBCASE("it keeps less and computes more") {
    const w::report kept = w::explain(w::grad(network<false>{}), x, m),
                    computed = w::explain(w::grad(network<true>{}), x, m);
    CHECK(computed.arena_bytes < kept.arena_bytes);
    CHECK(computed.ops() > kept.ops());
  }
}

TEST_CASE("a layer of a model can be checkpointed") {
  static constexpr block<w::spec> shape{.up = w::nn::linear_spec(8, 8)};
  const auto model = w::init(shape, w::random::key(3));
  const w::matrix<float> x = w::random::normal<float>(w::random::key(4), 5, 8);
  const auto plain = w::grad(of_model<false>{})(model, x);
  const auto again = w::grad(of_model<true>{})(model, x);
  CHECK(same_bits(plain.up.weight, again.up.weight));
  CHECK(same_bits(plain.up.bias, again.up.bias));
}
