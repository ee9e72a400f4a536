// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#ifdef __FAST_MATH__
#error "weft: -ffast-math changes values (NaN, infinities, the order of sums): build without it"
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace weft::detail {

/// A sentence built during constant evaluation. Structural, so that it can name an undefined type
/// and thus lead a compiler's output.
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
      if (size < 399)
        text[size++] = digits[--n];
      else
        --n;
    return *this;
  }
  constexpr bool empty() const { return size == 0; }
  constexpr std::string_view view() const { return {text, static_cast<std::size_t>(size)}; }
};

/// Never defined: its arguments are the sentence.
template <auto... Sentence>
struct weft_error;

// `static_assert(reported<m>::nothing)` compiles only where the message m is empty; otherwise the
// compiler's first error shows its text. Classes and not functions: each layer here is a line or
// three more before the user's.
#ifndef __clang__

template <>
struct weft_error<message{}> {};

template <message M>
struct reported {
  static constexpr bool nothing = sizeof(weft_error<M>) != 0;
};

#else  // which cuts a text of more than 32 characters, and shows one that ends in several zeros as
       // numbers

template <int Size>
struct text {
  char chars[Size]{};
};
template <>
struct weft_error<> {};

inline constexpr int piece_size = 30;

/// Where the piece that starts at `from` ends: behind a space, if there is one.
constexpr int piece_end(const message& m, int from) {
  if (m.size - from <= piece_size) return m.size;
  int end = from + piece_size;
  while (end > from && m.text[end - 1] != ' ') --end;
  return end > from ? end : from + piece_size;
}
constexpr int piece_start(const message& m, int k) {
  int at = 0;
  while (k-- > 0) at = piece_end(m, at);
  return at;
}
constexpr int piece_count(const message& m) {
  int n = 0;
  for (int at = 0; at < m.size; at = piece_end(m, at)) ++n;
  return n;
}
template <int Size>
constexpr text<Size> text_of(const char* from) {
  text<Size> t;
  // The last zero is written too: without it clang would show numbers.
  for (int i = 0; i < Size; ++i) t.chars[i] = i + 1 < Size ? from[i] : char{};
  return t;
}
template <message M, int K>
inline constexpr auto piece =
    text_of<piece_start(M, K + 1) - piece_start(M, K) + 1>(M.text + piece_start(M, K));

template <message M, class = std::make_integer_sequence<int, piece_count(M)>>
struct reported;
template <message M, int... K>
struct reported<M, std::integer_sequence<int, K...>> {
  static constexpr bool nothing = sizeof(weft_error<piece<M, K>...>) != 0;
};

#endif

}  // namespace weft::detail
