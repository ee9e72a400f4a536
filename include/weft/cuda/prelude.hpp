// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

// What emitted kernels are written in. NVRTC, nvcc and, in tests, a host compiler read it (for any
// other it is empty), so it includes nothing else: every kernel's first call pays for each line.
#include <weft/cuda/prelude_values.hpp>

#if defined(__CUDACC__) || defined(WEFT_DEVICE)

#ifndef WEFT_SHARED
#define WEFT_SHARED __shared__
#endif
#ifndef WEFT_DYNAMIC_SHARED
#define WEFT_DYNAMIC_SHARED(NAME) extern __shared__ uint4 NAME[]
#endif

namespace weft::device {

// Positions: the dividend is never negative.

template <int N>
WEFT_DEVICE int quotient(int i) {
  return int(unsigned(i) / unsigned(N));
}
template <int N>
WEFT_DEVICE int rest(int i) {
  return int(unsigned(i) % unsigned(N));
}
template <int64 N>
WEFT_DEVICE int64 quotient(int64 i) {
  return int64(uint64(i) / uint64(N));
}
template <int64 N>
WEFT_DEVICE int64 rest(int64 i) {
  return int64(uint64(i) % uint64(N));
}

// The same by an extent that is a parameter.
WEFT_DEVICE int quotient(int i, int n) {
  return int(unsigned(i) / unsigned(n));
}
WEFT_DEVICE int rest(int i, int n) {
  return int(unsigned(i) % unsigned(n));
}
WEFT_DEVICE int64 quotient(int64 i, int64 n) {
  return int64(uint64(i) / uint64(n));
}
WEFT_DEVICE int64 rest(int64 i, int64 n) {
  return int64(uint64(i) % uint64(n));
}

/// A number as a place, -1 where it is none.
template <class P, class T>
WEFT_DEVICE P place_in(T x) {
  return x >= T(0) && uint64(x) < (1ull << (8 * sizeof(P) - 2)) ? P(x) : P(-1);
}

// Memory: N elements at once, 16 bytes an access where they are that many

template <int Bytes>
struct word_of;
template <>
struct word_of<1> {
  using type = unsigned char;
};
template <>
struct word_of<2> {
  using type = unsigned short;
};
template <>
struct word_of<4> {
  using type = unsigned;
};
template <>
struct word_of<8> {
  using type = uint2;
};
template <>
struct word_of<16> {
  using type = uint4;
};

template <class T, int N>
struct vec {
  static constexpr int bytes = N * int(sizeof(T)) < 16 ? N * int(sizeof(T)) : 16;
  static constexpr int words = N * int(sizeof(T)) / bytes;
  using word = typename word_of<bytes>::type;
  union {
    word w[words];
    T v[N];
  };
  WEFT_DEVICE T& operator[](int k) { return v[k]; }
  WEFT_DEVICE const T& operator[](int k) const { return v[k]; }
};
template <int N, class T>
WEFT_DEVICE vec<T, N> load(const T* p) {
  using V = vec<T, N>;
  V r;
#pragma unroll
  for (int i = 0; i < V::words; ++i) r.w[i] = reinterpret_cast<const typename V::word*>(p)[i];
  return r;
}
template <class T, int N>
WEFT_DEVICE void store(T* p, const vec<T, N>& x) {
  using V = vec<T, N>;
#pragma unroll
  for (int i = 0; i < V::words; ++i) reinterpret_cast<typename V::word*>(p)[i] = x.w[i];
}

// Loads that tell the caches what to do with words of 16 bytes; others are plain.
#ifdef __CUDA_ARCH__
#define WEFT_HINTED_LOAD(NAME, L1, L2)                                                          \
  template <int N, class T>                                                                     \
  WEFT_DEVICE vec<T, N> NAME(const T* p) {                                                      \
    using V = vec<T, N>;                                                                        \
    if constexpr (V::bytes == 16) {                                                             \
      V r;                                                                                      \
      uint64 policy;                                                                            \
      asm("createpolicy.fractional.L2::" L2 ".b64 %0;" : "=l"(policy));                         \
      _Pragma("unroll") for (int i = 0; i < V::words; ++i) asm volatile(                        \
          "ld.global" L1 ".L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;" : "=r"(r.w[i].x), \
          "=r"(r.w[i].y), "=r"(r.w[i].z),                                                       \
          "=r"(r.w[i].w) : "l"(reinterpret_cast<const uint4*>(p) + i), "l"(policy) : "memory"); \
      return r;                                                                                 \
    }                                                                                           \
    return load<N>(p);                                                                          \
  }
#else
#define WEFT_HINTED_LOAD(NAME, L1, L2)     \
  template <int N, class T>                \
  WEFT_DEVICE vec<T, N> NAME(const T* p) { \
    return load<N>(p);                     \
  }
#endif
/// Of memory larger than the caches that is read once: it makes room for the rest, and leaves L1
/// alone, which reads 2% faster.
WEFT_HINTED_LOAD(load_once, ".L1::no_allocate", "evict_first")
/// Of memory larger than the caches, in a kernel that writes as much: the cache holds on to what is
/// read, so that what is written leaves it at once.
WEFT_HINTED_LOAD(load_kept, "", "evict_last")
#undef WEFT_HINTED_LOAD

/// Of memory that was read before, for the last time: it leaves the caches first.
template <int N, class T>
WEFT_DEVICE vec<T, N> load_last(const T* p) {
#ifdef __CUDA_ARCH__
  using V = vec<T, N>;
  V r;
#pragma unroll
  for (int i = 0; i < V::words; ++i)
    r.w[i] = __ldcs(reinterpret_cast<const typename V::word*>(p) + i);
  return r;
#else
  return load<N>(p);
#endif
}
/// Of memory larger than the caches that is written once.
template <class T, int N>
WEFT_DEVICE void store_once(T* p, const vec<T, N>& x) {
#ifdef __CUDA_ARCH__
  using V = vec<T, N>;
#pragma unroll
  for (int i = 0; i < V::words; ++i) __stcs(reinterpret_cast<typename V::word*>(p) + i, x.w[i]);
#else
  store(p, x);
#endif
}

/// Floats rounded to 16 bits, two by two.
template <class T, int N>
WEFT_DEVICE vec<T, N> packed(const float* x) {
  vec<T, N> r;
#pragma unroll
  for (int k = 0; k < N; k += 2) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    uint32 pair;
    if constexpr (same_type<T, bfloat16>::value)
      asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(x[k + 1]), "f"(x[k]));
    else
      asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(x[k + 1]), "f"(x[k]));
    ::memcpy(&r.v[k], &pair, 4);
