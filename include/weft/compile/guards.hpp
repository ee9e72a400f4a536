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
  [[gnu::cold, gnu::noinline]] line_text line(const location& at) const {
    const char* file = at.file;
    unsigned number = at.line;
    if (steps && at.file[0] == 0 && number > 0) {
      file = steps[number - 1].file_name();
      number = steps[number - 1].line();
    }
    line_text t;
    if (number > 0) t.add("; at %s:%u", file_name(file), number);
    return t;
  }
  std::string text(const location& at) const { return line(at).text; }
};

/// A text of builder::keep, with the numbers that extents have in this call.
[[gnu::cold, gnu::noinline]] inline line_text opened_text(const index_t* text,
                                                          const index_t* extents) {
  line_text r;
  const auto letter = [&](index_t i) {
    return static_cast<char>(static_cast<std::uint64_t>(text[i / 8]) >> 8 * (i % 8) & 255);
  };
  for (index_t i = 0; i < text[-1]; ++i) {
    if (letter(i) != extent_mark) {
      r.add("%c", letter(i));
      continue;
    }
    int symbol = 0;
    while (++i < text[-1] && letter(i) != extent_end) symbol = 10 * symbol + (letter(i) - '0');
    r.add("%lld", static_cast<long long>(extents[symbol]));
  }
  return r;
}

/// A guard failed on extents a and b: throws what the compiler would have said had it known them.
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_misfit(const guard& g,
                                                                const index_t* texts,
                                                                const index_t* extents, index_t a,
                                                                index_t b,
                                                                const place_table& places) {
  line_text text;
  if (g.text)
    text = opened_text(texts + g.text, extents);
  else
    text.add("weft: the shapes of the arguments do not fit: extents %lld and %lld meet",
             static_cast<long long>(a), static_cast<long long>(b));
  throw_error<shape_error>("%s%s", text.text, places.line(g.where).text);
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
