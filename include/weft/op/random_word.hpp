// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/primitive.hpp>

namespace weft::detail {

/// The index bit that marks the words of child keys, which never meet those of values.
inline constexpr std::uint64_t child_word = std::uint64_t{1} << 63;

/// A word of Philox 4x32-10 (base/philox.hpp): uint32 key halves low and high, uint64 index i;
/// uint32. Word i % 4 of the block with counter (i / 4 low, i / 4 high, 0, i >> 63), bit 63 left
/// out of i / 4.
struct random_word_ final : structural<random_word_, "random_word", 3, op_kind::pointwise> {
  static constexpr auto doc = "Word i of the random stream of a key, elementwise: Philox 4x32-10.";
  static constexpr non_differentiable vjp{};
  static auto cpu(auto low, auto high, auto index) {
    using word = decltype(low);
    using wide = decltype(index);
    using u32 = std::uint32_t;
    const word which = convert<u32>(index) & word(3u);
    word x0 = convert<u32>(index >> wide(2u));
    word x1 = convert<u32>(index >> wide(34u)) & word(0x1fffffffu);
    word x2 = word(0u);
    word x3 = convert<u32>(index >> wide(63u));
    for (int round = 0; round < 10; ++round) {
      const word h0 = mulhi(word(0xD2511F53u), x0), l0 = word(0xD2511F53u) * x0;
      const word h1 = mulhi(word(0xCD9E8D57u), x2), l1 = word(0xCD9E8D57u) * x2;
      x0 = h1 ^ x1 ^ low;
      x1 = l1;
      x2 = h0 ^ x3 ^ high;
      x3 = l0;
      low = low + word(0x9E3779B9u);
      high = high + word(0xBB67AE85u);
    }
    const word even = select(which == word(0u), x0, x2), odd = select(which == word(1u), x1, x3);
    return select((which & word(1u)) == word(0u), even, odd);
  }
  static constexpr auto cuda = "random_word($0, $1, $2)";
};

}  // namespace weft::detail
