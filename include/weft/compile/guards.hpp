// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/array/extents.hpp>
#include <weft/base/error.hpp>
#include <weft/cpu/execute.hpp>
#include <weft/graph/builder.hpp>
#include <weft/plan/encode.hpp>

#include <source_location>
#include <string>
#include <vector>

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

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_misfit(const graph& g, index_t a,
                                                                index_t b,
                                                                const place_table& places) {
  if (g.error.empty())  // a guard that the capture does not explain
    throw shape_error("weft: the shapes of the arguments do not fit: extents " + std::to_string(a) +
                      " and " + std::to_string(b) + " meet");
  std::string text(g.error.view());
  if (g.error_at.file[0] == 0) text += places.text(g.error_at);
  throw shape_error(text);
}

/// A guard failed: captures the program once more, with the extents of the call, for the error that
/// the compiler would have given had it known them. Nothing is kept for messages in a program that
/// runs.
template <class Source, bool General>
[[noreturn, gnu::cold, gnu::noinline]] void throw_failed(const call_facts& facts,
                                                         const argument_value* arguments, index_t a,
                                                         index_t b, const place_table& places) {
  std::vector<const index_t*> shapes;
  for (int k = 0; k < facts.arguments; ++k) shapes.push_back(arguments[k].shape);
  capture_mode mode(General);
  mode.shapes = shapes.data();
  throw_misfit(Source::build(mode), a, b, places);
}

/// Checks guards in order; says which plan fits. Throws shape_error.
template <class Source, bool General, class A>
guard_result check_guards(const call_facts& facts, const argument_value* arguments,
                          const index_t* extents, const place_table& places) {
  auto value = [&](index_t e) { return is_symbol(e) ? extents[symbol_number(e)] : e; };
  for (const guard& g : facts.guards) {
    const index_t a = value(g.a), b = value(g.b);
    bool holds = true;
    switch (g.kind) {
      case guard_kind::equal:
        holds = a == b;
        break;
      case guard_kind::broadcast:
        holds = a == b || a == 1 || b == 1;
        // Later guards of the fast plan assume that these extents agree.
        if (!General && holds && a != b) return guard_result::general;
        break;
      case guard_kind::divides:
        holds = b == 0 ? a == 0 : a % b == 0;
        break;
      case guard_kind::not_empty:
        holds = a != 0 || b == 0;
        break;
    }
    if (!holds) throw_failed<Source, General>(facts, arguments, a, b, places);
  }
  return guard_result::fast;
}

}  // namespace weft::detail
