// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/base/error.hpp>
#include <weft/cuda/emitted.hpp>
#include <weft/cuda/number.hpp>
#include <weft/plan/phases.hpp>

#include <algorithm>
#include <cstdlib>

// A step with its extents as numbers, in the shape in which schedules are chosen.
namespace weft::detail::cuda {

inline index_t value_of(index_t e, const index_t* extents) {
  return is_symbol(e) ? extents[symbol_number(e)] : e;
}

/// Loops from the outermost to the innermost, with the stride of every access along each.
struct loop_set {
  std::vector<number> extent;
  std::vector<std::vector<number>> stride;  ///< [loop][access]

  int size() const { return static_cast<int>(extent.size()); }
  number count() const {
    number n = 1;
    for (const number& e : extent) n = n * e;
    return n;
  }
  void add(number e, std::vector<number> by) {
    extent.push_back(std::move(e));
    stride.push_back(std::move(by));
  }
  /// Leaves out loops of one turn, and joins two that every access walks as one.
  void normalise() {
    loop_set r;
    for (std::size_t l = 0; l < extent.size(); ++l) {
      if (extent[l] == 1) continue;
      bool joins = r.size() > 0;
      if (joins)
        for (std::size_t a = 0; a < stride[l].size(); ++a)
          joins = joins && r.stride.back()[a] == stride[l][a] * extent[l];
      if (joins) {
        r.extent.back() = r.extent.back() * extent[l];
        r.stride.back() = stride[l];
      } else {
        r.add(extent[l], stride[l]);
      }
    }
    *this = std::move(r);
  }
  number inner_extent() const { return extent.empty() ? number(1) : extent.back(); }
  number inner_stride(int a) const {
    return stride.empty() ? number(0) : stride.back()[static_cast<std::size_t>(a)];
  }
  const number& at(int loop, int a) const {
    return stride[static_cast<std::size_t>(loop)][static_cast<std::size_t>(a)];
  }
  /// Whether an access moves along any of the loops.
  bool moves(int a) const {
    for (std::size_t l = 0; l < stride.size(); ++l)
      if (stride[l][static_cast<std::size_t>(a)] != 0) return true;
    return false;
  }
  bool is_dynamic() const {
    for (const number& e : extent)
      if (e.is_dynamic()) return true;
    for (const auto& by : stride)
      for (const number& s : by)
        if (s.is_dynamic()) return true;
    return false;
  }
};

/// One access of a kernel.
struct operand {
  dtype type{};
  bool position = false;  ///< no memory: the place itself
  bool number = false;    ///< an extent
  cuda::number literal;   ///< of a number
  cuda::number offset;    ///< in elements; the pointer has it already, a position starts there
  bool aligned = true;    ///< 16 bytes, as far as base and offset go
  int size() const { return size_of(type); }
};

/// A kernel with its loops.
struct work {
  kernel k;
  std::vector<operand> operands;  ///< loads, then stores
  loop_set kept;      ///< rows that keep a place in every result; all rows where nothing is summed
  loop_set summed;    ///< rows that columns are accumulated over
  loop_set elements;  ///< of a row; with neither reductions nor columns, all loops
  bool reduces = false, columns = false;
  int number = 0;  ///< of the step, for messages and the fault word
  bool stops_at_fault = false;
  int streams = 0;           ///< as in tuning
  index_t cache_bytes = -1;  ///< of L2

  /// Whether an access touches memory larger than the cache, each of its elements once.
  bool is_large(int a) const {
    const operand& o = operands[static_cast<std::size_t>(a)];
    index_t count = 1;
    for (const loop_set* q : {&kept, &summed, &elements})
      for (int l = 0; l < q->size(); ++l) {
        if (q->at(l, a) == 0) return false;
        count *= q->extent[static_cast<std::size_t>(l)].expected();
      }
    return !o.position && !o.number && count * o.size() > cache_bytes;
  }
  /// Whether an access passes the cache by.
  bool streams_by(int a) const {
    if (a >= k.loads) return (streams & 2) && is_large(a);
    return (streams & 1) && !stores_much() && is_large(a);
  }
  /// Whether the cache holds on to a load rather than to what is stored. A kernel for any extents
  /// is one for small ones, too, where it would only hold on to what nobody reads again.
  bool keeps(int a) const { return (streams & 4) && !is_dynamic() && stores_much() && is_large(a); }
  bool stores_much() const {
    for (int s = k.loads; s < accesses(); ++s)
      if (is_large(s)) return true;
    return false;
  }

