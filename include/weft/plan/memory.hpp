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
  const std::size_t n = p.buffers.size(), steps = p.steps.size();
  // Buffers by the step that first and last touches them, as linked lists.
  sequence<int> first(n, -1), last(n, -1), starts(steps, -1), ends(steps, -1), next_start(n, -1),
      next_end(n, -1);
  const access* touched = p.accesses.first;
  for (int t = 0, end = static_cast<int>(steps); t < end; ++t) {
    const step& s = p.steps.first[t];
    for (int a = s.first_access, past = a + s.access_count; a < past; ++a) {
      const int f = touched[a].buffer;
      if (f < 0) continue;
      if (first.first[f] < 0) first.first[f] = t;
      last.first[f] = t;
    }
  }
  for (int f = static_cast<int>(n); f-- > 0;) {
    const int begin = first.first[f], end = last.first[f];
    if (p.buffers.first[f].kind != buffer_kind::arena || begin < 0) continue;
    next_start.first[f] = starts.first[begin];
    starts.first[begin] = f;
    next_end.first[f] = ends.first[end];
    ends.first[end] = f;
  }
  // The free slots of each size, as lists in increasing order: the first one is taken.
  sequence<index_t> sizes;
  sequence<int> free, size_of_slot, next_free;
  for (std::size_t t = 0; t < steps; ++t) {
    for (int f = starts.first[t]; f >= 0; f = next_start.first[f]) {
      buffer& q = p.buffers.first[f];
      const index_t bytes = b.multiply(q.count, size_of(q.type));
      const bool number = !is_symbol(bytes);
      int best = -1, exact = -1;
      for (int k = 0, end = static_cast<int>(sizes.size()); k < end; ++k) {
        const index_t size = sizes.first[k];
        if (size == bytes) exact = k;
        if (free.first[k] < 0) continue;
        const bool fits = size == bytes || (number && size > first_symbol && size >= bytes);
        if (fits && (best < 0 || size < sizes.first[best])) best = k;
      }
      if (best >= 0) {
        q.slot = free.first[best];
        free.first[best] = next_free.first[q.slot];
        continue;
      }
      if (exact < 0) {
        exact = static_cast<int>(sizes.size());
        sizes.push_back(bytes);
        free.push_back(-1);
      }
      q.slot = static_cast<int>(p.slots.size());
      p.slots.push_back(bytes);
      size_of_slot.push_back(exact);
      next_free.push_back(-1);
    }
    for (int f = ends.first[t]; f >= 0; f = next_end.first[f]) {
      const int s = p.buffers.first[f].slot;
      int* at = &free.first[size_of_slot.first[s]];
      while (*at >= 0 && *at < s) at = next_free.first + *at;
      next_free.first[s] = *at;
      *at = s;
    }
  }
}

}  // namespace weft::detail
