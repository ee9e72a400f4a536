// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cuda/emit_columns.hpp>
#include <weft/cuda/emit_index.hpp>
#include <weft/cuda/emit_pointwise.hpp>
#include <weft/cuda/emit_row_columns.hpp>
#include <weft/cuda/emit_rows.hpp>
#include <weft/cuda/emit_transposed.hpp>

// From a step of a plan to CUDA source: which form it takes.
namespace weft::detail::cuda {

/// Throws device_error for an op of the plan that has no CUDA form; asked when a program is made.
inline void require_cuda_forms(const plan& p) {
  for (const plan& body : p.bodies) require_cuda_forms(body);
  for (const kernel& k : p.kernels)
    for (int i = 0; i < k.size; ++i)
      if (k.nodes[i].load < 0) {
        const op_kind kind = info(k.nodes[i].op).kind;
        if (kind == op_kind::pointwise)
          static_cast<void>(spelling(k.nodes[i], k.nodes[k.nodes[i].in[0]].type));
      }
}

/// sum_to as a kernel: one load, one reduction.
inline work sum_to_work(const plan& p, int step_number, const extent_values& extents,
                        std::uint64_t unaligned) {
  const step& s = p.steps[static_cast<std::size_t>(step_number)];
  const access* a = p.accesses.data() + s.first_access;
  work w;
  w.number = step_number;
  loop_set kept, summed;
  for (int d = 0; d < s.rank; ++d) {
    const number n = extents.of(s.extent[d]);
    const std::vector<number> by{extents.of(a[0].stride[d]), extents.of(a[1].stride[d])};
    (by[1] != 0 || n == 1 ? kept : summed).add(n, by);
  }
  kept.normalise();
  summed.normalise();
  kernel_node x;
  const bool positions = a[0].buffer < 0;
  x.op = positions ? id_of<iota_> : id_of<argument_>;
  x.type = s.type;
  x.load = 0;
  x.at = level::element;
  w.k.add(x);
  w.k.loads = 1;
  kernel_store y;
  y.type = s.type;
  // Where elements beside each other end in different sums, these are columns.
  w.columns = kept.size() > 0 && kept.inner_stride(0) == 1;
  w.reduces = !w.columns;
  if (w.columns) {
    y.node = 0;
    y.kind = store_kind::column;
    y.reduce = id_of<reduce_sum_>;
  } else {
    kernel_node sum;
    sum.op = id_of<reduce_sum_>;
    sum.type = s.type;
    sum.in[0] = 0;
    sum.at = level::row;
    sum.phase = 1;
    w.k.add(sum);
    y.node = 1;
    y.kind = store_kind::row;
    y.phase = 1;
  }
  w.k.add(y);
  for (int i = 0; i < 2; ++i) {
    operand o;
    o.type = s.type;
    o.position = positions && i == 0;
    o.offset = extents.of(a[i].offset);
    o.aligned = o.offset.value * o.size() % 16 == 0 && !(unaligned >> i & 1);
    w.operands.push_back(o);
  }
  w.kept = kept;
  (w.columns ? w.summed : w.elements) = summed;
  return w;
}

inline emitted_step emit_work(work w, const card& c, const tuning& u) {
  emitted_step r;
  w.stops_at_fault = u.stops_at_fault;
  w.streams = u.streams;
  w.cache_bytes = static_cast<index_t>(c.l2_bytes);
  const bool wide = u.wide || !fits_int(w);
  if (!w.reduces && !w.columns && transposed_writer::wanted(w))
    transposed_writer(w, wide, u).emit(r);
  else if (!w.reduces && !w.columns)
    pointwise_writer(w, wide, c, u).emit(r);
  else if (!w.columns)
    rows_writer(w, wide, c, u).emit(r);
  else if (!w.reduces)
    columns_writer(w, wide, c, u).emit(r);
  else
    row_columns_writer(w, wide, c, u).emit(r);
  return r;
}

/// The kernels of a step for extents, some of which may be parameters. A pure function:
/// equal work gives equal text, wherever in a program it stands. Throws device_error for an op
/// without a CUDA form.
inline emitted_step emit(const plan& p, int step, const extent_values& extents, const card& c,
                         const tuning& u = {}) {
  const weft::detail::step& s = p.steps[static_cast<std::size_t>(step)];
  switch (s.kind) {
    case step_kind::product:
      if (s.kernel < 0) return {};
      [[fallthrough]];
    case step_kind::kernel:
      return emit_work(make_work(p, step, extents, u.unaligned), c, u);
    case step_kind::sum_to:
      return emit_work(sum_to_work(p, step, extents, u.unaligned), c, u);
    default: {
      emitted_step r;
      index_writer(p, step, extents, u.unaligned).emit(r);
      return r;
    }
  }
}

/// Schedules worth trying, the emitter's choice first.
inline std::vector<tuning> candidates(const plan& p, int step, const extent_values& extents,
                                      const card& c) {
  std::vector<tuning> r{{}};
  const weft::detail::step& s = p.steps[static_cast<std::size_t>(step)];
  if (s.kind != step_kind::kernel && !(s.kind == step_kind::product && s.kernel >= 0)) return r;
  work w = make_work(p, step, extents, 0);
  w.cache_bytes = static_cast<index_t>(c.l2_bytes);
  auto add = [&](int threads, int items, int splits = 0, int streams = tuning{}.streams) {
    tuning u;
    u.streams = streams;
    u.threads = threads;
    u.items = items;
    u.splits = splits;
    r.push_back(u);
  };
  if (!w.reduces && !w.columns) {
    for (int threads : {128, 256, 512})
      for (int items : {1, 2, 4}) add(threads, items);
  } else if (!w.columns) {
    for (int threads : {32, 64, 128, 256, 512, 1024})
      if (w.elements.count().value >= threads) add(threads, 0);
    // Few long rows: more blocks for each, or larger ones.
    const index_t rows = std::max<index_t>(1, w.kept.count().value);
    if (rows < c.multiprocessors && w.elements.count().value >= long_row)
      for (int threads : {256, 512, 1024})
        for (int blocks : {2, 3, 4, 8})
          add(threads, 0, static_cast<int>(blocks * c.multiprocessors / rows));
  } else if (!w.reduces) {
    for (int threads : {128, 256, 512})
      for (int items : {4, 8}) add(threads, items);
  } else {
    for (int threads : {128, 256, 512})
      for (int splits : {1, 2, 3, 4}) {
        add(threads, 0, splits);
        if (w.stores_much()) add(threads, 0, splits, 1);
      }
  }
  return r;
}

}  // namespace weft::detail::cuda
