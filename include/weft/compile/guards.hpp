// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/array/extents.hpp>
#include <weft/base/error.hpp>
#include <weft/cpu/execute.hpp>
#include <weft/plan/encode.hpp>

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

/// The guard that failed, with its place and its op: its source tells them again. Guard i of the captured graph is guard i
/// of the plan.
template <class Source, bool General>
[[noreturn, gnu::cold, gnu::noinline]] void throw_failed(std::size_t i, index_t a, index_t b,
                                                         const place_table& places) {
  throw_guard(Source::build(General).guards[i], a, b, places);
}

/// Checks guards in order; says which plan fits. Throws shape_error.
template <class Source, bool General, class A>
guard_result check_guards(const call_facts& facts, const index_t* extents, const place_table& places) {
  auto value = [&](index_t e) { return is_symbol(e) ? extents[symbol_number(e)] : e; };
  guard_result r = guard_result::fast;
  for (std::size_t i = 0; i < facts.guards.size(); ++i) {
    const guard& g = facts.guards[i];
    const index_t a = value(g.a), b = value(g.b);
    bool holds = true;
    switch (g.kind) {
      case guard_kind::equal: holds = a == b; break;
      case guard_kind::broadcast:
        holds = a == b || a == 1 || b == 1;
        if (a != b) r = guard_result::general;
        break;
      case guard_kind::divides: holds = b == 0 ? a == 0 : a % b == 0; break;
      case guard_kind::not_empty: holds = a != 0 || b == 0; break;
    }
    if (!holds) throw_failed<Source, General>(i, a, b, places);
  }
  return r;
}

}  // namespace weft::detail
