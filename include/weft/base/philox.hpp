// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <weft/base/error.hpp>

/// Philox 4x32-10, the counter-based generator of
///   J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw,
///   "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011, section 3.3 (constants: table 2).
/// A block is a pure function of (key, counter), so a random tensor is a pure function of
/// (key, logical index): fusion, tiling, threads and device cannot change it.
namespace weft {

/// The 64-bit key of a stream of random numbers.
struct philox_key {
  std::uint32_t lo = 0;
  std::uint32_t hi = 0;
  friend constexpr bool operator==(philox_key, philox_key) = default;
};

/// The four words of a Philox counter or block, least significant first.
using philox_block = std::array<std::uint32_t, 4>;

namespace detail {

inline constexpr std::uint32_t philox_m0 = 0xD2511F53u;  // multipliers
inline constexpr std::uint32_t philox_m1 = 0xCD9E8D57u;
inline constexpr std::uint32_t philox_w0 = 0x9E3779B9u;  // Weyl steps of the key: golden ratio,
inline constexpr std::uint32_t philox_w1 = 0xBB67AE85u;  // sqrt(3) - 1
inline constexpr int philox_rounds = 10;

/// The last counter word names the use of a block, so that uses never share one.
inline constexpr std::uint32_t philox_use_values = 0;  // elements of a random tensor
inline constexpr std::uint32_t philox_use_split = 1;   // child keys

}  // namespace detail

/// The block of four random words at `counter` under `key`.
[[nodiscard]] constexpr philox_block philox(philox_block counter, philox_key key) {
  philox_block x = counter;
  for (int round = 0; round < detail::philox_rounds; ++round) {
    const std::uint64_t p0 = std::uint64_t{detail::philox_m0} * x[0];
    const std::uint64_t p1 = std::uint64_t{detail::philox_m1} * x[2];
    x = {static_cast<std::uint32_t>(p1 >> 32) ^ x[1] ^ key.lo, static_cast<std::uint32_t>(p1),
         static_cast<std::uint32_t>(p0 >> 32) ^ x[3] ^ key.hi, static_cast<std::uint32_t>(p0)};
    key.lo += detail::philox_w0;
    key.hi += detail::philox_w1;
  }
  return x;
}

/// The block that holds words 4*block .. 4*block + 3 of the stream of `key`.
[[nodiscard]] constexpr philox_block random_block(philox_key key, std::uint64_t block) {
  return philox({static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32), 0u,
                 detail::philox_use_values},
                key);
}

/// Word `i` of the stream of `key`: word i % 4 of the block with counter (i / 4, 0, 0).
[[nodiscard]] constexpr std::uint32_t random_word(philox_key key, std::uint64_t i) {
  return random_block(key, i / 4)[static_cast<std::size_t>(i % 4)];
}

/// The float in [0, 1) of one word: its top 24 bits times 2^-24, exact.
[[nodiscard]] constexpr float uniform_float(std::uint32_t word) {
  return static_cast<float>(word >> 8) * 0x1p-24f;
}

/// The double in [0, 1) of two words: the top 53 bits of (high, low) times 2^-53, exact.
[[nodiscard]] constexpr double uniform_double(std::uint32_t low, std::uint32_t high) {
  const std::uint64_t bits = (std::uint64_t{high} << 32) | low;
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

/// Element `i` of a uniform float tensor in [0, 1): one word, word i.
[[nodiscard]] constexpr float random_float(philox_key key, std::uint64_t i) {
  return uniform_float(random_word(key, i));
}

/// Element `i` of a uniform double tensor in [0, 1): words 2i (low) and 2i + 1 (high), which lie in
/// one block. `i` is below 2^63.
[[nodiscard]] constexpr double random_double(philox_key key, std::uint64_t i) {
  const philox_block b = random_block(key, i / 2);
  const std::size_t at = static_cast<std::size_t>(i % 2) * 2;
  return uniform_double(b[at], b[at + 1]);
}

/// The key of seed `seed`: its low and high words.
[[nodiscard]] constexpr philox_key seed_key(std::uint64_t seed) {
  return {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
}

/// Child key `i` of `key`: the first two words of the block with counter (i low, i high, 0, 1). The
/// last word keeps these blocks apart from those of random values.
[[nodiscard]] constexpr philox_key split(philox_key key, std::uint64_t i) {
  const philox_block b = philox({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i >> 32),
                                 0u, detail::philox_use_split},
                                key);
  return {b[0], b[1]};
}

namespace detail {

/// The words of a key's stream in order; `below(n)` draws unbiased integers from it.
class philox_stream {
 public:
  constexpr explicit philox_stream(philox_key key) : key_(key) {}

  constexpr std::uint32_t word() {
    if (next_ % 4 == 0) block_ = random_block(key_, next_ / 4);
    return block_[static_cast<std::size_t>(next_++ % 4)];
  }

  /// 64 bits: two words, low first.
  constexpr std::uint64_t bits64() {
    const std::uint64_t low = word();
    return (std::uint64_t{word()} << 32) | low;
  }

  /// An integer uniform in [0, n), n > 0, by rejection: of the 2^b values of a draw the first
  /// 2^b mod n are drawn again, so that a multiple of n values is left and the remainder has no
  /// bias. b is 32 where n fits in 32 bits (one word a draw), otherwise 64 (two words).
  constexpr std::uint64_t below(std::uint64_t n) {
    if (n <= 0xFFFFFFFFull) {
      const auto m = static_cast<std::uint32_t>(n);
      const std::uint32_t reject = (0u - m) % m;  // 2^32 mod m
      std::uint32_t x = word();
      while (x < reject) x = word();
      return x % m;
    }
    const std::uint64_t reject = (0ull - n) % n;  // 2^64 mod n
    std::uint64_t x = bits64();
    while (x < reject) x = bits64();
    return x % n;
  }

 private:
  philox_key key_;
  philox_block block_{};
  std::uint64_t next_ = 0;
};

/// Makes `order` a uniformly random permutation of 0 .. n-1, n its size, a function of (key, n)
/// alone: Fisher-Yates from the end (Durstenfeld 1964), its integers drawn by
/// `philox_stream::below`.
inline void permute(std::vector<std::int64_t>& order, philox_key key) {
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
  philox_stream stream(key);
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[static_cast<std::size_t>(stream.below(i))]);
  }
}

/// A random permutation of 0 .. n-1, by `permute`. Throws value_error if n is negative.
[[nodiscard]] inline std::vector<std::int64_t> permutation(philox_key key, std::int64_t n) {
  if (n < 0) {
    throw value_error("permutation: n is " + std::to_string(n) + "; give a length of 0 or more");
  }
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  permute(order, key);
  return order;
}

}  // namespace detail
}  // namespace weft
