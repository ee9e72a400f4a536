// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/gemm_pack.hpp>

// Products with one row or one column: out[j] = sum over p of x[p] * m(p, j), limited by loads.
//
// A block of k is summed in 16 parts, part p % 16 a chain of multiply-adds in order of p, added as
// a binary tree of neighbours. The same 16 parts serve both directions of the matrix and every SIMD
// width, so that a result depends neither on the layout nor on the width. Missing terms are 0 * 0.
namespace weft::detail {

inline constexpr index_t gemv_parts = 16;

/// The lane, of those of two vectors, that lane r of a sum of neighbours takes: `Group` lanes at a
/// time, the even (or odd) ones of their units of `Unit` lanes, of the first vector and then of the
/// second.
template <int Lanes, int Group, int Unit>
constexpr int gemv_lane(int r, int odd) {
  const int within = r % Group, half = Group / 2, unit = within % half / Unit;
  return within / half * Lanes + r / Group * Group + (2 * unit + odd) * Unit + within % Unit;
}

/// Adds neighbouring lanes. A round of as many levels as lanes are doubled may first add within 128
/// bits and then whole 128 bits, which costs less than to bring each level in order: at its end the
/// order is the same.
template <int Level, class T, class Arch, int... r>
[[gnu::always_inline]] inline xsimd::batch<T, Arch> gemv_pair(xsimd::batch<T, Arch> a,
                                                              xsimd::batch<T, Arch> b,
                                                              std::integer_sequence<int, r...>) {
  using batch = xsimd::batch<T, Arch>;
  constexpr int lanes = sizeof...(r), block = std::min<int>(16 / sizeof(T), lanes);
  constexpr int round = std::bit_width(unsigned(lanes)) - 1, first = Level - Level % round;
  constexpr bool whole = first + round <= 4;  // 16 parts are 4 levels
  constexpr bool across = Level % round >= std::bit_width(unsigned(block)) - 1;
  constexpr int group = whole && !across ? block : lanes, unit = whole && across ? block : 1;
  return batch(__builtin_shufflevector(a.data, b.data, (gemv_lane<lanes, group, unit>(r, 0))...)) +
         batch(__builtin_shufflevector(a.data, b.data, (gemv_lane<lanes, group, unit>(r, 1))...));
}

/// Adds neighbouring parts until one vector is left. Across: parts are lanes, and lane j of the
/// result is the sum of output j; otherwise parts are whole vectors.
template <bool Across, class T, class Arch, int Level = 0, int... i>
[[gnu::always_inline]] inline xsimd::batch<T, Arch> gemv_sum(const xsimd::batch<T, Arch>* part,
                                                             std::integer_sequence<int, i...>) {
  xsimd::batch<T, Arch> sum[sizeof...(i)];
  if constexpr (Across)
    ((sum[i] = gemv_pair<Level>(part[2 * i], part[2 * i + 1],
                                std::make_integer_sequence<int, gemm_registers<T, Arch>::lanes>{})),
     ...);
  else
    ((sum[i] = part[2 * i] + part[2 * i + 1]), ...);
  if constexpr (sizeof...(i) == 1)
    return sum[0];
  else
    return gemv_sum<Across, T, Arch, Level + 1>(
        sum, std::make_integer_sequence<int, sizeof...(i) / 2>{});
}

/// One vector of outputs, where the elements that an output reads are neighbours (m has unit row
/// stride, and `stride` between outputs). x has unit stride and is filled up with zeros to a
/// multiple of 16.
template <class T, class Arch, int... i>
[[gnu::always_inline]] inline xsimd::batch<T, Arch> gemv_across(const T* x, index_t k, const T* m,
                                                                index_t stride, int outputs,
                                                                std::integer_sequence<int, i...>) {
  using batch = xsimd::batch<T, Arch>;
  constexpr int lanes = gemm_registers<T, Arch>::lanes, chunks = gemv_parts / lanes;
  const gemm_rows<lanes, const T*> row(m, stride, outputs);
  batch part[gemv_parts] = {((void)i, batch(T(0)))...};
  index_t p = 0;
  for (; p + gemv_parts <= k; p += gemv_parts)
    ((part[i] =
          gemm_fma(batch::load_unaligned(x + p + i % chunks * lanes),
                   batch::load_unaligned(row.at[i / chunks] + p + i % chunks * lanes), part[i])),
     ...);
  if (p < k) {
    const int left = static_cast<int>(k - p);
    const auto count = [&](int chunk) { return std::clamp(left - chunk * lanes, 0, lanes); };
    ((part[i] = gemm_fma(
          batch::load_unaligned(x + p + i % chunks * lanes),
          gemm_load<T, Arch>(row.at[i / chunks] + (count(i % chunks) ? p + i % chunks * lanes : 0),
                             gemm_mask<T, Arch>(count(i % chunks))),
          part[i])),
     ...);
  }
  return gemv_sum<true, T, Arch>(part, std::make_integer_sequence<int, gemv_parts / 2>{});
}

/// One vector of outputs that are neighbours (m has unit column stride, and `stride` along k).
template <class T, class Arch, int... i>
[[gnu::always_inline]] inline xsimd::batch<T, Arch> gemv_along(const T* x, index_t k, const T* m,
                                                               index_t stride, int outputs,
                                                               std::integer_sequence<int, i...>) {
  using batch = xsimd::batch<T, Arch>;
  const auto mask = gemm_mask<T, Arch>(outputs);
  batch part[gemv_parts] = {((void)i, batch(T(0)))...};
  index_t p = 0;
  for (; p + gemv_parts <= k; p += gemv_parts, m += gemv_parts * stride)
    ((part[i] = gemm_fma(batch(x[p + i]), gemm_load<T, Arch>(m + i * stride, mask), part[i])), ...);
  if (p < k)
    ((part[i] =
          gemm_fma(batch(x[p + i]),
                   p + i < k ? gemm_load<T, Arch>(m + i * stride, mask) : batch(T(0)), part[i])),
     ...);
  return gemv_sum<false, T, Arch>(part, std::make_integer_sequence<int, gemv_parts / 2>{});
}

/// Adds the terms of rows m, m + step, ..., one for each i, to a row of one part's sums, which
/// begin with zeros where `first` says so; x holds the rows' factors, 16 apart. Each sum is loaded
/// and stored once for all these rows, whose elements come from one run of memory each.
template <class T, class Arch, int... i>
[[gnu::always_inline]] inline void gemv_add_rows(const T* x, const T* m, index_t step,
                                                 index_t columns, bool first, T* sum,
                                                 std::integer_sequence<int, i...>) {
  using batch = xsimd::batch<T, Arch>;
  constexpr index_t lanes = gemm_registers<T, Arch>::lanes;
  const batch left[] = {batch(x[i * gemv_parts])...};
  const T* const row[] = {m + i * step...};
  const index_t full = columns / lanes * lanes;
  const auto add = [&](index_t v, auto load) {
    batch s = first ? batch(T(0)) : batch::load_unaligned(sum + v);
    ((s = gemm_fma(left[i], load(row[i] + v), s)), ...);
    s.store_unaligned(sum + v);
  };
  for (index_t v = 0; v < full; v += lanes)
    add(v, [](const T* p) { return batch::load_unaligned(p); });
  if (full < columns) {
    const auto mask = gemm_mask<T, Arch>(static_cast<int>(columns - full));
    add(full, [&](const T* p) { return gemm_load<T, Arch>(p, mask); });
  }
}

/// The sums of at least four vectors of neighbouring outputs for one k block, given to store(j,
/// sum): rows of m are read from end to end, as the memory likes it, four of a part at once, and
/// the parts wait in `part` (4096 elements).
template <class T, class Arch, class Store, int... i>
[[gnu::always_inline]] inline void gemv_rows(const T* x, index_t k, gemm_operand<T> m, index_t n,
                                             T* part, const Store& store,
                                             std::integer_sequence<int, i...>) {
  using batch = xsimd::batch<T, Arch>;
  constexpr index_t lanes = gemm_registers<T, Arch>::lanes;
  constexpr index_t most = 1024 / static_cast<index_t>(sizeof(T));
  constexpr index_t together = 4;
  const index_t step = gemv_parts * m.row_stride;
  for (index_t j = 0; j < n; j += most) {
    const index_t columns = std::min(most, n - j);
    const T* const from = m.data + j;
    index_t p = 0;
    for (; p + together * gemv_parts <= k; p += together * gemv_parts)
      for (index_t r = 0; r < gemv_parts; ++r)
        gemv_add_rows<T, Arch>(x + p + r, from + (p + r) * m.row_stride, step, columns, p == 0,
                               part + r * most, std::make_integer_sequence<int, together>{});
    for (; p < k; p += gemv_parts)
      for (index_t r = 0; r < gemv_parts; ++r) {
        T* const sum = part + r * most;
        if (p + r < k)
          gemv_add_rows<T, Arch>(x + p + r, from + (p + r) * m.row_stride, step, columns, p == 0,
                                 sum, std::make_integer_sequence<int, 1>{});
        else  // a missing term
          for (index_t v = 0; v < columns; v += lanes)
            (p == 0 ? batch(T(0)) : batch::load_unaligned(sum + v) + batch(T(0)))
                .store_unaligned(sum + v);
      }
    for (index_t v = 0; v < columns; v += lanes) {
      const batch parts[gemv_parts] = {batch::load_unaligned(part + i * most + v)...};
      store(j + v,
            gemv_sum<false, T, Arch>(parts, std::make_integer_sequence<int, gemv_parts / 2>{}));
    }
  }
}

/// out[j * out_stride] = sum of x[p * x_stride] * m(p, j) for j < n, in blocks of block_k. `space`
/// holds 17 * block_k elements, and block_k is at least 256.
template <class T, class Arch>
[[gnu::noinline]] void gemv(index_t n, index_t k_all, index_t block_k, const T* x, index_t x_stride,
                            gemm_operand<T> m, T* out, index_t out_stride, T* space) {
  using batch = xsimd::batch<T, Arch>;
  constexpr index_t lanes = gemm_registers<T, Arch>::lanes;
  constexpr std::make_integer_sequence<int, gemv_parts> parts{};
  T* const copy = space + block_k;
  for (index_t k0 = 0; k0 < k_all; k0 += block_k) {
    const index_t k = std::min(k_all - k0, block_k),
                  whole = (k + gemv_parts - 1) / gemv_parts * gemv_parts;
    if (x_stride == 1)
      std::memcpy(space, x + k0, static_cast<std::size_t>(k) * sizeof(T));
    else
      for (index_t p = 0; p < k; ++p) space[p] = x[(k0 + p) * x_stride];
    for (index_t p = k; p < whole; ++p) space[p] = T(0);
    const auto store = [&](index_t j, batch sum) {
      const index_t outputs = std::min(lanes, n - j);
      T* to = out + j * out_stride;
      if (out_stride == 1) {
        const auto mask = gemm_mask<T, Arch>(static_cast<int>(outputs));
        if (k0 > 0) sum = gemm_load<T, Arch>(to, mask) + sum;
        gemm_store<T, Arch>(to, sum, mask);
      } else {
        T values[lanes];
        sum.store_unaligned(values);
        for (index_t o = 0; o < outputs; ++o)
          to[o * out_stride] = k0 > 0 ? to[o * out_stride] + values[o] : values[o];
      }
    };
    const gemm_operand<T> block{m.data + k0 * m.row_stride, m.row_stride, m.column_stride};
    if (m.column_stride == 1 && n >= 4 * lanes) {
      gemv_rows<T, Arch>(space, k, block, n, copy, store, parts);
      continue;
    }
    for (index_t j = 0; j < n; j += lanes) {
      const int outputs = static_cast<int>(std::min(lanes, n - j));
      const T* from = block.data + j * m.column_stride;
      batch sum;
      if (m.column_stride == 1) {
        sum = gemv_along<T, Arch>(space, k, from, m.row_stride, outputs, parts);
      } else {
        index_t stride = m.column_stride;
        if (m.row_stride != 1) {
          for (index_t o = 0; o < outputs; ++o)
            for (index_t p = 0; p < k; ++p)
              copy[o * k + p] = from[p * m.row_stride + o * m.column_stride];
          from = copy, stride = k;
        }
        sum = gemv_across<T, Arch>(space, k, from, stride, outputs, parts);
      }
      store(j, sum);
    }
  }
}

}  // namespace weft::detail
