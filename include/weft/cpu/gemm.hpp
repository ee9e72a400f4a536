// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/gemm_pack.hpp>
#include <weft/cpu/gemm_vector.hpp>

#include <cstddef>
#include <cstdint>

// The matrix product of the CPU: any strides, no allocation, a callback on each tile while it is in
// cache.
//
// Every element is the same function of the operands' values and k, whatever the layout, the tile,
// the SIMD width and the number of threads: k is cut into blocks of gemm_block_k; a block's sum is
// a chain of multiply-adds in order of k from zero; the blocks' sums are added in order. With one
// row or one column a block's sum has 16 parts instead (gemm_vector.hpp).
namespace weft::detail {

struct gemm_shape {
  index_t m, n, k;
};

inline constexpr index_t gemm_block_k = 256;

/// How many strips of rows are packed at once, where the left operand is: 128 bytes of each of its
/// columns, and 32 KiB in all, so that they stay in a first-level cache from packing to use.
template <class T>
inline constexpr index_t gemm_left_strips = 16 / static_cast<index_t>(sizeof(T));

/// Rows of a tile. Tile and packed right operand take 192 KiB each: they and what an epilogue reads
/// stay in a second-level cache. More rows use a packed operand more often, more columns the left
/// one.
inline constexpr index_t gemm_tile_rows = 256;

/// The widest tile, a multiple of every micro-tile: 192 columns of float, 96 of double.
template <class T>
inline constexpr index_t gemm_tile_columns = 768 / static_cast<index_t>(sizeof(T));

/// The longest tile of a product with one row or one column.
inline constexpr index_t gemm_tile_vector = 8192;

/// The columns of a shape's tiles: as even as whole micro-tiles allow.
template <class T>
constexpr index_t gemm_columns(index_t n) {
  constexpr index_t most = gemm_tile_columns<T>, step = 192 / static_cast<index_t>(sizeof(T));
  if (n <= most) return n;
  const index_t tiles = (n + most - 1) / most;
  return ((n + tiles - 1) / tiles + step - 1) / step * step;
}

/// Where the parts of the workspace are, in elements; a pure function of the shape.
template <class T>
struct gemm_layout {
  index_t columns, rows;             ///< of a tile
  index_t left, right, tile, total;  // first elements, and how many
  constexpr explicit gemm_layout(gemm_shape s)
      : columns(s.m == 1 ? std::min(s.n, gemm_tile_vector) : gemm_columns<T>(s.n)),
        rows(std::min(s.m, s.n == 1 ? gemm_tile_vector : gemm_tile_rows)),
        left(0) {
    constexpr index_t line = 64 / static_cast<index_t>(sizeof(T));
    const index_t k = std::max<index_t>(0, std::min(s.k, gemm_block_k));
    const index_t padded = (columns + line - 1) / line * line;
    if (s.m == 1 || s.n == 1) {
      right = 17 * gemm_block_k;  // gemv's space, of at most 16 lanes
      tile = right;
      total = tile + rows * columns;
      return;
    }
    right = gemm_left_strips<T> * 8 * k;  // 8: the most rows of a micro-tile
    tile = right + k * padded;
    total = tile + rows * padded;
  }
};

/// Bytes of scratch that the product of this shape needs: packed operands and one tile.
template <class T, class Arch = xsimd::default_arch>
constexpr std::size_t gemm_workspace(gemm_shape s) {
  if (s.m <= 0 || s.n <= 0) return 0;
  return static_cast<std::size_t>(gemm_layout<T>(s).total) * sizeof(T) + 64;
}

/// The products without SIMD: wrap-around for integers of every width, computed unsigned.
template <class T, class Arch>
[[gnu::noinline]] void gemm_plain_tile(gemm_shape s, gemm_operand<T> a, gemm_operand<T> b, T* c,
                                       index_t c_row) {
  for (index_t i = 0; i < s.m; ++i) {
    T* row = c + i * c_row;
    for (index_t j = 0; j < s.n; ++j) row[j] = T(0);
    for (index_t k0 = 0; k0 < s.k; ++k0) {
      const T left = a.data[i * a.row_stride + k0 * a.column_stride];
      const T* right = b.data + k0 * b.row_stride;
      for (index_t j = 0; j < s.n; ++j) {
        const T other = right[j * b.column_stride];
        if constexpr (std::is_integral_v<T>) {
          using wide = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
          row[j] = static_cast<T>(static_cast<wide>(row[j]) +
                                  static_cast<wide>(left) * static_cast<wide>(other));
        } else {
          row[j] += left * other;
        }
      }
    }
  }
}

/// The kernel for a strip of `rows` rows and a panel of `vectors` vectors.
template <class T, class Arch>
auto gemm_choose(int rows, int vectors) {
  constexpr int most = gemm_registers<T, Arch>::rows, half = most / 2;
  const bool few = rows <= half;
  if constexpr (gemm_registers<T, Arch>::vectors == 3)
    if (vectors == 3) return few ? &gemm_kernel<T, Arch, half, 3> : &gemm_kernel<T, Arch, most, 3>;
  if (vectors == 2) return few ? &gemm_kernel<T, Arch, half, 2> : &gemm_kernel<T, Arch, most, 2>;
  return few ? &gemm_kernel<T, Arch, half, 1> : &gemm_kernel<T, Arch, most, 1>;
}

/// One tile of the result, all k blocks. `packed` says whether `right` already holds b's only k
/// block.
template <class T, class Arch>
[[gnu::noinline]] void gemm_tile(gemm_shape s, gemm_operand<T> a, gemm_operand<T> b, T* c,
                                 index_t c_row, T* left, T* right, bool pack, bool packed) {
  constexpr int lanes = gemm_registers<T, Arch>::lanes, rows = gemm_registers<T, Arch>::rows;
  // The left operand is read in place, from the first-level cache; it is copied only where steps of
  // a page along k would have all its lines compete for the same few places there.
  const bool pack_a = a.column_stride * static_cast<index_t>(sizeof(T)) >= 4096 && s.n > 64;
  const index_t group = pack_a ? gemm_left_strips<T> * rows : s.m;
  for (index_t k0 = 0; k0 < s.k; k0 += gemm_block_k) {
    const index_t k = std::min(s.k - k0, gemm_block_k);
    const gemm_operand<T> b_block{b.data + k0 * b.row_stride, b.row_stride, b.column_stride};
    if (pack && !packed) gemm_pack_right<T, Arch>(b_block, k, s.n, right);
    gemm_steps steps{a.row_stride, a.column_stride, b.row_stride, c_row, k, k0 > 0};
    if (pack_a) steps.a_row = 1, steps.a_step = rows;
    for (index_t i0 = 0; i0 < s.m; i0 += group) {
      const T* strip = a.data + i0 * a.row_stride + k0 * a.column_stride;
      const index_t end = std::min(s.m, i0 + group);
      if (pack_a) {
        gemm_pack_left<T, rows>({strip, a.row_stride, a.column_stride}, end - i0, k, left);
        strip = left;
      }
      for (index_t i = i0; i < end; i += rows) {
        const int real = static_cast<int>(std::min<index_t>(rows, end - i));
        const T* panel = pack ? right : b_block.data;
        for (index_t j = 0; j < s.n;) {
          const int vectors = gemm_panel<T, Arch>((s.n - j + lanes - 1) / lanes);
          const index_t width = vectors * lanes;
          const int last = static_cast<int>(std::min<index_t>(lanes, s.n - j - (width - lanes)));
          if (pack) steps.b_step = width;
          gemm_choose<T, Arch>(real, vectors)(steps, strip, panel, c + i * c_row + j, real, last);
          panel += pack ? k * width : width;
          j += width;
        }
        if (i + rows < end) strip += rows * (pack_a ? k : a.row_stride);
      }
    }
  }
}

/// Whether the right operand is copied: where the kernel cannot read it, or where copying pays.
template <class T, class Arch>
bool gemm_packs(gemm_shape s, gemm_operand<T> b) {
  if (b.column_stride != 1) return true;
  if (!gemm_registers<T, Arch>::masked && s.n % gemm_registers<T, Arch>::lanes != 0) return true;
  return s.m > 32 && s.k * s.n * static_cast<index_t>(sizeof(T)) > 32768;
}

/// How many tiles the product of this shape has: a pure function of the shape.
template <class T>
constexpr index_t gemm_tiles(gemm_shape s) {
  if (s.m <= 0 || s.n <= 0) return 0;
  const gemm_layout<T> layout(s);
  return ((s.m - 1) / layout.rows + 1) * ((s.n - 1) / layout.columns + 1);
}

/// Tiles first, ..., last - 1 of the product (see gemm), in order. A team of threads shares a
/// product by dividing [0, gemm_tiles(s)) in any way, each with a workspace of its own: no result
/// depends on it.
template <class T, class Arch = xsimd::default_arch, class Done>
void gemm_range(index_t first, index_t last, gemm_shape s, gemm_operand<T> a, gemm_operand<T> b,
                T* c, index_t c_stride, std::byte* workspace, Done&& done) {
  if (first >= last) return;
  if (s.k <= 0) a = b = {nullptr, 0, 0};  // nothing is read, and no pointer is moved
  const gemm_layout<T> layout(s);
  T* const space = reinterpret_cast<T*>((reinterpret_cast<std::uintptr_t>(workspace) + 63) &
                                        ~std::uintptr_t(63));
  const index_t tiles_down = (s.m - 1) / layout.rows + 1;
  index_t packed = -1;  // the column whose only k block is in the workspace
  for (index_t t = first; t < last; ++t) {
    const index_t i = t % tiles_down * layout.rows, j = t / tiles_down * layout.columns;
    const gemm_shape block{std::min(layout.rows, s.m - i), std::min(layout.columns, s.n - j),
                           std::max<index_t>(s.k, 0)};
    T* const tile = c ? c + i * c_stride + j : space + layout.tile;
    const index_t stride = c ? c_stride : block.n;
    const gemm_operand<T> left{a.data + i * a.row_stride, a.row_stride, a.column_stride};
    const gemm_operand<T> right{b.data + j * b.column_stride, b.row_stride, b.column_stride};
    if constexpr (gemm_has_simd<T, Arch>) {
      if (block.k == 0) {
        gemm_plain_tile<T, Arch>(block, left, right, tile, stride);
      } else if (s.m == 1) {
        gemv<T, Arch>(block.n, s.k, gemm_block_k, left.data, left.column_stride, right, tile, 1,
                      space);
      } else if (s.n == 1) {
        gemv<T, Arch>(block.m, s.k, gemm_block_k, right.data, right.row_stride,
                      {left.data, left.column_stride, left.row_stride}, tile, stride, space);
      } else {
        gemm_tile<T, Arch>(block, left, right, tile, stride, space, space + layout.right,
                           gemm_packs<T, Arch>(s, b), packed == j);
        if (s.k <= gemm_block_k) packed = j;
      }
    } else {
      gemm_plain_tile<T, Arch>(block, left, right, tile, stride);
    }
    done(i, block.m, j, block.n, static_cast<const T*>(tile), stride);
  }
}

/// The product of a (m x k) and b (k x n), both with any strides, for float and double on SIMD
/// registers and for integers (modulo 2^bits) by a plain loop.
///
/// Calls done(row0, rows, column0, columns, const T* tile, index_t tile_row_stride) once for each
/// finished tile of the result, in a fixed order, while the tile is in cache; its columns have unit
/// stride. If c is not null, the tiles are in c (row stride c_stride, unit column stride);
/// otherwise in the workspace, until done returns. c must not overlap the operands. k = 0 gives
/// zeros; m = 0 or n = 0 calls nothing. `workspace` has gemm_workspace<T, Arch>(s) bytes, of any
/// alignment.
template <class T, class Arch = xsimd::default_arch, class Done>
void gemm(gemm_shape s, gemm_operand<T> a, gemm_operand<T> b, T* c, index_t c_stride,
          std::byte* workspace, Done&& done) {
  gemm_range<T, Arch>(0, gemm_tiles<T>(s), s, a, b, c, c_stride, workspace, done);
}

#if defined(_OPENMP)
/// gemm by up to `threads` threads, with the same bits. The workspace has threads *
/// gemm_workspace<T, Arch>(s) bytes; done is called from several threads at once, on different
/// tiles, and must not throw.
template <class T, class Arch = xsimd::default_arch, class Done>
void gemm_parallel(int threads, gemm_shape s, gemm_operand<T> a, gemm_operand<T> b, T* c,
                   index_t c_stride, std::byte* workspace, Done&& done) {
  const index_t tiles = gemm_tiles<T>(s);
  const index_t team = std::min<index_t>(threads, tiles);
  if (team <= 1) return gemm<T, Arch>(s, a, b, c, c_stride, workspace, done);
#pragma omp parallel for num_threads(static_cast <int>(team)) schedule(static, 1)
  for (index_t t = 0; t < team; ++t)
    gemm_range<T, Arch>(tiles * t / team, tiles * (t + 1) / team, s, a, b, c, c_stride,
                        workspace + static_cast<std::size_t>(t) * gemm_workspace<T, Arch>(s), done);
}
#endif

}  // namespace weft::detail
