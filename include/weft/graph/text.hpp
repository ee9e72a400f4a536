// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/graph/graph.hpp>

namespace weft::detail {

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
