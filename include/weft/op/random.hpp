// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/array/tensor.hpp>
#include <weft/base/philox.hpp>
#include <weft/op/add.hpp>
#include <weft/op/bitwise_or.hpp>
#include <weft/op/cast.hpp>
#include <weft/op/cos.hpp>
#include <weft/op/divide.hpp>
#include <weft/op/greater_equal.hpp>
#include <weft/op/less.hpp>
#include <weft/op/log.hpp>
#include <weft/op/multiply.hpp>
#include <weft/op/primitive.hpp>
#include <weft/op/random_word.hpp>
#include <weft/op/shift_left.hpp>
#include <weft/op/shift_right.hpp>
#include <weft/op/sqrt.hpp>
#include <weft/op/subtract.hpp>
#include <weft/op/where.hpp>

// Random numbers as ops: element i of a result is a function of the key and of i, its place in
// row-major order, alone. A key is uint32 of shape (2), low word first; a philox_key stands for
// one. Words are those of base/philox.hpp: floats take word i; doubles words 2i (low) and 2i + 1;
// normal floats words 2i and 2i + 1, normal doubles words 4i to 4i + 3.
namespace weft {

namespace detail {

inline tensor<std::uint32_t, 2> key_tensor(philox_key key) {
  auto t = tensor<std::uint32_t, 2>::uninitialized({2});
  t.data()[0] = key.lo;
  t.data()[1] = key.hi;
  return t;
}
/// A key as an operand beside x: a tensor or symbol is one, a philox_key becomes one.
template <class X, class K>
constexpr auto key_operand(const X& x, const K& key) {
  if constexpr (!std::is_same_v<K, philox_key>)
    return key;
  else if constexpr (requires { x.builder(); })
    return x.known_key(key.lo, key.hi);
  else
    return key_tensor(key);
}
template <class K>
concept random_key = tensorial<K> || std::is_same_v<K, philox_key>;

/// What the random ops share: they are called with a pattern for the shape and dtype, a key, and
/// perhaps a number.
template <class Derived, fixed_string Name>
struct random_op : named_op<Name, 2>, derived_tag {
  template <tensorial X, random_key K>
  constexpr auto operator()(const X& x, const K& key,
                            std::source_location where = std::source_location::current()) const {
    return run(where, x, key_operand(x, key));
  }

 private:
  template <class X, class K>
  static constexpr auto run(std::source_location where, const X& x, const K& key) {
    return application<Derived, X, K>::run(where, x, key);
  }
};
template <class Derived, fixed_string Name>
struct random_op_of : named_op<Name, 3>, derived_tag {
  template <tensorial X, random_key K, operand P>
  constexpr auto operator()(const X& x, const K& key, const P& p,
                            std::source_location where = std::source_location::current()) const {
    return run(where, x, key_operand(x, key), p);
  }

