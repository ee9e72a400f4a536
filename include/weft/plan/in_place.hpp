// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/plan/program.hpp>

// Which results may lie in the memory of which arguments.
namespace weft::detail {

constexpr std::size_t slot_of(int i) {
  return static_cast<std::size_t>(i);
}

/// How many of a step's accesses, from the first, are reads.
constexpr int reads_of(const plan& p, const step& s) {
  switch (s.kind) {
    case step_kind::kernel:
      return p.kernels[slot_of(s.kernel)].loads;
    case step_kind::product:
      return s.kernel < 0 ? 2 : 3 + p.kernels[slot_of(s.kernel)].loads;
    case step_kind::gather:
    case step_kind::scatter_add:
      return 2;
    case step_kind::control:
      return p.controls[slot_of(s.axis)].operands;
    default:
      return 1;
  }
}

/// Whether a step calls C++ code, which may throw.
constexpr bool calls_host(const plan& p, const step& s) {
  if (s.kind != step_kind::control) return false;
  const control& c = p.controls[slot_of(s.axis)];
  bool r = c.host >= 0;
  for (int k : c.body) r = r || (k >= 0 && p.bodies[slot_of(k)].last_failure >= 0);
  return r;
}

/// Which arguments an output may share memory with: see plan::in_place.
constexpr void find_in_place(plan& p, std::size_t outputs, int arguments) {
  p.first_write.assign(outputs, -1);
  p.last_read.assign(slot_of(arguments), -1);
  sequence<int> writes(outputs, 0), written(outputs, -1);
  const buffer* buffers = p.buffers.data();
  const access* accesses = p.accesses.data();
  const int steps = static_cast<int>(p.steps.size());
  for (int t = 0; t < steps; ++t) {
    const step& s = p.steps[slot_of(t)];
    const int reads = reads_of(p, s);
    if (calls_host(p, s)) p.last_failure = t;
    for (int a = 0; a < s.access_count; ++a) {
      const int f = accesses[s.first_access + a].buffer;
      if (f < 0) continue;
      const buffer& q = buffers[f];
      if (q.kind == buffer_kind::argument && a < reads) p.last_read[slot_of(q.index)] = t;
      if (q.kind == buffer_kind::output &&
          (a >= reads || (s.kind == step_kind::product && a == 2))) {
        if (p.first_write[slot_of(q.index)] < 0) p.first_write[slot_of(q.index)] = t;
        written[slot_of(q.index)] = s.first_access + a;
        ++writes[slot_of(q.index)];
      }
    }
  }
  for (int j = 0; j < static_cast<int>(outputs); ++j) {
    const int t = p.first_write[slot_of(j)];
    if (t < 0 || writes[slot_of(j)] != 1) continue;
    const step& s = p.steps[slot_of(t)];
    if (s.kind == step_kind::kernel ? p.kernels[slot_of(s.kernel)].phases != 1
                                    : s.kind != step_kind::product)
      continue;
    const access& w = accesses[written[slot_of(j)]];
    const int reads = reads_of(p, s);
    for (int a = s.kind == step_kind::product ? 3 : 0; a < reads; ++a) {
      const access& r = accesses[s.first_access + a];
      if (r.buffer < 0 || buffers[r.buffer].kind != buffer_kind::argument) continue;
      const int argument = buffers[r.buffer].index;
      bool same = p.last_read[slot_of(argument)] == t;
      for (int c = 0; same && c < reads; ++c) {
        const access& o = accesses[s.first_access + c];
        if (o.buffer < 0 || buffers[o.buffer].kind != buffer_kind::argument ||
            buffers[o.buffer].index != argument)
          continue;
        same = (s.kind != step_kind::product || c > 2) && o.offset == w.offset;
        for (int d = 0; same && d < max_loops; ++d) same = o.stride[d] == w.stride[d];
      }
      if (same) p.matching.push_back(j * 65536 + argument);
    }
  }
}

}  // namespace weft::detail
