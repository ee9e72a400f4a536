// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/gemm_kernel.hpp>

#include <algorithm>

// Packing: copies operands of a matrix product to where the micro-kernel reads them fastest.
namespace weft::detail {

/// A matrix read in place: element (i, j) is data[i * row_stride + j * column_stride].
template <class T>
struct gemm_operand {
  const T* data;
  index_t row_stride, column_stride;
};

/// How many of `left` vectors of columns the next panel takes: the widest micro-tile, but 2 + 2 and
/// not 3 + 1.
template <class T, class Arch>
constexpr int gemm_panel(index_t left) {
  constexpr int widest = gemm_registers<T, Arch>::vectors;
  if (left <= widest) return static_cast<int>(left);
  return widest == 3 && left == 4 ? 2 : widest;
}

/// Transposes lanes x lanes elements in log2(lanes) rounds of interleaving row r with row r + lanes
/// / 2.
template <class T, class Arch, int... i>
[[gnu::always_inline]] inline void gemm_transpose(xsimd::batch<T, Arch>* x,
                                                  std::integer_sequence<int, i...>) {
  using batch = xsimd::batch<T, Arch>;
  constexpr int lanes = sizeof...(i), half = lanes / 2;
  batch y[lanes];
  for (int round = 1; round < lanes; round *= 2) {
    for (int r = 0; r < half; ++r) {
      y[2 * r] =
          batch(__builtin_shufflevector(x[r].data, x[r + half].data, (i / 2 + i % 2 * lanes)...));
      y[2 * r + 1] = batch(
          __builtin_shufflevector(x[r].data, x[r + half].data, (i / 2 + half + i % 2 * lanes)...));
    }
    for (int r = 0; r < lanes; ++r) x[r] = y[r];
  }
}

/// Packs k rows of b (columns of them) into panels: a panel holds its vectors for row 0, then for
/// row 1, and so on; columns are filled up with zeros.
template <class T, class Arch>
[[gnu::noinline]] void gemm_pack_right(gemm_operand<T> b, index_t k, index_t columns, T* packed) {
  using batch = xsimd::batch<T, Arch>;
  constexpr index_t lanes = gemm_registers<T, Arch>::lanes;
  for (index_t j = 0; j < columns;) {
    const int vectors = gemm_panel<T, Arch>((columns - j + lanes - 1) / lanes);
    const index_t width = vectors * lanes;
    const index_t real = std::min(width, columns - j);
    const T* from = b.data + j * b.column_stride;
    if (b.column_stride == 1) {
      const auto last = gemm_mask<T, Arch>(static_cast<int>(real - (vectors - 1) * lanes));
      for (index_t p = 0; p < k; ++p) {
        const T* row = from + p * b.row_stride;
        T* to = packed + p * width;
        for (index_t v = 0; v + 1 < vectors; ++v)
          batch::load_unaligned(row + v * lanes).store_unaligned(to + v * lanes);
        gemm_load<T, Arch>(row + width - lanes, last).store_unaligned(to + width - lanes);
      }
    } else if (b.row_stride == 1) {
      for (index_t v = 0; v < width; v += lanes) {
        for (index_t p = 0; p < k; p += lanes) {
          const index_t rows = std::min(lanes, k - p);
          const auto mask = gemm_mask<T, Arch>(static_cast<int>(rows));
          batch x[lanes];
          for (index_t c = 0; c < lanes; ++c)
            x[c] = v + c < real ? gemm_load<T, Arch>(from + (v + c) * b.column_stride + p, mask)
                                : batch(T(0));
          gemm_transpose<T, Arch>(x, std::make_integer_sequence<int, static_cast<int>(lanes)>{});
          for (index_t r = 0; r < rows; ++r) x[r].store_unaligned(packed + (p + r) * width + v);
        }
      }
    } else {
      for (index_t p = 0; p < k; ++p)
        for (index_t c = 0; c < width; ++c)
          packed[p * width + c] = c < real ? from[p * b.row_stride + c * b.column_stride] : T(0);
    }
    packed += k * width;
    j += width;
  }
}

/// Packs `rows` rows of a into strips of R: a strip holds its R elements of column 0, then of
/// column 1, and so on. Several strips at once, so that whole cache lines of a transposed operand
/// are used.
template <class T, int R>
[[gnu::noinline]] void gemm_pack_left(gemm_operand<T> a, index_t rows, index_t k, T* packed) {
  for (index_t p = 0; p < k; ++p) {
    const T* from = a.data + p * a.column_stride;
    index_t i = 0;
    if (a.row_stride == 1)
      for (; i + R <= rows; i += R) std::memcpy(packed + i * k + p * R, from + i, R * sizeof(T));
    for (; i < rows; ++i) packed[i / R * R * k + p * R + i % R] = from[i * a.row_stride];
  }
}

}  // namespace weft::detail
