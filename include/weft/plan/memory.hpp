// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/graph/builder.hpp>
#include <weft/plan/program.hpp>

namespace weft::detail {

/// Gives arena buffers slots: two share one when the first is dead before the second is written. A
/// slot fits exactly where sizes are symbols, and is the smallest that is large enough where they
/// are numbers.
constexpr void assign_slots(plan& p, builder& b) {
  const std::size_t n = p.buffers.size();
  sequence<int> first(n, -1), last(n, -1);
  for (std::size_t t = 0; t < p.steps.size(); ++t)
    for (int a = 0; a < p.steps[t].access_count; ++a) {
      const int f = p.accesses[static_cast<std::size_t>(p.steps[t].first_access + a)].buffer;
      if (f < 0) continue;
      if (first[static_cast<std::size_t>(f)] < 0)
        first[static_cast<std::size_t>(f)] = static_cast<int>(t);
      last[static_cast<std::size_t>(f)] = static_cast<int>(t);
    }
  // Buffers by the step that first and last touches them, as linked lists.
  sequence<int> starts(p.steps.size(), -1), ends(p.steps.size(), -1), next_start(n, -1),
      next_end(n, -1);
  for (std::size_t f = n; f-- > 0;) {
    if (p.buffers[f].kind != buffer_kind::arena || first[f] < 0) continue;
    next_start[f] = starts[static_cast<std::size_t>(first[f])];
    starts[static_cast<std::size_t>(first[f])] = static_cast<int>(f);
    next_end[f] = ends[static_cast<std::size_t>(last[f])];
    ends[static_cast<std::size_t>(last[f])] = static_cast<int>(f);
  }
  // Free slots as a list in increasing order; where several fit equally well, the first one is
  // taken.
  sequence<int> next_free;
  int free = -1;
  for (std::size_t t = 0; t < p.steps.size(); ++t) {
    for (int f = starts.first[t]; f >= 0; f = next_start.first[f]) {
      buffer& q = p.buffers.first[f];
      const index_t bytes = b.multiply(q.count, size_of(q.type));
      const bool number = !is_symbol(bytes);
      const index_t* slots = p.slots.first;
      const int* next = next_free.first;
      int best = -1, before_best = -1;
      for (int s = free, before = -1; s >= 0; before = s, s = next[s]) {
        const index_t size = slots[s];
        const bool fits = size == bytes || (number && size > first_symbol && size >= bytes);
        if (fits && (best < 0 || size < slots[best])) best = s, before_best = before;
      }
      if (best < 0) {
        best = static_cast<int>(p.slots.size());
        p.slots.push_back(bytes);
        next_free.push_back(-1);
      } else if (before_best < 0) {
        free = next[best];
      } else {
        next_free.first[before_best] = next[best];
      }
      q.slot = best;
    }
    for (int f = ends.first[t]; f >= 0; f = next_end.first[f]) {
      const int s = p.buffers.first[f].slot;
      int* at = &free;
      while (*at >= 0 && *at < s) at = next_free.first + *at;
      next_free.first[s] = *at;
      *at = s;
    }
  }
}

}  // namespace weft::detail