 private:
  template <class X, class K, class P>
  static constexpr auto run(std::source_location where, const X& x, const K& key, const P& p) {
    return application<Derived, X, K, P>::run(where, x, key, p);
  }
};

/// Word `n * i + k` of a key for each element i of x.
constexpr auto random_words(auto x, auto key, std::uint64_t n, std::uint64_t k,
                            std::string_view op) {
  auto i = x.positions(-1);
  if (n != 1) i = i * n;
  if (k != 0) i = i + k;
  return key.key_word(0, op).random_word(key.key_word(1, op), i);
}
/// A float in [0, 1) of each word: its top 24 bits, exact.
constexpr auto unit_float(auto word) {
  return (word >> 8).as(dtype::float32) * 0x1p-24;
}
/// A double in [0, 1) of each pair of words: the top 53 bits, exact.
constexpr auto unit_double(auto low, auto high) {
  auto bits = (high.as(dtype::uint64) << 32) | low.as(dtype::uint64);
  return (bits >> 11).as(dtype::float64) * 0x1p-53;
}

}  // namespace detail

struct bits_like_ final : detail::random_op<bits_like_, "random::bits_like"> {
  static constexpr auto doc = "Random uint32 words, of x's shape: word i of the key's stream.";
  static constexpr detail::non_differentiable vjp{};
  static constexpr auto body(auto x, auto key) { return detail::random_words(x, key, 1, 0, name); }
};

struct uniform_like_ final : detail::random_op<uniform_like_, "random::uniform_like"> {
  static constexpr auto doc =
      "Random numbers in [0, 1), of x's shape and floating dtype: multiples of 2^-24, or 2^-53 "
      "for double; of 16 bits, these rounded, so that 1 may occur.";
  static constexpr detail::non_differentiable vjp{};
  static constexpr auto body(auto x, auto key) {
    x.require_floating(name);
    if (x.type() != dtype::float64)
      return detail::unit_float(detail::random_words(x, key, 1, 0, name)).as(x.type());
    return detail::unit_double(detail::random_words(x, key, 2, 0, name),
                               detail::random_words(x, key, 2, 1, name));
  }
};

struct normal_like_ final : detail::random_op<normal_like_, "random::normal_like"> {
  static constexpr auto doc =
      "Random numbers of mean 0 and variance 1, normally distributed, of x's shape and floating "
      "dtype, by Box and Muller's sqrt(-2 log(u)) * cos(2 pi v).";
  static constexpr detail::non_differentiable vjp{};
  static constexpr auto body(auto x, auto key) {
    x.require_floating(name);
    auto word = [&](std::uint64_t n, std::uint64_t k) {
      return detail::random_words(x, key, n, k, name);
    };
    if (x.type() != dtype::float64) {
      // u in (0, 1] from all 32 bits, so that the tail reaches 6.7.
      auto u = word(2, 0).as(dtype::float32) * 0x1p-32 + 0x1p-33;
      auto v = detail::unit_float(word(2, 1));
      return (sqrt(-2.0 * log(u)) * weft::cos(6.28318530717958647692 * v)).as(x.type());
    }
    auto u = 1.0 - detail::unit_double(word(4, 0), word(4, 1));
    auto v = detail::unit_double(word(4, 2), word(4, 3));
    return sqrt(-2.0 * log(u)) * weft::cos(6.28318530717958647692 * v);
  }
};

struct bernoulli_like_ final : detail::random_op_of<bernoulli_like_, "random::bernoulli_like"> {
  static constexpr auto doc =
      "Random bools, of x's shape, true with probability p: whether the float in [0, 1) of word i "
      "is less than p.";
  static constexpr detail::non_differentiable vjp{};
  static constexpr auto body(auto x, auto key, auto p) {
    return detail::unit_float(detail::random_words(x, key, 1, 0, name)) < p.as(dtype::float32);
  }
};

struct fold_in_ final : derived<fold_in_, "random::fold_in", 2> {
  static constexpr auto doc =
      "Child key i of a key: an independent stream. i is an integer of rank 0.";
  static constexpr detail::non_differentiable vjp{};
  static constexpr auto body(auto key, auto i) {
    auto low = key.key_word(0, name), high = key.key_word(1, name);
    if (!is_integer(i.type()) || i.rank() != 0) {
      i.fail_because(name, "the number of a child key is an integer of rank 0");
      return key;
    }
    auto index = (i.as(dtype::uint64) * 4) | detail::child_word;
    return low.random_word(high, index + key.positions(0));
  }
};

inline constexpr struct dropout_ final : detail::random_op_of<dropout_, "dropout"> {
  static constexpr auto doc =
      "x / (1 - p) where a random number of the key, one for each element, is p or more, 0 "
      "elsewhere: each element falls out with probability p. The same key gives the same mask, "
      "forward and backward.";
  static constexpr auto body(auto x, auto key, auto p) {
    x.require_floating(name);
    auto kept =
        detail::unit_float(detail::random_words(x, key, 1, 0, name)) >= p.as(dtype::float32);
    return where(kept, x * (1.0 / (1.0 - p)), 0);
  }
} dropout;

namespace random {

/// The key of a seed.
constexpr philox_key key(std::uint64_t seed) {
  return seed_key(seed);
}

/// `bits_like(x, key)`: random uint32 words of x's shape.
inline constexpr bits_like_ bits_like{};
/// `uniform_like(x, key)`: random numbers in [0, 1) of x's shape and floating dtype.
inline constexpr uniform_like_ uniform_like{};
/// `normal_like(x, key)`: normally distributed numbers of x's shape and floating dtype.
inline constexpr normal_like_ normal_like{};
/// `bernoulli_like(x, key, p)`: bools of x's shape, true with probability p.
inline constexpr bernoulli_like_ bernoulli_like{};

/// Child key i of a key, for keys that are tensors or symbols: uint32 of shape (2).
template <detail::tensorial K, detail::operand I>
constexpr auto fold_in(const K& key, const I& i,
                       std::source_location where = std::source_location::current()) {
  return fold_in_{}(key, i, where);
}
/// Child key i of a key.
constexpr philox_key fold_in(philox_key key, std::uint64_t i) {
  return weft::split(key, i);
}

/// The first N child keys of a key: `auto [a, b] = split<2>(key)`.
template <std::size_t N>
constexpr std::array<philox_key, N> split(philox_key key) {
  std::array<philox_key, N> keys{};
  for (std::size_t i = 0; i < N; ++i) keys[i] = weft::split(key, i);
  return keys;
}

}  // namespace random
}  // namespace weft
