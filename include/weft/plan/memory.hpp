// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/graph/builder.hpp>
#include <weft/plan/program.hpp>

namespace weft::detail {

/// Gives arena buffers slots: two share one when the first is dead before the second is written. A slot fits exactly
/// where sizes are symbols, and is the smallest that is large enough where they are numbers.
constexpr void assign_slots(plan& p, builder& b) {
  const std::size_t n = p.buffers.size();
  std::vector<int> first(n, -1), last(n, -1);
  for (std::size_t t = 0; t < p.steps.size(); ++t)
    for (int a = 0; a < p.steps[t].access_count; ++a) {
      const int f = p.accesses[static_cast<std::size_t>(p.steps[t].first_access + a)].buffer;
      if (f < 0) continue;
      if (first[static_cast<std::size_t>(f)] < 0) first[static_cast<std::size_t>(f)] = static_cast<int>(t);
      last[static_cast<std::size_t>(f)] = static_cast<int>(t);
    }
  // Buffers by the step that first and last touches them, as linked lists.
  std::vector<int> starts(p.steps.size(), -1), ends(p.steps.size(), -1), next_start(n, -1), next_end(n, -1);
  for (std::size_t f = n; f-- > 0;) {
    if (p.buffers[f].kind != buffer_kind::arena || first[f] < 0) continue;
    next_start[f] = starts[static_cast<std::size_t>(first[f])];
    starts[static_cast<std::size_t>(first[f])] = static_cast<int>(f);
    next_end[f] = ends[static_cast<std::size_t>(last[f])];
    ends[static_cast<std::size_t>(last[f])] = static_cast<int>(f);
  }
  std::vector<char> taken;
  for (std::size_t t = 0; t < p.steps.size(); ++t) {
    for (int f = starts[t]; f >= 0; f = next_start[static_cast<std::size_t>(f)]) {
      buffer& q = p.buffers[static_cast<std::size_t>(f)];
      const index_t bytes = b.multiply(q.count, size_of(q.type));
      int best = -1;
      for (std::size_t s = 0; s < p.slots.size(); ++s) {
        if (taken[s]) continue;
        const bool fits = p.slots[s] == bytes || (!is_symbol(bytes) && !is_symbol(p.slots[s]) && p.slots[s] >= bytes);
        if (fits && (best < 0 || p.slots[s] < p.slots[static_cast<std::size_t>(best)])) best = static_cast<int>(s);
      }
      if (best < 0) {
        best = static_cast<int>(p.slots.size());
        p.slots.push_back(bytes);
        taken.push_back(0);
      }
      taken[static_cast<std::size_t>(best)] = 1;
      q.slot = best;
    }
    for (int f = ends[t]; f >= 0; f = next_end[static_cast<std::size_t>(f)])
      taken[static_cast<std::size_t>(p.buffers[static_cast<std::size_t>(f)].slot)] = 0;
  }
}

}  // namespace weft::detail
