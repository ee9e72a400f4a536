// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

// Types of emitted kernels, and random words. See prelude.hpp.

#if defined(__CUDACC__) || defined(WEFT_DEVICE)

#ifndef WEFT_DEVICE
#define WEFT_DEVICE __device__ __forceinline__
#endif

namespace weft::device {

using int8 = signed char;
using uint8 = unsigned char;
using int32 = int;
using uint32 = unsigned;
using int64 = long long;
using uint64 = unsigned long long;

// Bits

template <class To, class From>
WEFT_DEVICE To bits_of(From x) {
  static_assert(sizeof(To) == sizeof(From), "of one size");
  To r;
  ::memcpy(&r, &x, sizeof r);
  return r;
}

// Half types: two bytes in memory, float in arithmetic.

struct bfloat16 {
  unsigned short bits;
};
struct float16 {
  unsigned short bits;
};

WEFT_DEVICE float widened(bfloat16 x) {
  return bits_of<float>(uint32(x.bits) << 16);
}
WEFT_DEVICE float widened(float16 x) {
#ifdef __CUDA_ARCH__
  float r;
  asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(x.bits));
  return r;
#else
  const uint32 sign = uint32(x.bits & 0x8000u) << 16, rest = x.bits & 0x7fffu;
  if (rest >= 0x7c00u) return bits_of<float>(sign | 0x7f800000u | (rest & 0x3ffu) << 13);
  if (rest >= 0x400u) return bits_of<float>(sign | ((rest << 13) + 0x38000000u));
  const float small = float(rest) * 5.9604644775390625e-8f;
  return sign ? -small : small;
#endif
}
template <class T>
struct narrow {
  WEFT_DEVICE static T from(float x) { return T(x); }
};
template <>
struct narrow<bfloat16> {
  WEFT_DEVICE static bfloat16 from(float x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    bfloat16 r;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(r.bits) : "f"(x));
    return r;
#else
    const uint32 b = bits_of<uint32>(x);
    if (x != x) return {(unsigned short)(b >> 16 | 0x40u)};
    return {(unsigned short)((b + 0x7fffu + (b >> 16 & 1u)) >> 16)};
#endif
  }
};
template <>
struct narrow<float16> {
  WEFT_DEVICE static float16 from(float x) {
#ifdef __CUDA_ARCH__
    float16 r;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r.bits) : "f"(x));
    return r;
#else
    const uint32 b = bits_of<uint32>(x), sign = b >> 16 & 0x8000u, rest = b & 0x7fffffffu;
    if (rest > 0x7f800000u) return {(unsigned short)(sign | 0x7e00u)};
    if (rest >= 0x477ff000u) return {(unsigned short)(sign | 0x7c00u)};
    if (rest < 0x38800000u) {  // denormal: the addition rounds
      const float shifted = bits_of<float>(rest) + 0.5f;
      return {(unsigned short)(sign | (bits_of<uint32>(shifted) - 0x3f000000u))};
    }
    const uint32 odd = rest >> 13 & 1u;
    return {(unsigned short)(sign | (rest - 0x38000000u + 0xfffu + odd) >> 13)};
#endif
  }
};

/// An element as arithmetic sees it, and back.
template <class T>
WEFT_DEVICE T widened(T x) {
  return x;
}
template <class T, class V>
WEFT_DEVICE T stored(V x) {
  return T(x);
}
template <>
WEFT_DEVICE bfloat16 stored<bfloat16, float>(float x) {
  return narrow<bfloat16>::from(x);
}
template <>
WEFT_DEVICE float16 stored<float16, float>(float x) {
  return narrow<float16>::from(x);
}
/// A float rounded to a half type.
template <class T>
WEFT_DEVICE float rounded(float x) {
  return widened(narrow<T>::from(x));
}

/// A block of Philox 4x32-10 (base/philox.hpp): words 4 * block, ..., 4 * block + 3 of a key.
WEFT_DEVICE void random_block(uint32 low, uint32 high, uint64 block, uint32 top, uint32* x) {
  x[0] = uint32(block);
  x[1] = uint32(block >> 32) & 0x1fffffffu;
  x[2] = 0;
  x[3] = top;
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const uint64 p0 = uint64(0xD2511F53u) * x[0], p1 = uint64(0xCD9E8D57u) * x[2];
    x[0] = uint32(p1 >> 32) ^ x[1] ^ low;
    x[1] = uint32(p1);
    x[2] = uint32(p0 >> 32) ^ x[3] ^ high;
    x[3] = uint32(p0);
    low += 0x9E3779B9u;
    high += 0xBB67AE85u;
  }
}
/// Word i of a key's stream.
WEFT_DEVICE uint32 random_word(uint32 low, uint32 high, uint64 index) {
  uint32 x[4];
  random_block(low, high, index >> 2, uint32(index >> 63), x);
  const uint32 which = uint32(index) & 3u;
  const uint32 even = which == 0 ? x[0] : x[2], odd = which == 1 ? x[1] : x[3];
  return which & 1u ? odd : even;
}
/// What a uniform number of 24 bits, word >> 8, is not below where it is not below p.
WEFT_DEVICE uint32 least_word(float p) {
  if (!(p < 1.0f)) return 1u << 24;  // none; of NaN too
  if (p <= 0.0f) return 0;
  const float scaled = p * 16777216.0f;
  const uint32 whole = uint32(scaled);
  return float(whole) < scaled ? whole + 1 : whole;
}
/// N words from a place that is a multiple of 4 on: a block makes four of them.
template <int N>
WEFT_DEVICE void random_words(uint32 low, uint32 high, uint64 first, uint32* words) {
#pragma unroll
  for (int i = 0; i < N; i += 4)
    random_block(low, high, (first + i) >> 2, uint32(first >> 63), words + i);
}

}  // namespace weft::device

#endif
