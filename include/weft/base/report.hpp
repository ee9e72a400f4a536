// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace weft::detail {

/// A sentence built during constant evaluation. Structural, so that it can name an undefined type and thus lead
/// a compiler's output.
struct message {
  char text[400]{};
  int size = 0;

  constexpr message& put(std::string_view s) {
    for (char c : s)
      if (size < 399) text[size++] = c;
    return *this;
  }
  constexpr message& put(std::int64_t v) {
    char digits[24]{};
    int n = 0;
    std::uint64_t u = v < 0 ? 0 - static_cast<std::uint64_t>(v) : static_cast<std::uint64_t>(v);
    do digits[n++] = static_cast<char>('0' + u % 10);
    while (u /= 10);
    if (v < 0) digits[n++] = '-';
    while (n)
      if (size < 399) text[size++] = digits[--n];
      else --n;
    return *this;
  }
  constexpr bool empty() const { return size == 0; }
  constexpr std::string_view view() const { return {text, static_cast<std::size_t>(size)}; }
};

template <std::size_t N> struct text {
  char chars[N]{};
};

/// Never defined: its arguments are the sentence, in pieces that no compiler cuts short.
template <auto... Sentence> struct weft_error;

inline constexpr int piece_size = 30;

template <message M, int K> constexpr auto piece() {
  constexpr int from = K * piece_size;
  constexpr int size = M.size - from < piece_size ? M.size - from : piece_size;
  text<static_cast<std::size_t>(size + 1)> t;
  for (int i = 0; i < size; ++i) t.chars[i] = M.text[from + i];
  return t;
}

template <message M, int... K> constexpr bool report_pieces(std::integer_sequence<int, K...>) {
  return sizeof(weft_error<piece<M, K>()...>) != 0;
}

/// Compiles only where the message is empty; otherwise the compiler's first error shows its text.
template <message M> constexpr bool report() {
  if constexpr (M.empty()) return true;
  else
    return report_pieces<M>(
        std::make_integer_sequence<int, (M.size + piece_size - 1) / piece_size>{});
}

}  // namespace weft::detail
