// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/index_steps.hpp>

#include <limits>

// argmax, argmin, and sums to a shape that is known at the call only.
namespace weft::detail {

/// Whether x comes before the best so far: greater (or less), or the first NaN.
template <bool Greatest, class T>
constexpr bool beats(T x, T best) {
  if constexpr (is_real<T>) {
    if (best != best) return false;
    if (x != x) return true;
  }
  return Greatest ? x > best : x < best;
}

/// The place of the first greatest (or least) element along an axis. Where elements beside each
/// other are in different rows, a block of rows walks the axis together.
template <class T, bool Greatest, class A>
void run_arg_extremum(bound_step& b) {
  const step& s = *b.s;
  const auto* from = reinterpret_cast<const T*>(b.base[0]);
  auto* to = reinterpret_cast<std::int64_t*>(b.base[1]);
  index_t extent[max_loops]{}, x[max_loops]{}, y[max_loops]{};
  int rank = 0;
  for (int d = 0; d < s.rank; ++d) {
    if (d == s.axis) continue;
    extent[rank] = b.extent[d];
    x[rank] = b.stride[0][d];
    y[rank++] = b.stride[1][d];
  }
  const index_t count = b.extent[s.axis], step = b.stride[0][s.axis];
  for_each_index<2>(rank, extent, {x, y}, [&](const index_t* o) {
    const T* p = from + o[0];
    T best = p[0];
    index_t place = 0;
    for (index_t i = 1; i < count; ++i) {
      const T v = p[i * step];
      if (beats<Greatest>(v, best)) best = v, place = i;
    }
    to[o[1]] = place;
  });
}

/// Sums the operand over the axes where the result does not move. Floats add up in double, doubles
/// in blocks.
template <class T, class A>
void run_sum_to(bound_step& b) {
  const step& s = *b.s;
  const auto* from = reinterpret_cast<const T*>(b.base[0]);
  auto* to = reinterpret_cast<T*>(b.base[1]);
  index_t kept[max_loops]{}, kept_x[max_loops]{}, kept_y[max_loops]{}, summed[max_loops]{},
      summed_x[max_loops]{};
  int kept_rank = 0, summed_rank = 0;
  for (int d = 0; d < s.rank; ++d) {
    if (b.stride[1][d] != 0) {
      kept[kept_rank] = b.extent[d];
      kept_x[kept_rank] = b.stride[0][d];
      kept_y[kept_rank++] = b.stride[1][d];
    } else {
      summed[summed_rank] = b.extent[d];
      summed_x[summed_rank++] = b.stride[0][d];
    }
  }
  using sum = std::conditional_t<is_real<T>, double, std::uint64_t>;
  for_each_index<2>(kept_rank, kept, {kept_x, kept_y}, [&](const index_t* o) {
    sum total = 0, block = 0;
    index_t n = 0;
    for_each_index<1>(summed_rank, summed, {summed_x}, [&](const index_t* e) {
      block += static_cast<sum>(from[o[0] + e[0]]);
      if (++n % 1024 == 0) total += block, block = 0;
    });
    to[o[1]] = static_cast<T>(total + block);
  });
}

}  // namespace weft::detail
