// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <cstddef>
#include <string_view>

namespace weft {

/// A string that can be a template argument: `variable<"x">(X)`, `let<"h">(e)`.
/// N counts the terminating zero, so that it is deduced from a literal.
template <std::size_t N>
struct fixed_string {
  char text[N]{};

  constexpr fixed_string() = default;
  constexpr fixed_string(const char (&literal)[N]) {  // NOLINT: implicit, so literals convert
    for (std::size_t i = 0; i < N; ++i) text[i] = literal[i];
  }

  [[nodiscard]] constexpr std::size_t size() const { return N - 1; }
  [[nodiscard]] constexpr bool empty() const { return N == 1; }
  [[nodiscard]] constexpr const char* c_str() const { return text; }
  [[nodiscard]] constexpr std::string_view view() const { return {text, N - 1}; }
  constexpr operator std::string_view() const { return view(); }

  template <std::size_t M>
  friend constexpr bool operator==(const fixed_string& a, const fixed_string<M>& b) {
    return a.view() == b.view();
  }
};

/// "ab" + "cd" as a value that can again be a template argument.
template <std::size_t N, std::size_t M>
constexpr fixed_string<N + M - 1> operator+(const fixed_string<N>& a, const fixed_string<M>& b) {
  fixed_string<N + M - 1> joined;
  for (std::size_t i = 0; i + 1 < N; ++i) joined.text[i] = a.text[i];
  for (std::size_t i = 0; i < M; ++i) joined.text[N - 1 + i] = b.text[i];
  return joined;
}

}  // namespace weft
