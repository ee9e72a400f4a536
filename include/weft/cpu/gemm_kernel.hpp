// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/array/extents.hpp>

#include <xsimd/xsimd.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

// The register level of the matrix product: partial loads and stores, and the micro-kernel.
namespace weft::detail {

/// The element types whose products run on SIMD registers; the others take a plain loop.
template <class T, class Arch>
inline constexpr bool gemm_has_simd =
    (std::is_same_v<T, float> ||
     std::is_same_v<T, double>)&&xsimd::has_simd_register<T, Arch>::value;

template <class T, class Arch>
struct gemm_registers {
  using batch = xsimd::batch<T, Arch>;
  using native = typename batch::register_type;
  static constexpr int lanes = static_cast<int>(batch::size);
  /// Only AVX-512 masks an operand at no cost. Elsewhere a partial vector goes through the stack,
  /// and so a right operand with a ragged edge is packed.
#if defined(__AVX512F__)
  static constexpr bool masked = sizeof(native) == 64;
#else
  static constexpr bool masked = false;
#endif
#if defined(__aarch64__)
  static constexpr bool many = true;
#else
  static constexpr bool many = sizeof(native) == 64;
#endif
  /// The micro-tile is rows x (vectors * lanes): 24 accumulators of 32 registers, or 12 of 16. Few
  /// rows and many columns, since a row pointer in a general register lets the left operand have
  /// any strides.
  static constexpr int rows = many ? 8 : 6;
  static constexpr int vectors = many ? 3 : 2;
};

/// The AVX-512 mask of the first `count` lanes; elsewhere the count itself.
template <class T, class Arch>
[[gnu::always_inline]] inline auto gemm_mask(int count) {
#if defined(__AVX512F__)
  if constexpr (gemm_registers<T, Arch>::masked) {
    if constexpr (sizeof(T) == 4)
      return static_cast<__mmask16>((1u << count) - 1u);
    else
      return static_cast<__mmask8>((1u << count) - 1u);
  } else
#endif
    return count;
}

/// The elements at p that the mask selects, the other lanes zero; nothing else is read.
template <class T, class Arch, class Mask>
[[gnu::always_inline]] inline xsimd::batch<T, Arch> gemm_load(const T* p, Mask mask) {
  using batch = xsimd::batch<T, Arch>;
#if defined(__AVX512F__)
  if constexpr (gemm_registers<T, Arch>::masked) {
    if constexpr (sizeof(T) == 4)
      return batch(_mm512_maskz_loadu_ps(mask, p));
    else
      return batch(_mm512_maskz_loadu_pd(mask, p));
  } else
#endif
  {
    if (mask == static_cast<int>(batch::size)) return batch::load_unaligned(p);
#if defined(__AVX__)
    if constexpr (sizeof(batch) == 32) {  // masked loads are quick here, masked stores are not
      static constexpr std::int32_t ones[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
      const int elements = sizeof(T) == 8 ? 2 * mask : mask;
      const __m256i bits = _mm256_loadu_si256(
          static_cast<const __m256i*>(static_cast<const void*>(ones + 8 - elements)));
      if constexpr (sizeof(T) == 4)
        return batch(_mm256_maskload_ps(p, bits));
      else
        return batch(_mm256_maskload_pd(p, bits));
    }
#endif
    T lanes[batch::size] = {};
    for (int i = 0; i < mask; ++i) lanes[i] = p[i];
    return batch::load_unaligned(lanes);
  }
}

/// Stores the lanes that the mask selects and writes nothing else.
template <class T, class Arch, class Mask>
[[gnu::always_inline]] inline void gemm_store(T* p, xsimd::batch<T, Arch> x, Mask mask) {
  using batch = xsimd::batch<T, Arch>;
#if defined(__AVX512F__)
  if constexpr (gemm_registers<T, Arch>::masked) {
    if constexpr (sizeof(T) == 4)
      _mm512_mask_storeu_ps(p, mask, x.data);
    else
      _mm512_mask_storeu_pd(p, mask, x.data);
  } else
#endif
  {
    if (mask == static_cast<int>(batch::size)) return x.store_unaligned(p);
    T lanes[batch::size];
    x.store_unaligned(lanes);
    for (int i = 0; i < mask; ++i) p[i] = lanes[i];
  }
}

/// a * b + c, rounded once wherever the architecture can. xsimd 8.1 has no fused form for AVX-512:
/// its generic one is fused by g++ and not by clang.
template <class T, class Arch>
[[gnu::always_inline]] inline xsimd::batch<T, Arch> gemm_fma(xsimd::batch<T, Arch> a,
                                                             xsimd::batch<T, Arch> b,
                                                             xsimd::batch<T, Arch> c) {
#if defined(__AVX512F__)
  if constexpr (gemm_registers<T, Arch>::masked) {
    if constexpr (sizeof(T) == 4)
      return xsimd::batch<T, Arch>(_mm512_fmadd_ps(a.data, b.data, c.data));
    else
      return xsimd::batch<T, Arch>(_mm512_fmadd_pd(a.data, b.data, c.data));
  } else
#endif
    return xsimd::fma(a, b, c);
}

/// What the calls of the micro-kernel for one k block have in common. Strides are in elements.
struct gemm_steps {
  index_t a_row, a_step;  ///< row stride of a, and its stride along k
  index_t b_step;         ///< stride of b along k; its columns have unit stride
  index_t c_row, k;
  bool accumulate;  ///< add to c, as every k block but the first does
};

/// The rows of a micro-tile: R pointers from `first` on, of which those past `rows` repeat the last
/// one.
template <int R, class P>
struct gemm_rows {
  P at[R];
  [[gnu::always_inline]] gemm_rows(P first, index_t stride, int rows) {
    [&]<int... r>(std::integer_sequence<int, r...>) __attribute__((always_inline)) {
      ((at[r] = first, first += r + 1 < rows ? stride : 0), ...);
    }
    (std::make_integer_sequence<int, R>{});
  }
};

template <class T, class Arch, int R, int V, int... v, int... i>
[[gnu::always_inline]] inline void gemm_kernel_unrolled(const gemm_steps& s, const T* a, const T* b,
                                                        T* c, int rows, int last_columns,
                                                        std::integer_sequence<int, v...>,
                                                        std::integer_sequence<int, i...>) {
  using batch = xsimd::batch<T, Arch>;
  using registers = gemm_registers<T, Arch>;
  constexpr int lanes = registers::lanes;
  const auto mask = gemm_mask<T, Arch>(last_columns);
  // Accumulator r * V + v is row r, vector v. Every index is a constant, so that the arrays are
  // registers.
  batch sum[R * V] = {((void)i, batch(T(0)))...};
  {
    const gemm_rows<R, const T*> row(a, s.a_row, rows);
    const index_t a_step = s.a_step, b_step = s.b_step;
    index_t offset = 0;
    for (index_t k = s.k; k > 0; --k) {
      const batch right[V] = {(registers::masked && v + 1 == V
                                   ? gemm_load<T, Arch>(b + v * lanes, mask)
                                   : batch::load_unaligned(b + v * lanes))...};
      ((sum[i] = gemm_fma(batch(row.at[i / V][offset]), right[i % V], sum[i])), ...);
      offset += a_step;
      b += b_step;
    }
  }
  const gemm_rows<R, T*> row(c, s.c_row, rows);
  const auto full = gemm_mask<T, Arch>(lanes);
  if (s.accumulate)
    ((sum[i] =
          gemm_load<T, Arch>(row.at[i / V] + i % V * lanes, i % V + 1 < V ? full : mask) + sum[i]),
     ...);
  (gemm_store<T, Arch>(row.at[i / V] + i % V * lanes, sum[i], i % V + 1 < V ? full : mask), ...);
}

/// c = a b (or c += a b) for R x (V * lanes) elements: one chain of multiply-adds an element, in
/// order of k, from zero. Only the first `rows` rows are real (the others repeat the last one,
/// results included), and only `last_columns` columns of the last vector. Noinline: a kernel exists
/// once in a program.
template <class T, class Arch, int R, int V>
[[gnu::noinline]] void gemm_kernel(const gemm_steps& s, const T* a, const T* b, T* c, int rows,
                                   int last_columns) {
  gemm_kernel_unrolled<T, Arch, R, V>(s, a, b, c, rows, last_columns,
                                      std::make_integer_sequence<int, V>{},
                                      std::make_integer_sequence<int, R * V>{});
}

}  // namespace weft::detail
