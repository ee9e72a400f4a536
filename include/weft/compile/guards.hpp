// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/array/extents.hpp>
#include <weft/base/error.hpp>
#include <weft/cpu/execute.hpp>

#include <source_location>
#include <string>

namespace weft::detail {

enum class guard_result : std::uint8_t { fast, general };

/// Where a node was made, for messages: its own place, or one that the caller looks up by number.
struct place_table {
  const std::source_location* steps = nullptr;
  std::string text(const location& at) const {
    std::string file = at.file;
    unsigned line = at.line;
    if (steps && at.file[0] == 0 && line > 0) {
      file = steps[line - 1].file_name();
      line = steps[line - 1].line();
    }
    if (line == 0) return "";
    return "; at " + file.substr(file.find_last_of('/') + 1) + ":" + std::to_string(line);
  }
};

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_guard(const guard& g, index_t a, index_t b,
                                                               const place_table& places) {
  const std::string op = "weft: " + std::string(g.label.empty() ? info(g.op).name : g.label) + ": ";
  const std::string at = places.text(g.where);
  switch (g.kind) {
    case guard_kind::equal:
      throw shape_error(op + "extents differ: " + std::to_string(a) + " and " + std::to_string(b) + at);
    case guard_kind::broadcast:
      throw shape_error(op + "shapes do not broadcast: extents " + std::to_string(a) + " and " + std::to_string(b) +
                        " meet" + at);
    case guard_kind::divides:
      throw shape_error(op + std::to_string(a) + " elements do not fill a shape with a factor of " +
                        std::to_string(b) + at);
    case guard_kind::not_empty: throw shape_error(op + "of no elements" + at);
  }
  throw shape_error(op + at);
}

/// Checks guards in order; says which plan fits. Throws shape_error.
template <class A>
inline guard_result check_guards(const guard* guards, int count, const index_t* extents, const place_table& places) {
  auto value = [&](index_t e) { return is_symbol(e) ? extents[symbol_number(e)] : e; };
  guard_result r = guard_result::fast;
  for (int i = 0; i < count; ++i) {
    const guard& g = guards[i];
    const index_t a = value(g.a), b = value(g.b);
    switch (g.kind) {
      case guard_kind::equal:
        if (a != b) throw_guard(g, a, b, places);
        break;
      case guard_kind::broadcast:
        if (a == b) break;
        if (a != 1 && b != 1) throw_guard(g, a, b, places);
        r = guard_result::general;
        break;
      case guard_kind::divides:
        if (b == 0 ? a != 0 : a % b != 0) throw_guard(g, a, b, places);
        break;
      case guard_kind::not_empty:
        if (a == 0 && b != 0) throw_guard(g, a, b, places);
        break;
    }
  }
  return r;
}

}  // namespace weft::detail
