// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace weft::detail::cuda {

/// 64 bits of a text, for file names and checksums: not for an adversary. Each word is xored in,
/// then multiplied by an odd number and folded, so every step is a bijection of the state and one
/// altered word always alters the result. The constants are fractions of the square roots of 2
/// and 3.
constexpr std::uint64_t hash_word(std::uint64_t state, std::uint64_t word) {
  state = (state ^ word) * 0x6a09e667f3bcc909u;
  return state ^ (state >> 29);
}

inline std::uint64_t hash_text(std::string_view text, std::uint64_t seed = 0) {
  std::uint64_t state = hash_word(0xbb67ae8584caa73bu ^ seed, text.size());
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, 8);
    state = hash_word(state, word);
  }
  std::uint64_t rest = 0;
  if (at < text.size()) std::memcpy(&rest, text.data() + at, text.size() - at);
  state = hash_word(state, rest);
  return hash_word(state, state >> 32);
}

/// 32 hexadecimal digits.
inline std::string hash_name(std::string_view text) {
  std::string result;
  for (const std::uint64_t seed : {std::uint64_t(0), std::uint64_t(0x3c6ef372fe94f82bu)}) {
    const std::uint64_t value = hash_text(text, seed);
    for (int shift = 60; shift >= 0; shift -= 4)
      result += "0123456789abcdef"[(value >> shift) & 15];
  }
  return result;
}

}  // namespace weft::detail::cuda
