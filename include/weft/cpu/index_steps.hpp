// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/base/error.hpp>
#include <weft/cpu/execute.hpp>

#include <cstring>
#include <string>

// gather and scatter_add: every index is checked before anything is written.
namespace weft::detail {

/// Calls f(offset of each of N arrays) for every index of some axes, in row-major order.
template <int N, class F>
inline void for_each_index(int rank, const index_t* extent, const index_t* const (&stride)[N],
                           F&& f) {
  index_t at[max_loops]{};
  index_t offset[N]{};
  for (int d = 0; d < rank; ++d)
    if (extent[d] == 0) return;
  while (true) {
    f(static_cast<const index_t*>(offset));
    int d = rank - 1;
    for (; d >= 0; --d) {
      for (int k = 0; k < N; ++k) offset[k] += stride[k][d];
      if (++at[d] < extent[d]) break;
      for (int k = 0; k < N; ++k) offset[k] -= stride[k][d] * extent[d];
      at[d] = 0;
    }
    if (d < 0) return;
  }
}

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_bad_index(const step& s, index_t index,
                                                                   index_t extent) {
  const long long i = index, n = extent;
  if (s.labels)
    throw_error<index_error>(
        "weft: label %lld is out of range for %lld classes: labels are 0 to classes - 1", i, n);
  throw_error<index_error>("weft: take: index %lld is out of range for axis %d of extent %lld", i,
                           s.axis, n);
}

/// An index as it is stored, of the dtype that the step names. A uint64 beyond the signed range
/// stays out of range.
inline index_t stored_index(dtype t, const std::byte* p) {
  auto read = [&](auto v) {
    std::memcpy(&v, p, sizeof v);
    return static_cast<index_t>(v);
  };
  switch (t) {
    case dtype::int32:
      return read(std::int32_t{});
    case dtype::uint32:
      return read(std::uint32_t{});
    case dtype::uint64:
      return read(std::uint64_t{});
    default:
      return read(std::int64_t{});
  }
}

/// The axes of gather's result or scatter_add's operand: in front of the indexed axis, those of the
/// indices, behind it.
struct indexed_axes {
  int before, indices, behind;
  explicit indexed_axes(const step& s)
      : before(s.axis), indices(s.index_rank), behind(s.rank - 1 - s.axis) {}
};

/// Indices of a step, read as places along its axis.
class index_reader {
 public:
  explicit index_reader(const bound_step& b)
      : b_(b),
        s_(*b.s),
        extent_(b.extent[max_loops - 1]),
        positions_(b.base[1] && b.sizes[1] == 1) {}

  index_t at(index_t offset) const {
    index_t i = raw(offset);
    // Labels do not count from the end; neither does an unsigned index that looks negative.
    if (i < 0 && is_signed(s_.index_type) && !s_.labels) i += extent_;
    return i;
  }
  void check_all() const {
    const indexed_axes n(s_);
    for_each_index<1>(n.indices, b_.extent + n.before, {b_.stride[1]}, [&](const index_t* o) {
      const index_t i = at(o[0]);
      if (i < 0 || i >= extent_) throw_bad_index(s_, raw(o[0]), extent_);
    });
  }

 private:
  index_t raw(index_t offset) const {
    if (positions_)
      return static_cast<index_t>(reinterpret_cast<std::uintptr_t>(b_.base[1])) + offset;
    return stored_index(s_.index_type, b_.base[1] + offset * b_.sizes[1]);
  }
  const bound_step& b_;
  const step& s_;
  index_t extent_;
  bool positions_;
};

/// How many of the last `rank` axes lie one after another, in row-major order, in both arrays;
/// `run` elements together.
inline int contiguous_axes(int rank, const index_t* extent, const index_t* x, const index_t* y,
                           index_t& run) {
  int n = 0;
  run = 1;
  for (int d = rank; d-- > 0; ++n) {
    if (extent[d] != 1 && (x[d] != run || y[d] != run)) break;
    run *= extent[d];
  }
  return n;
}

/// Loops of gather and scatter_add: f(offset in the array that is picked from, offset in the other,
/// elements in a run). `whole` has the axis that indices pick from; `part` has the indices' axes in
/// its place.
template <class F>
inline void for_each_picked(const bound_step& b, const index_t* whole, const index_t* part, F&& f) {
  const indexed_axes n(*b.s);
  const index_reader indices(b);
  const index_t* behind = b.extent + n.before + n.indices;
  const index_t *whole_behind = whole + n.before + 1, *part_behind = part + n.before + n.indices;
  index_t run = 1;
  const int inner = n.behind - contiguous_axes(n.behind, behind, whole_behind, part_behind, run);
  if (run == 0) return;
  for_each_index<2>(n.before, b.extent, {whole, part}, [&](const index_t* o) {
    for_each_index<2>(
        n.indices, b.extent + n.before, {b.stride[1], part + n.before}, [&](const index_t* i) {
          const index_t from = o[0] + indices.at(i[0]) * whole[n.before], to = o[1] + i[1];
          for_each_index<2>(inner, behind, {whole_behind, part_behind},
                            [&](const index_t* e) { f(from + e[0], to + e[1], run); });
        });
  });
}

template <class T, class A>
void run_gather(bound_step& b) {
  index_reader(b).check_all();
  auto* to = reinterpret_cast<T*>(b.base[2]);
  if constexpr (std::is_integral_v<T> && sizeof(T) == 8)
    if (b.sizes[0] == 1) {  // of positions: not memory, but a number
      const auto start = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(b.base[0]));
      for_each_picked(b, b.stride[0], b.stride[2], [&](index_t x, index_t y, index_t run) {
        for (index_t k = 0; k < run; ++k)
          to[y + k] = static_cast<T>(start + static_cast<std::uint64_t>(x + k));
      });
      return;
    }
  const auto* from = reinterpret_cast<const T*>(b.base[0]);
  for_each_picked(b, b.stride[0], b.stride[2], [&](index_t x, index_t y, index_t run) {
    if (run == 1)
      to[y] = from[x];
    else
      std::memcpy(to + y, from + x, static_cast<std::size_t>(run) * sizeof(T));
  });
}

/// Zeros, then one addition after another in the order of the indices, so that the bits repeat.
template <class T, class A>
void run_scatter_add(bound_step& b) {
  using S = computed_type<T>;  // 16-bit values add up in float, in scratch
  index_reader(b).check_all();
  const index_t count = scattered_elements(*b.s, b.extent);
  auto* to = reinterpret_cast<S*>(std::is_same_v<S, T> ? b.base[2] : b.scratch);
  std::memset(static_cast<void*>(to), 0, static_cast<std::size_t>(count) * sizeof(S));
  const auto* from = reinterpret_cast<const T*>(b.base[0]);
  for_each_picked(b, b.stride[2], b.stride[0], [&](index_t x, index_t y, index_t run) {
    for (index_t k = 0; k < run; ++k) {
      if constexpr (std::is_same_v<T, bool>)
        to[x + k] = to[x + k] || from[y + k];
      else if constexpr (std::is_integral_v<T>)
        to[x + k] = static_cast<T>(static_cast<std::uint64_t>(to[x + k]) +
                                   static_cast<std::uint64_t>(from[y + k]));
      else
        to[x + k] += from[y + k];
    }
  });
  if constexpr (!std::is_same_v<S, T>)
    for (index_t i = 0; i < count; ++i) reinterpret_cast<T*>(b.base[2])[i] = T(to[i]);
}

}  // namespace weft::detail
