// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors

#include <doctest/doctest.h>
#include <weft/array/creation.hpp>
#include <weft/compile/compile.hpp>
#include <weft/compile/random.hpp>

#include "check.hpp"

namespace w = weft;
using op_test::list;

TEST_CASE("elements are words of the key's stream, whatever the shape") {
  const auto key = w::random::key(0x123456789abcdef0);
  const w::matrix<float> u = w::random::uniform<float>(key, 7, 13);
  const w::vector<double> d = w::random::uniform<double>(key, 21);
  const w::vector<std::uint32_t> bits = w::random::bits_like(d, key);
  bool good = true;
  for (std::uint64_t i = 0; i < 91; ++i) good = good && u.data()[i] == w::random_float(key, i);
  for (std::uint64_t i = 0; i < 21; ++i)
    good =
        good && d.data()[i] == w::random_double(key, i) && bits.data()[i] == w::random_word(key, i);
  CHECK(good);
  // A part of a tensor, fused with other work, has the same numbers.
  const w::vector<float> part =
      w::slice<0, 3, 20, 2>(w::random::uniform_like(w::flatten(u), key) * 2.0f);
  for (int i = 0; i < 9; ++i) CHECK(part(i) == 2 * u.data()[3 + 2 * i]);
}

TEST_CASE("normal numbers have their moments and a tail") {
  const auto n = w::random::normal<float>(w::random::key(1), 1 << 16);
  const float mean = w::mean(n), var = w::var(n), high = w::max(n), low = w::min(n);
  CHECK(std::abs(mean) < 0.02);
  CHECK(std::abs(var - 1) < 0.03);
  CHECK(high > 3.5f);
  CHECK(low < -3.5f);
  CHECK(high < 6.8f);
  const w::vector<double> d = w::random::normal<double>(w::random::key(1), 3);
  for (std::uint64_t i = 0; i < 3; ++i) {
    const double u = 1 - w::random_double(w::random::key(1), 2 * i),
                 v = w::random_double(w::random::key(1), 2 * i + 1);
    CHECK(d.data()[i] ==
          doctest::Approx(std::sqrt(-2 * std::log(u)) * std::cos(2 * std::acos(-1.0) * v)));
  }
}

TEST_CASE("child keys agree with those made at once") {
  const auto key = w::random::key(5), child = w::random::fold_in(key, 1000000007);
  const w::tensor<std::uint32_t, 2> in_graph =
      w::random::fold_in(w::random::as_tensor(key), std::int64_t{1000000007});
  CHECK(in_graph(0) == child.lo);
  CHECK(in_graph(1) == child.hi);
  const auto [a, b] = w::random::split<2>(key);
  CHECK(a == w::random::fold_in(key, 0));
  CHECK_FALSE(a == b);
  CHECK(list(w::random::permutation(key, 4)).size() == 4);
}

TEST_CASE("the mask of the backward pass is that of the forward pass, and a key is an argument") {
  const auto step = w::compile([](auto x, auto key, auto number) {
    return w::value_and_grad([&](auto v) {
      return w::sum(w::square(w::dropout(v, w::random::fold_in(key, number), 0.25f)));
    })(x);
  });
  const w::vector<float> x = w::ones<float>(1000);
  const auto [value, gradient] = step(x, w::random::key(3), std::int64_t{0});
  int kept = 0;
  double total = 0;
  for (float g : list(gradient)) {
    CHECK((g == 0 || g == doctest::Approx(2 / 0.75 / 0.75)));
    kept += g != 0;
    total += g / 2;
  }
  CHECK(w::item(value) == doctest::Approx(total).epsilon(1e-5));
  CHECK(std::abs(kept - 750) < 60);
  const auto [same, again] = step(x, w::random::key(3), std::int64_t{0});
  CHECK(list(again) == list(gradient));
  const auto [other, fresh] = step(x, w::random::key(3), std::int64_t{1});
  CHECK(list(fresh) != list(gradient));
  const auto keep_none = w::eval(w::dropout(x, w::random::key(3), 1.0f));
  CHECK(list(keep_none) == std::vector<float>(1000, 0.0f));
  const w::vector<bool> coin = w::random::bernoulli_like(x, w::random::key(3), 0.5f);
  int heads = 0;
  for (bool c : list(coin)) heads += c;
  CHECK(std::abs(heads - 500) < 80);
}
