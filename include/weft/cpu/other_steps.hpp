// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/execute.hpp>
#include <weft/cpu/gemm.hpp>
#include <weft/cpu/index_steps.hpp>
#include <weft/cpu/lane_half.hpp>
#include <weft/cpu/reduce_steps.hpp>

// Steps that are no loop nests.
namespace weft::detail {

/// A product by a team, or by the caller alone; the same bits.
template <class T, class A, class Done>
void run_tiles(int team, gemm_shape s, gemm_operand<T> a, gemm_operand<T> b, T* c, index_t c_row,
               std::byte* workspace, Done&& done) {
  team = static_cast<int>(std::min<index_t>(team, gemm_tiles<T>(s)));
  const index_t tiles = gemm_tiles<T>(s);
  const std::size_t each = rounded_up(gemm_workspace<T, A>(s));
  if (team <= 1) return gemm<T, A>(s, a, b, c, c_row, workspace, done);
  in_parallel(team, [&](int t) {
    gemm_range<T, A>(tiles * t / team, tiles * (t + 1) / team, s, a, b, c, c_row,
                     workspace + static_cast<std::size_t>(t) * each, done);
  });
}

/// Floats from 16-bit values, and back.
template <class T, class A>
[[gnu::noinline]] void widen(float* to, const T* from, index_t n, index_t step) {
  using L = simd::lane<float, simd::native_width<float, A>, A>;
  constexpr auto W = static_cast<index_t>(L::width);
  index_t i = 0;
  if (step == 1)
    for (; i + W <= n; i += W) simd::store(to + i, simd::load<L>(from + i));
  for (; i < n; ++i) to[i] = from[i * step];
}
template <class T, class A>
[[gnu::noinline]] void narrow(T* to, const float* from, index_t n) {
  using L = simd::lane<float, simd::native_width<float, A>, A>;
  constexpr auto W = static_cast<index_t>(L::width);
  index_t i = 0;
  for (; i + W <= n; i += W) simd::store(to + i, simd::load<L>(from + i));
  for (; i < n; ++i) to[i] = T(from[i]);
}

/// An operand of a product as it is, or where it has 16 bits its copy in floats.
template <class T, class A>
struct product_operand {
  using C = computed_type<T>;
  std::byte* space = nullptr;
  const T* held = nullptr;  ///< what the copy is of: batches may share an operand

