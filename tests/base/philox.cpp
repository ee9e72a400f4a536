// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <doctest/doctest.h>

#include <weft/base/philox.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <utility>
#include <vector>

namespace w = weft;

namespace {

constexpr w::philox_key key{0xa4093822u, 0x299f31d0u};

// The known answers of the paper's reference implementation (Random123 kat_vectors, philox4x32 10).
static_assert(w::philox({0, 0, 0, 0}, {0, 0}) ==
              w::philox_block{0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u});
static_assert(w::philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}) ==
              w::philox_block{0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu});
static_assert(w::philox({0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}, key) ==
              w::philox_block{0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u});

static_assert(w::uniform_float(0u) == 0.0f);
static_assert(w::uniform_float(0xFFFFFFFFu) == 1.0f - 0x1p-24f);
static_assert(w::uniform_float(0x000000FFu) == 0.0f);  // the low 8 bits are dropped, not rounded
static_assert(w::uniform_double(0u, 0u) == 0.0);
static_assert(w::uniform_double(~0u, ~0u) == 1.0 - 0x1p-53);
static_assert(w::uniform_double(0u, 0x80000000u) == 0.5);

}  // namespace

TEST_CASE("philox: the known answers hold at run time") {
  volatile std::uint32_t zero = 0;  // keeps the compiler from folding
  CHECK(w::philox({zero, zero, zero, zero}, {zero, zero}) ==
        w::philox_block{0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u});
  CHECK(w::philox({0x243f6a88u + zero, 0x85a308d3u, 0x13198a2eu, 0x03707344u}, key) ==
        w::philox_block{0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u});
}

TEST_CASE("philox: word i is word i % 4 of block i / 4") {
  for (std::uint64_t i : {0ull, 1ull, 2ull, 3ull, 4ull, 11ull, 1'000'003ull, (1ull << 34) + 7,
                          (1ull << 63) + 2, ~0ull}) {
    const std::uint64_t block = i / 4;
    const auto words = w::philox(
        {static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32), 0, 0}, key);
    CHECK(w::random_word(key, i) == words[i % 4]);
  }
  // indices 2^34 apart differ in the second counter word only
  CHECK(w::random_word(key, 5) != w::random_word(key, 5 + (1ull << 34)));
  CHECK(w::random_word({0, 0}, 2) == 0xbc57ac4cu);
}

TEST_CASE("philox: doubles take words 2i and 2i + 1") {
  for (std::uint64_t i = 0; i < 40; ++i) {
    const double expected =
        w::uniform_double(w::random_word(key, 2 * i), w::random_word(key, 2 * i + 1));
    CHECK(w::random_double(key, i) == expected);
    CHECK(w::random_float(key, i) == w::uniform_float(w::random_word(key, i)));
  }
}

TEST_CASE("philox: uniforms have the moments of [0, 1)") {
  constexpr int n = 100'000;
  double mean_f = 0, square_f = 0, mean_d = 0, square_d = 0;
  for (int i = 0; i < n; ++i) {
    const double f = w::random_float(w::seed_key(7), static_cast<std::uint64_t>(i));
    const double d = w::random_double(w::seed_key(8), static_cast<std::uint64_t>(i));
    REQUIRE((f >= 0 && f < 1 && d >= 0 && d < 1));
    mean_f += f / n, square_f += f * f / n, mean_d += d / n, square_d += d * d / n;
  }
  // five standard errors: sd(u) = 0.2887, sd(u^2) = 0.2981
  CHECK(mean_f == doctest::Approx(0.5).epsilon(0.0046));
  CHECK(mean_d == doctest::Approx(0.5).epsilon(0.0046));
  CHECK(square_f == doctest::Approx(1.0 / 3).epsilon(0.0048));
  CHECK(square_d == doctest::Approx(1.0 / 3).epsilon(0.0048));
}

TEST_CASE("philox: child keys") {
  const auto words = w::philox({3, 2, 0, 1}, key);
  CHECK(w::split(key, (2ull << 32) + 3) == w::philox_key{words[0], words[1]});
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen{{key.lo, key.hi}};
  for (std::uint64_t i = 0; i < 500; ++i) {
    const w::philox_key child = w::split(key, i);
    seen.insert({child.lo, child.hi});
    const w::philox_key grandchild = w::split(child, 0);
    seen.insert({grandchild.lo, grandchild.hi});
  }
  CHECK(seen.size() == 1001);
  CHECK(w::split(key, 0) != w::philox_key{w::random_word(key, 0), w::random_word(key, 1)});
  CHECK(w::seed_key(0x1234'5678'9abc'def0ull) == w::philox_key{0x9abcdef0u, 0x12345678u});
}

TEST_CASE("philox: bounded integers are within bounds, even and repeatable") {
  for (std::uint64_t n : {1ull, 2ull, 3ull, 0xFFFFFFFFull, 0x1'0000'0000ull, (1ull << 63) + 1}) {
    w::detail::philox_stream stream(key);
    for (int i = 0; i < 100; ++i) REQUIRE(stream.below(n) < n);
  }
  std::array<int, 6> count{};
  w::detail::philox_stream stream(key);
  for (int i = 0; i < 60'000; ++i) ++count[static_cast<std::size_t>(stream.below(6))];
  for (int c : count) CHECK(std::abs(c - 10'000) < 457);  // five standard deviations
  // A bound of 2/3 of 2^32, where a plain remainder would draw the lower half twice as often.
  w::detail::philox_stream biased(key);
  int low = 0;
  for (int i = 0; i < 20'000; ++i) low += biased.below(0xAAAAAAAAull) < 0x55555555ull;
  CHECK(std::abs(low - 10'000) < 354);
}

TEST_CASE("philox: permutation") {
  for (std::int64_t n : {0, 1, 2, 5, 1797}) {
    const auto p = w::detail::permutation(w::seed_key(0), n);
    REQUIRE(static_cast<std::int64_t>(p.size()) == n);
    auto sorted = p;
    std::sort(sorted.begin(), sorted.end());
    for (std::int64_t i = 0; i < n; ++i) REQUIRE(sorted[static_cast<std::size_t>(i)] == i);
    CHECK(p == w::detail::permutation(w::seed_key(0), n));
  }
  // worked out from the rules by another program: data splits must never change
  CHECK(w::detail::permutation(w::seed_key(0), 10) ==
        std::vector<std::int64_t>{0, 2, 6, 3, 5, 7, 9, 4, 8, 1});
  CHECK(w::detail::permutation(w::seed_key(0), 50) != w::detail::permutation(w::seed_key(1), 50));
  CHECK_THROWS_WITH_AS((void)w::detail::permutation(key, -1), doctest::Contains("n is -1"),
                       w::value_error);

  // every order of three equally often
  std::array<int, 6> count{};
  for (std::uint64_t seed = 0; seed < 12'000; ++seed) {
    const auto p = w::detail::permutation(w::seed_key(seed), 3);
    ++count[static_cast<std::size_t>(p[0] * 2 + (p[1] > p[2]))];
  }
  for (int c : count) CHECK(std::abs(c - 2'000) < 205);
}