#else
    r[k] = narrow<T>::from(x[k]);
    r[k + 1] = narrow<T>::from(x[k + 1]);
#endif
  }
  return r;
}

// Reductions: the same tree everywhere, whatever the grid. `W` lanes beside each other take part.

#define WEFT_REDUCTION(NAME, COMBINE)                      \
  template <int W, class T>                                \
  WEFT_DEVICE T warp_##NAME(T x) {                         \
    _Pragma("unroll") for (int m = W / 2; m > 0; m /= 2) { \
      const T y = shuffle_xor(x, m);                       \
      x = COMBINE;                                         \
    }                                                      \
    return x;                                              \
  }                                                        \
  template <int N, class T>                                \
  WEFT_DEVICE T all_##NAME(const T* from) {                \
    if constexpr (N <= 8) {                                \
      T x = from[0];                                       \
      _Pragma("unroll") for (int i = 1; i < N; ++i) {      \
        const T y = from[i];                               \
        x = COMBINE;                                       \
      }                                                    \
      return x;                                            \
    } else {                                               \
      return warp_##NAME<N>(from[threadIdx.x % N]);        \
    }                                                      \
  }
template <class T>
WEFT_DEVICE T shuffle_xor(T x, int m) {
  if constexpr (sizeof(T) < 4)
    return T(__shfl_xor_sync(0xffffffffu, int(x), m));
  else
    return __shfl_xor_sync(0xffffffffu, x, m);
}
WEFT_REDUCTION(sum, add(x, y))
WEFT_REDUCTION(max, maximum(x, y))
WEFT_REDUCTION(min, minimum(x, y))
#undef WEFT_REDUCTION

/// Memory that another block wrote during this kernel.
template <class T>
WEFT_DEVICE T fresh(const T* p) {
  return *const_cast<const volatile T*>(p);
}

/// Adds 1. What the thread, and those it has met at a barrier, wrote before is visible to whom
/// reads the new value by the same function; of a fence and an atomic that costs 0.3 us less.
WEFT_DEVICE unsigned come(unsigned* counter) {
#ifdef __CUDA_ARCH__
  unsigned before;
  asm volatile("atom.add.acq_rel.gpu.u32 %0, [%1], 1;" : "=r"(before) : "l"(counter) : "memory");
  return before;
#else
  return atomicAdd(counter, 1u);
#endif
}
/// Whether this block is the last of `count` to come; the counter is left at zero. What the others
/// wrote before is visible.
WEFT_DEVICE bool last_to_come(unsigned* counter, unsigned count) {
  WEFT_SHARED bool last;
  __syncthreads();
  if (threadIdx.x == 0) {
    last = come(counter) == count - 1;
    if (last) *counter = 0;
  }
  __syncthreads();
  return last;
}

/// Whether x comes before the best so far: greater (or less), or the first NaN.
template <bool Greatest, class T>
WEFT_DEVICE bool beats(T x, T best) {
  if (best != best) return false;
  if (x != x) return true;
  return Greatest ? x > best : x < best;
}
/// The better of two elements with their places; of equals the first.
template <bool Greatest, class T>
WEFT_DEVICE void take_better(T& x, int64& place, T y, int64 other) {
  if (beats<Greatest>(y, x) || (!beats<Greatest>(x, y) && other < place)) {
    x = y;
    place = other;
  }
}

/// An index as a place: those below 0 count from the end where FromEnd allows. The first one out of
/// range is left in the fault record (emitted.hpp) with its axis, -1 for labels; all are clamped.
template <bool FromEnd, class T>
WEFT_DEVICE int64 place_of(T index, int64 extent, int* fault, int axis) {
  int64 i = int64(index);
  if (FromEnd && i < 0) i += extent;
  if (i < 0 || i >= extent) {
    if (atomicCAS(fault, 0, 1) == 0) {
      volatile int64* const record = reinterpret_cast<int64*>(fault);
      record[1] = int64(index);
      record[2] = axis;
      record[3] = extent;
      __threadfence_system();
      *const_cast<volatile int*>(fault) = 2;
    }
    i = 0;
  }
  return i;
}

}  // namespace weft::device

#endif