  gemm_operand<C> of(const T* from, index_t rows, index_t columns, index_t row_step,
                     index_t column_step) {
    if constexpr (std::is_same_v<T, C>) {
      return {from, row_step, column_step};
    } else {
      auto* to = reinterpret_cast<float*>(space);
      const bool down = row_step == 1 && column_step != 1;  // the copy runs as the operand does
      const index_t inner = down ? rows : columns, outer = down ? columns : rows;
      if (held != from)
        for (index_t i = 0; i < outer; ++i)
          widen<T, A>(to + i * inner, from + i * (down ? column_step : row_step), inner,
                      down ? row_step : column_step);
      held = from;
      return {to, down ? 1 : inner, down ? inner : 1};
    }
  }
};

/// A matrix product for each batch index, with its epilogue run on every tile while it is in cache.
/// 16-bit operands are copied to floats; the tiles are floats, and round where they are stored.
template <class T, class A>
void run_product(bound_step& b) {
  using C = computed_type<T>;
  constexpr bool widened = !std::is_same_v<C, T>;
  const step& s = *b.s;
  const int r = s.rows;
  const gemm_shape shape{b.extent[r], b.extent[r + 1], b.extent[r + 2]};
  index_t at[max_loops]{};
  index_t count = 1;
  for (int i = 0; i < r; ++i) count *= b.extent[i];
  const bool stored = b.base[2] != nullptr;
  const int epilogue = s.access_count - 3;
  product_operand<T, A> lefts, rights;
  if constexpr (widened) {
    const std::size_t each = rounded_up(gemm_workspace<C, A>(shape));
    lefts.space = b.scratch + each * static_cast<std::size_t>(b.team);
    rights.space = lefts.space + widened_bytes(shape.m * shape.k);
  }
  for (index_t n = 0; n < count; ++n) {
    index_t offset[3]{};
    for (int a = 0; a < 3; ++a)
      for (int i = 0; i < r; ++i) offset[a] += at[i] * b.stride[a][i];
    const gemm_operand<C> left = lefts.of(reinterpret_cast<const T*>(b.base[0]) + offset[0],
                                          shape.m, shape.k, b.stride[0][r], b.stride[0][r + 2]);
    const gemm_operand<C> right =
        rights.of(reinterpret_cast<const T*>(b.base[1]) + offset[1], shape.k, shape.n,
                  b.stride[1][r + 2], b.stride[1][r + 1]);
    T* const c = stored ? reinterpret_cast<T*>(b.base[2]) + offset[2] : nullptr;
    const index_t c_row = shape.n;
    auto done = [&](index_t row, index_t rows, index_t column, index_t columns, const C* tile,
                    index_t tile_row) {
      if constexpr (widened)
        if (c)
          for (index_t i = 0; i < rows; ++i)
            narrow<T, A>(c + (row + i) * c_row + column, tile + i * tile_row, columns);
      if (!b.run) return;
      std::byte* base[max_kernel_loads + max_kernel_stores];
      index_t stride[max_kernel_loads + max_kernel_stores][max_loops];
      const bool one_column = s.extent[r + 1] == 1;
      for (int a = 0; a < epilogue; ++a) {
        const index_t* by = b.stride[3 + a];
        const int size = b.sizes[3 + a];
        index_t move = row * by[r] + column * by[r + 1];
        for (int i = 0; i < r; ++i) move += at[i] * by[i];
        base[a] = b.base[3 + a] + move * size;
        stride[a][0] = by[r];
        stride[a][1] = by[r + 1];
      }
      base[0] = reinterpret_cast<std::byte*>(const_cast<C*>(tile));
      stride[0][0] = tile_row;
      stride[0][1] = 1;
      const index_t extent[2]{rows, columns};
      // A single column runs down its rows as the innermost loop, which is how its kernel was made
      // where the plan knows that it is one.
      b.run({one_column ? 0 : 1, 0, extent, stride, base, nullptr, nullptr, b.code});
    };
    C* whole = nullptr;
    if constexpr (!widened) whole = c;
    run_tiles<C, A>(b.team, shape, left, right, whole, c_row, b.scratch, done);
    for (int i = r; i-- > 0;) {
      if (++at[i] < b.extent[i]) break;
      at[i] = 0;
    }
  }
}

/// The function of a step that is no kernel.
template <step_kind S, class T, class A>
constexpr step_function other_step() {
  if constexpr (S == step_kind::product)
    return &run_product<T, A>;
  else if constexpr (S == step_kind::gather)
    return &run_gather<T, A>;
  else if constexpr (S == step_kind::scatter_add)
    return &run_scatter_add<T, A>;
  else if constexpr (S == step_kind::arg_max)
    return &run_arg_extremum<T, true, A>;
  else if constexpr (S == step_kind::arg_min)
    return &run_arg_extremum<T, false, A>;
  else if constexpr (S == step_kind::sum_to)
    return &run_sum_to<T, A>;
  else
    return nullptr;
}

/// Bytes of a product's workspace.
template <class T, class A>
[[gnu::noinline]] std::size_t product_workspace(index_t m, index_t n, index_t k) {
  return gemm_workspace<T, A>({m, n, k});
}
/// The same for any dtype: it follows from the size of a number.
template <class A>
std::size_t product_bytes(dtype t, index_t m, index_t n, index_t k) {
  switch (size_of(computed_in(t))) {
    case 1:
      return product_workspace<std::uint8_t, A>(m, n, k);
    case 4:
      return product_workspace<float, A>(m, n, k);
    default:
      return product_workspace<double, A>(m, n, k);
  }
}

}  // namespace weft::detail
