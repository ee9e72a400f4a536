// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/plan/body.hpp>

namespace weft::detail {

/// The loops of a kernel over a domain: which axes, in which order, coalesced where every access
/// allows.
struct loop_nest {
  int rows = 0, segments = 0, count = 0;
  index_t extent[max_loops]{};
  signed char
      axis[max_loops]{};  ///< the domain axis that gives a loop its strides, -1 for a single pass
};

constexpr loop_nest make_loops(builder& b, const group& q, const sequence<window>& accesses) {
  // Outer to inner: axes that nothing reduces, axes that columns accumulate over, axes that rows
  // reduce; the domain's innermost axis comes last in any case.
  int innermost = -1;
  for (int d = 0; d < q.domain.rank; ++d)
    if (q.domain.d[d] != 1) innermost = d;
  auto kind = [&](int d) { return q.reduced >> d & 1 ? 2 : q.accumulated >> d & 1 ? 1 : 0; };
  loop_nest r;
  int kinds[max_loops]{};
  for (int pass = 0; pass < 4; ++pass)
    for (int d = 0; d < q.domain.rank; ++d) {
      if (q.domain.d[d] == 1 || (pass == 3) != (d == innermost) || (pass < 3 && kind(d) != pass))
        continue;
      const int last = r.count - 1;
      bool merges = last >= 0 && kinds[last] == kind(d);
      for (const window* w = accesses.begin(); merges && w != accesses.end(); ++w)
        merges = w->stride[r.axis[last]] == b.multiply(w->stride[d], q.domain.d[d]);
      const int at = merges ? last : r.count++;
      r.extent[at] = merges ? b.multiply(r.extent[last], q.domain.d[d]) : q.domain.d[d];
      r.axis[at] = static_cast<signed char>(d);
      kinds[at] = kind(d);
    }
  if (r.count == 0) {
    r.extent[0] = 1;
    r.axis[0] = -1;
    r.count = 1;
    kinds[0] = 2;
  }
  for (int i = 0; i + 1 < r.count; ++i) (kinds[i] == 2 ? r.segments : r.rows) += 1;
  return r;
}

/// The row-major stride of an axis of a shape.
constexpr index_t unit_stride(builder& b, const shape_of& s, int axis) {
  index_t step = 1;
  for (int d = s.rank - 1; d > axis; --d) step = b.multiply(step, s.d[d]);
  return step;
}

}  // namespace weft::detail
