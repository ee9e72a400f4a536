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

namespace weft::detail {

enum class guard_result : std::uint8_t { fast, general };

/// Where a node was made, for messages: its own place, or one that the caller looks up by number.
struct place_table {
  const std::source_location* steps = nullptr;
  [[gnu::cold, gnu::noinline]] std::string text(const location& at) const {
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

/// A text of builder::keep, with the numbers that extents have in this call.
[[gnu::cold, gnu::noinline]] inline std::string opened_text(const index_t* text,
                                                            const index_t* extents) {
  std::string s, r;
  for (index_t i = 0; i < text[-1]; ++i)
    s += static_cast<char>(static_cast<std::uint64_t>(text[i / 8]) >> 8 * (i % 8) & 255);
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] != extent_mark) {
      r += s[i];
      continue;
    }
    std::size_t symbol = 0;
    while (++i < s.size() && s[i] != extent_end)
      symbol = 10 * symbol + static_cast<std::size_t>(s[i] - '0');
    r += std::to_string(extents[symbol]);
  }
  return r;
}

/// A guard failed on extents a and b: throws what the compiler would have said had it known them.
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_misfit(const guard& g,
                                                                const index_t* texts,
                                                                const index_t* extents, index_t a,
                                                                index_t b,
                                                                const place_table& places) {
  std::string text = g.text ? opened_text(texts + g.text, extents)
                            : "weft: the shapes of the arguments do not fit: extents " +
                                  std::to_string(a) + " and " + std::to_string(b) + " meet";
  throw shape_error(text + places.text(g.where));
}

/// Checks guards in order; says which plan fits. Throws shape_error.
template <bool General, class A>
guard_result check_guards(const call_facts& facts, const index_t* texts, const index_t* extents,
                          const place_table& places) {
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
    if (!holds) throw_misfit(g, texts, extents, a, b, places);
  }
  return guard_result::fast;
}

}  // namespace weft::detail