  int accesses() const { return static_cast<int>(operands.size()); }
  int first_store() const { return k.loads; }
  /// Whether anything is a parameter of its kernels.
  bool is_dynamic() const {
    for (const operand& o : operands)
      if (o.literal.is_dynamic() || (o.position && o.offset.is_dynamic())) return true;
    return kept.is_dynamic() || summed.is_dynamic() || elements.is_dynamic();
  }
};

inline void find_kinds(work& w) {
  for (int i = 0; i < w.k.size; ++i) w.reduces = w.reduces || is_reduction(w.k.nodes[i].op);
  for (int s = 0; s < w.k.store_count; ++s)
    w.columns = w.columns || w.k.stores[s].kind == store_kind::column;
}

/// The kernel of a step of kind kernel, or the epilogue of a product, whose tile is then the whole
/// result in row-major order.
inline work make_work(const plan& p, int step_number, const extent_values& extents,
                      std::uint64_t unaligned) {
  const step& s = p.steps[static_cast<std::size_t>(step_number)];
  const bool product = s.kind == step_kind::product;
  work w;
  w.number = step_number;
  w.k = p.kernels[static_cast<std::size_t>(s.kernel)];
  find_kinds(w);
  const int loops = product ? s.rows + 2 : s.loops(), first = s.first_access + (product ? 3 : 0);
  const int count = w.k.loads + w.k.store_count;
  std::vector<number> extent;
  for (int l = 0; l < loops; ++l) extent.push_back(extents.of(s.extent[l]));
  std::vector<std::vector<number>> stride(static_cast<std::size_t>(loops),
                                          std::vector<number>(static_cast<std::size_t>(count)));
  for (int a = 0; a < count; ++a) {
    const access& x = p.accesses[static_cast<std::size_t>(first + a)];
    operand o;
    if (a >= w.k.loads) {
      o.type = w.k.stores[a - w.k.loads].type;
    } else {
      for (int i = 0; i < w.k.size; ++i)
        if (w.k.nodes[i].load == a) {
          o.type = w.k.nodes[i].type;
          o.position = w.k.nodes[i].op == id_of<iota_>;
        }
    }
    // A product's result is read as it lies in memory: 16-bit products are stored as such.
    if (product && a == 0) o.type = s.type;
    o.offset = extents.of(x.offset);
    if (x.buffer >= 0) {
      const buffer& f = p.buffers[static_cast<std::size_t>(x.buffer)];
      o.number = f.kind == buffer_kind::extent;
      if (o.number) o.literal = extents.of(f.count);
    }
    if (!o.position) o.aligned = o.offset.value * o.size() % 16 == 0 && !(unaligned >> a & 1);
    if (product && a == 0) {
      o.offset = 0;
      number step = 1;
      for (int l = loops; l-- > 0; step = step * extent[static_cast<std::size_t>(l)])
        stride[static_cast<std::size_t>(l)][0] = step;
    } else {
      for (int l = 0; l < loops; ++l)
        stride[static_cast<std::size_t>(l)][static_cast<std::size_t>(a)] = extents.of(x.stride[l]);
    }
    w.operands.push_back(o);
  }
  const auto n = static_cast<std::size_t>(s.rows);
  std::size_t kept = n;
  if (w.columns) {
    int column = -1;
    for (int j = 0; j < w.k.store_count && column < 0; ++j)
      if (w.k.stores[j].kind == store_kind::column) column = w.k.loads + j;
    while (kept > 0 && stride[kept - 1][static_cast<std::size_t>(column)] == 0) --kept;
  }
  for (std::size_t l = 0; l < static_cast<std::size_t>(loops); ++l) {
    loop_set& to = !w.reduces && !w.columns ? w.elements
                   : l < kept               ? w.kept
                   : l < n                  ? w.summed
                                            : w.elements;
    to.add(extent[l], stride[l]);
  }
  w.kept.normalise();
  w.summed.normalise();
  w.elements.normalise();
  return w;
}

/// How many elements a thread takes at once, and which accesses take them in one piece.
struct vector_form {
  int width = 1;
  std::vector<char> whole;  ///< by access
};

/// Elements of a vector over the innermost of `e`, where the loops in `outer` move accesses too. A
/// width must divide the innermost extent, unless `tail` says that a rest is handled. A dynamic one
/// is of one class or of the other: the full width divides it, or there are no vectors.
inline vector_form make_vectors(const work& w, const loop_set& e,
                                const std::vector<const loop_set*>& outer, int asked, bool tail) {
  vector_form r;
  int least = 16, most = 1;
  for (int a = 0; a < w.accesses(); ++a) {
    const operand& o = w.operands[static_cast<std::size_t>(a)];
    if (o.position || o.number || e.inner_stride(a) == 0) continue;
    least = std::min(least, o.size());
    most = std::max(most, o.size());
  }
  r.width = asked ? asked : std::min(16 / least, std::max(1, 32 / most));
  const number inner = e.inner_extent();
  while (r.width > 1 && !inner.divides_by(r.width) && !(tail && e.size() == 1))
    r.width = inner.is_dynamic() ? 1 : r.width / 2;
  for (int a = 0; a < w.accesses(); ++a) {
    const operand& o = w.operands[static_cast<std::size_t>(a)];
    bool whole = r.width > 1 && !o.position && !o.number && e.inner_stride(a) == 1 && o.aligned;
    const index_t unit = std::min(r.width * o.size(), 16) / o.size();
    for (int l = 0; whole && l + 1 < e.size(); ++l) whole = e.at(l, a).divides_by(unit);
    for (const loop_set* q : outer)
      for (int l = 0; whole && l < q->size(); ++l) whole = q->at(l, a).divides_by(unit);
    r.whole.push_back(whole);
  }
  return r;
}

/// Whether every place that is formed fits 31 bits.
inline bool fits_int(const work& w) {
  const index_t count = (w.kept.count() * w.summed.count() * w.elements.count()).value;
  if (count >= index_t{1} << 30) return false;
  for (int a = 0; a < w.accesses(); ++a) {
    index_t reach = 0;
    for (const loop_set* q : {&w.kept, &w.summed, &w.elements})
      for (int l = 0; l < q->size(); ++l)
        reach += std::abs(q->at(l, a).value) * (q->extent[static_cast<std::size_t>(l)].value - 1);
    if (reach >= index_t{1} << 30) return false;
  }
  return true;
}

}  // namespace weft::detail::cuda
