// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/graph/graph.hpp>

namespace weft::detail {

// A text may hold extents whose numbers the call will tell: the symbol's number between two marks.
inline constexpr char extent_mark = 1, extent_end = 2;

constexpr message& put_extent(message& m, index_t e) {
  if (!is_symbol(e)) return m.put(e);
  const char begin[]{extent_mark}, end[]{extent_end};
  return m.put({begin, 1}).put(symbol_number(e)).put({end, 1});
}
/// A shape like that, for builder::fail and the texts of guards.
constexpr message& put_open_shape(message& m, const shape_of& s) {
  m.put("(");
  for (int i = 0; i < s.rank; ++i) put_extent(i ? m.put(", ") : m, s.d[i]);
  return m.put(")");
}
/// The text with "?" for each of these extents.
constexpr message closed(const message& m) {
  message r;
  for (int i = 0; i < m.size; ++i) {
    r.text[r.size++] = m.text[i] == extent_mark ? '?' : m.text[i];
    if (m.text[i] == extent_mark)
      while (i < m.size && m.text[i] != extent_end) ++i;
  }
  return r;
}

/// Appends a shape to a message: "(2, 3)"; a symbol is "?".
constexpr void put_shape(message& m, const shape_of& s) {
  m.put("(");
  for (int i = 0; i < s.rank; ++i) {
    if (i) m.put(", ");
    if (is_symbol(s.d[i]))
      m.put("?");
    else
      m.put(s.d[i]);
  }
  m.put(")");
}

constexpr void put_location(message& m, const location& at) {
  if (at.line == 0 || at.file[0] == 0) return;
  std::string_view file = at.file;
  const std::size_t cut = file.find_last_of('/');
  m.put("; at ")
      .put(cut == std::string_view::npos ? file : file.substr(cut + 1))
      .put(":")
      .put(at.line);
}

}  // namespace weft::detail
