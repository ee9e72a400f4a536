// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

// Made by scripts/prelude_text from prelude*.hpp: do not edit.
namespace weft::detail::cuda {

/// What emitted kernels include as <weft/cuda/prelude.hpp>.
inline constexpr const char prelude_name[] = "weft/cuda/prelude.hpp";

inline constexpr const char prelude_text[] = R"weft(#pragma once
#if defined(__CUDACC__) || defined(WEFT_DEVICE)
#ifndef WEFT_DEVICE
#define WEFT_DEVICE __device__ __forceinline__
#endif
namespace weft::device { using int8 = signed char; using uint8 = unsigned char;
using int32 = int; using uint32 = unsigned; using int64 = long long;
using uint64 = unsigned long long; template <class To, class From>
WEFT_DEVICE To bits_of(From x) { static_assert(sizeof(To) == sizeof(From), "of one size"); To r;
::memcpy(&r, &x, sizeof r); return r; } struct bfloat16 { unsigned short bits; };
struct float16 { unsigned short bits; }; WEFT_DEVICE float widened(bfloat16 x) {
return bits_of<float>(uint32(x.bits) << 16); } WEFT_DEVICE float widened(float16 x) {
#ifdef __CUDA_ARCH__
float r; asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(x.bits)); return r;
#else
const uint32 sign = uint32(x.bits & 0x8000u) << 16, rest = x.bits & 0x7fffu;
if (rest >= 0x7c00u) return bits_of<float>(sign | 0x7f800000u | (rest & 0x3ffu) << 13);
if (rest >= 0x400u) return bits_of<float>(sign | ((rest << 13) + 0x38000000u));
const float small = float(rest) * 5.9604644775390625e-8f; return sign ? -small : small;
#endif
} template <class T> struct narrow { WEFT_DEVICE static T from(float x) { return T(x); } };
template <> struct narrow<bfloat16> { WEFT_DEVICE static bfloat16 from(float x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
bfloat16 r; asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(r.bits) : "f"(x)); return r;
#else
const uint32 b = bits_of<uint32>(x); if (x != x) return {(unsigned short)(b >> 16 | 0x40u)};
return {(unsigned short)((b + 0x7fffu + (b >> 16 & 1u)) >> 16)};
#endif
} }; template <> struct narrow<float16> { WEFT_DEVICE static float16 from(float x) {
#ifdef __CUDA_ARCH__
float16 r; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r.bits) : "f"(x)); return r;
#else
const uint32 b = bits_of<uint32>(x), sign = b >> 16 & 0x8000u, rest = b & 0x7fffffffu;
if (rest > 0x7f800000u) return {(unsigned short)(sign | 0x7e00u)};
if (rest >= 0x477ff000u) return {(unsigned short)(sign | 0x7c00u)}; if (rest < 0x38800000u) {
const float shifted = bits_of<float>(rest) + 0.5f;
return {(unsigned short)(sign | (bits_of<uint32>(shifted) - 0x3f000000u))}; }
const uint32 odd = rest >> 13 & 1u;
return {(unsigned short)(sign | (rest - 0x38000000u + 0xfffu + odd) >> 13)};
#endif
} }; template <class T> WEFT_DEVICE T widened(T x) { return x; } template <class T, class V>
WEFT_DEVICE T stored(V x) { return T(x); } template <>
WEFT_DEVICE bfloat16 stored<bfloat16, float>(float x) { return narrow<bfloat16>::from(x); }
template <> WEFT_DEVICE float16 stored<float16, float>(float x) {
return narrow<float16>::from(x); } template <class T> WEFT_DEVICE float rounded(float x) {
return widened(narrow<T>::from(x)); }
WEFT_DEVICE void random_block(uint32 low, uint32 high, uint64 block, uint32 top, uint32* x) {
x[0] = uint32(block); x[1] = uint32(block >> 32) & 0x1fffffffu; x[2] = 0; x[3] = top;
#pragma unroll
for (int round = 0; round < 10; ++round) {
const uint64 p0 = uint64(0xD2511F53u) * x[0], p1 = uint64(0xCD9E8D57u) * x[2];
x[0] = uint32(p1 >> 32) ^ x[1] ^ low; x[1] = uint32(p1); x[2] = uint32(p0 >> 32) ^ x[3] ^ high;
x[3] = uint32(p0); low += 0x9E3779B9u; high += 0xBB67AE85u; } }
WEFT_DEVICE uint32 random_word(uint32 low, uint32 high, uint64 index) { uint32 x[4];
random_block(low, high, index >> 2, uint32(index >> 63), x);
const uint32 which = uint32(index) & 3u;
const uint32 even = which == 0 ? x[0] : x[2], odd = which == 1 ? x[1] : x[3];
return which & 1u ? odd : even; } WEFT_DEVICE uint32 least_word(float p) {
if (!(p < 1.0f)) return 1u << 24; if (p <= 0.0f) return 0; const float scaled = p * 16777216.0f;
const uint32 whole = uint32(scaled); return float(whole) < scaled ? whole + 1 : whole; }
template <int N>
WEFT_DEVICE void random_words(uint32 low, uint32 high, uint64 first, uint32* words) {
#pragma unroll
for (int i = 0; i < N; i += 4)
random_block(low, high, (first + i) >> 2, uint32(first >> 63), words + i); } }
#endif
#if defined(__CUDACC__) || defined(WEFT_DEVICE)
namespace weft::device { template <class T> struct limits;
#define WEFT_LIMITS(T, SIGNED, LEAST, MOST)                   \
  template <>                                                 \
  struct limits<T> {                                          \
    static constexpr bool integer = true;                     \
    static constexpr bool is_signed = SIGNED;                 \
    WEFT_DEVICE static constexpr T lowest() { return LEAST; } \
    WEFT_DEVICE static constexpr T highest() { return MOST; } \
  };
WEFT_LIMITS(bool, false, false, true) WEFT_LIMITS(uint8, false, 0, 255)
WEFT_LIMITS(int32, true, -2147483647 - 1, 2147483647)
WEFT_LIMITS(uint32, false, 0u, 4294967295u)
WEFT_LIMITS(int64, true, -9223372036854775807ll - 1, 9223372036854775807ll)
WEFT_LIMITS(uint64, false, 0ull, 18446744073709551615ull)
#undef WEFT_LIMITS
template <class T> WEFT_DEVICE T infinity(); template <> WEFT_DEVICE float infinity<float>() {
return bits_of<float>(0x7f800000u); } template <> WEFT_DEVICE double infinity<double>() {
return bits_of<double>(0x7ff0000000000000ull); } template <class T>
WEFT_DEVICE T not_a_number(); template <> WEFT_DEVICE float not_a_number<float>() {
return bits_of<float>(0x7fc00000u); } template <> WEFT_DEVICE double not_a_number<double>() {
return bits_of<double>(0x7ff8000000000000ull); } template <> struct limits<float> {
static constexpr bool integer = false, is_signed = true;
WEFT_DEVICE static float lowest() { return -infinity<float>(); }
WEFT_DEVICE static float highest() { return infinity<float>(); } }; template <>
struct limits<double> { static constexpr bool integer = false, is_signed = true;
WEFT_DEVICE static double lowest() { return -infinity<double>(); }
WEFT_DEVICE static double highest() { return infinity<double>(); } }; template <class T>
struct unsigned_of { using type = T; }; template <> struct unsigned_of<int32> {
using type = uint32; }; template <> struct unsigned_of<int64> { using type = uint64; };
template <class T> WEFT_DEVICE T add(T x, T y) { using U = typename unsigned_of<T>::type;
return T(U(x) + U(y)); } template <class T> WEFT_DEVICE T subtract(T x, T y) {
using U = typename unsigned_of<T>::type; return T(U(x) - U(y)); } template <class T>
WEFT_DEVICE T multiply(T x, T y) { using U = typename unsigned_of<T>::type;
return T(U(x) * U(y)); } template <class T> WEFT_DEVICE T negative(T x) {
using U = typename unsigned_of<T>::type; return T(U(0) - U(x)); }
#define WEFT_FUNCTION(NAME, FLOAT)    \
  WEFT_DEVICE float NAME(float x) {   \
    return ::FLOAT(x);                \
  }                                   \
  WEFT_DEVICE double NAME(double x) { \
    return ::NAME(x);                 \
  }
WEFT_FUNCTION(exp, expf) WEFT_FUNCTION(expm1, expm1f) WEFT_FUNCTION(log, logf)
WEFT_FUNCTION(log1p, log1pf) WEFT_FUNCTION(sin, sinf) WEFT_FUNCTION(cos, cosf)
WEFT_FUNCTION(tanh, tanhf) WEFT_FUNCTION(sqrt, sqrtf) WEFT_FUNCTION(erf, erff)
WEFT_FUNCTION(erfc, erfcf) WEFT_FUNCTION(floor, floorf) WEFT_FUNCTION(fabs, fabsf)
#undef WEFT_FUNCTION
WEFT_DEVICE float fmod(float x, float y) { return ::fmodf(x, y); }
WEFT_DEVICE double fmod(double x, double y) { return ::fmod(x, y); }
WEFT_DEVICE float copysign(float x, float y) { return ::copysignf(x, y); }
WEFT_DEVICE double copysign(double x, double y) { return ::copysign(x, y); }
WEFT_DEVICE float fma(float x, float y, float z) { return ::fmaf(x, y, z); }
WEFT_DEVICE double fma(double x, double y, double z) { return ::fma(x, y, z); }
template <class T> WEFT_DEVICE T rsqrt_exact(T x) { return T(1) / sqrt(x); } template <class T>
WEFT_DEVICE T abs(T x) { if constexpr (!limits<T>::integer) return fabs(x);
else if constexpr (limits<T>::is_signed) return x < 0 ? negative(x) : x; else return x; }
template <class T> WEFT_DEVICE T sign(T x) { if constexpr (limits<T>::is_signed)
return x > T(0) ? T(1) : x < T(0) ? T(-1) : x; else return x > T(0) ? T(1) : x; }
template <class T> WEFT_DEVICE T relu(T x) { return x <= T(0) ? T(0) : x; } template <class T>
WEFT_DEVICE T sigmoid(T x) { const T e = exp(-fabs(x)); return (x < 0 ? e : T(1)) / (T(1) + e);
} template <class T> WEFT_DEVICE bool negative_bit(T x) { return copysign(T(1), x) < 0; }
template <class T> WEFT_DEVICE T maximum(T x, T y) { if constexpr (!limits<T>::integer) {
if (x != x) return x; if (y != y) return y;
if (x == 0 && y == 0) return negative_bit(x) ? y : x; } return x < y ? y : x; }
template <class T> WEFT_DEVICE T minimum(T x, T y) { if constexpr (!limits<T>::integer) {
if (x != x) return x; if (y != y) return y;
if (x == 0 && y == 0) return negative_bit(x) ? x : y; } return y < x ? y : x; }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
WEFT_DEVICE float maximum(float x, float y) { float r;
asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y)); return r; }
WEFT_DEVICE float minimum(float x, float y) { float r;
asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y)); return r; }
#endif
template <class T> WEFT_DEVICE T divide(T x, T y) { if constexpr (limits<T>::integer) {
if (y == T(0)) return T(0); if constexpr (limits<T>::is_signed)
if (y == T(-1)) return negative(x); } return x / y; } WEFT_DEVICE float coarse_exp(float x) {
#ifdef __CUDA_ARCH__
float r; asm("ex2.approx.f32 %0, %1;" : "=f"(r) : "f"(x * 0x1.715476p+0f)); return r;
#else
return exp(x);
#endif
} WEFT_DEVICE float coarse_exp_below(float x) {
#ifdef __CUDA_ARCH__
float r; asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(::fmaf(x, 0x1.715476p+0f, 24.0f)));
return r * 0x1p-24f;
#else
return exp(x);
#endif
} WEFT_DEVICE float coarse_reciprocal(float x) {
#ifdef __CUDA_ARCH__
float r; asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x)); return r;
#else
return 1.0f / x;
#endif
} WEFT_DEVICE float coarse_sigmoid(float x) {
#ifdef __CUDA_ARCH__
float e; asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(e) : "f"(::fmaf(x, -0x1.715476p+0f, -24.0f)));
return coarse_reciprocal(0x1p-24f + e) * 0x1p-24f;
#else
return sigmoid(x);
#endif
} struct divisor { float reciprocal, scale; }; WEFT_DEVICE divisor divisor_of(float y) {
const float size = fabs(y);
const float scale = size > 0x1p+120f ? 0x1p-64f : size < 0x1p-120f ? 0x1p+64f : 1.0f;
return {coarse_reciprocal(y * scale), scale}; }
WEFT_DEVICE float coarse_divide(float x, divisor y) { return x * y.reciprocal * y.scale; }
WEFT_DEVICE float coarse_divide(float x, float y) { return coarse_divide(x, divisor_of(y)); }
template <class T> WEFT_DEVICE T remainder(T x, T y) { if constexpr (limits<T>::integer) {
if (y == T(0)) return x; if constexpr (limits<T>::is_signed) if (y == T(-1)) return T(0);
const T r = x % y; return r != T(0) && (r < T(0)) != (y < T(0)) ? T(r + y) : r; } else {
const T r = fmod(x, y); if (r != 0 && (r < 0) != (y < 0)) return r + y;
return r == 0 ? copysign(r, y) : r; } } template <class T>
WEFT_DEVICE T floor_divide(T x, T y) { if constexpr (limits<T>::integer) {
if (y == T(0)) return T(0); const T q = divide(x, y);
return multiply(q, y) != x && (x < T(0)) != (y < T(0)) ? T(q - 1) : q; } else {
if (y == 0) return x / y; const T r = fmod(x, y); T q = (x - r) / y;
if (r != 0 && (r < 0) != (y < 0)) q -= 1; if (q == 0) return copysign(T(0), x / y);
const T f = floor(q); return q - f > T(0.5) ? f + 1 : f; } } template <class T>
WEFT_DEVICE bool shift_fits(T y) { using U = typename unsigned_of<T>::type;
return U(y) < U(8 * sizeof(T)); } template <class T> WEFT_DEVICE T shift_left(T x, T y) {
using U = typename unsigned_of<T>::type; return shift_fits(y) ? T(U(x) << y) : T(0); }
template <class T> WEFT_DEVICE T shift_right(T x, T y) { if (shift_fits(y)) return T(x >> y);
if constexpr (limits<T>::is_signed) return x < T(0) ? T(-1) : T(0); else return T(0); }
template <class A, class B> struct same_type { static constexpr bool value = false; };
template <class A> struct same_type<A, A> { static constexpr bool value = true; };
template <class To, class From> WEFT_DEVICE To cast(From x) {
if constexpr (same_type<To, bool>::value) { return x != From(0);
} else if constexpr (limits<To>::integer && !limits<From>::integer) { if (x != x) return To(0);
if (x <= From(limits<To>::lowest())) return limits<To>::lowest();
if (x >= From(limits<To>::highest())) return limits<To>::highest(); return To(x); } else {
return To(x); } } }
#endif
#if defined(__CUDACC__) || defined(WEFT_DEVICE)
#ifndef WEFT_SHARED
#define WEFT_SHARED __shared__
#endif
#ifndef WEFT_DYNAMIC_SHARED
#define WEFT_DYNAMIC_SHARED(NAME) extern __shared__ uint4 NAME[]
#endif
namespace weft::device { template <int N> WEFT_DEVICE int quotient(int i) {
return int(unsigned(i) / unsigned(N)); } template <int N> WEFT_DEVICE int rest(int i) {
return int(unsigned(i) % unsigned(N)); } template <int64 N>
WEFT_DEVICE int64 quotient(int64 i) { return int64(uint64(i) / uint64(N)); } template <int64 N>
WEFT_DEVICE int64 rest(int64 i) { return int64(uint64(i) % uint64(N)); }
WEFT_DEVICE int quotient(int i, int n) { return int(unsigned(i) / unsigned(n)); }
WEFT_DEVICE int rest(int i, int n) { return int(unsigned(i) % unsigned(n)); }
WEFT_DEVICE int64 quotient(int64 i, int64 n) { return int64(uint64(i) / uint64(n)); }
WEFT_DEVICE int64 rest(int64 i, int64 n) { return int64(uint64(i) % uint64(n)); }
template <class P, class T> WEFT_DEVICE P place_in(T x) {
return x >= T(0) && uint64(x) < (1ull << (8 * sizeof(P) - 2)) ? P(x) : P(-1); }
template <int Bytes> struct word_of; template <> struct word_of<1> { using type = unsigned char;
}; template <> struct word_of<2> { using type = unsigned short; }; template <>
struct word_of<4> { using type = unsigned; }; template <> struct word_of<8> {
using type = uint2; }; template <> struct word_of<16> { using type = uint4; };
template <class T, int N> struct vec {
static constexpr int bytes = N * int(sizeof(T)) < 16 ? N * int(sizeof(T)) : 16;
static constexpr int words = N * int(sizeof(T)) / bytes;
using word = typename word_of<bytes>::type; union { word w[words]; T v[N]; };
WEFT_DEVICE T& operator[](int k) { return v[k]; }
WEFT_DEVICE const T& operator[](int k) const { return v[k]; } }; template <int N, class T>
WEFT_DEVICE vec<T, N> load(const T* p) { using V = vec<T, N>; V r;
#pragma unroll
for (int i = 0; i < V::words; ++i) r.w[i] = reinterpret_cast<const typename V::word*>(p)[i];
return r; } template <class T, int N> WEFT_DEVICE void store(T* p, const vec<T, N>& x) {
using V = vec<T, N>;
#pragma unroll
for (int i = 0; i < V::words; ++i) reinterpret_cast<typename V::word*>(p)[i] = x.w[i]; }
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
WEFT_HINTED_LOAD(load_once, ".L1::no_allocate", "evict_first")
WEFT_HINTED_LOAD(load_kept, "", "evict_last")
#undef WEFT_HINTED_LOAD
template <int N, class T> WEFT_DEVICE vec<T, N> load_last(const T* p) {
#ifdef __CUDA_ARCH__
using V = vec<T, N>; V r;
#pragma unroll
for (int i = 0; i < V::words; ++i)
r.w[i] = __ldcs(reinterpret_cast<const typename V::word*>(p) + i); return r;
#else
return load<N>(p);
#endif
} template <class T, int N> WEFT_DEVICE void store_once(T* p, const vec<T, N>& x) {
#ifdef __CUDA_ARCH__
using V = vec<T, N>;
#pragma unroll
for (int i = 0; i < V::words; ++i) __stcs(reinterpret_cast<typename V::word*>(p) + i, x.w[i]);
#else
store(p, x);
#endif
} template <class T, int N> WEFT_DEVICE vec<T, N> packed(const float* x) { vec<T, N> r;
#pragma unroll
for (int k = 0; k < N; k += 2) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
uint32 pair; if constexpr (same_type<T, bfloat16>::value)
asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(x[k + 1]), "f"(x[k])); else
asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(x[k + 1]), "f"(x[k]));
::memcpy(&r.v[k], &pair, 4);
#else
r[k] = narrow<T>::from(x[k]); r[k + 1] = narrow<T>::from(x[k + 1]);
#endif
} return r; }
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
template <class T> WEFT_DEVICE T shuffle_xor(T x, int m) { if constexpr (sizeof(T) < 4)
return T(__shfl_xor_sync(0xffffffffu, int(x), m)); else
return __shfl_xor_sync(0xffffffffu, x, m); } WEFT_REDUCTION(sum, add(x, y))
WEFT_REDUCTION(max, maximum(x, y)) WEFT_REDUCTION(min, minimum(x, y))
#undef WEFT_REDUCTION
template <class T> WEFT_DEVICE T fresh(const T* p) { return *const_cast<const volatile T*>(p); }
WEFT_DEVICE unsigned come(unsigned* counter) {
#ifdef __CUDA_ARCH__
unsigned before;
asm volatile("atom.add.acq_rel.gpu.u32 %0, [%1], 1;" : "=r"(before) : "l"(counter) : "memory");
return before;
#else
return atomicAdd(counter, 1u);
#endif
} WEFT_DEVICE bool last_to_come(unsigned* counter, unsigned count) { WEFT_SHARED bool last;
__syncthreads(); if (threadIdx.x == 0) { last = come(counter) == count - 1;
if (last) *counter = 0; } __syncthreads(); return last; } template <bool Greatest, class T>
WEFT_DEVICE bool beats(T x, T best) { if (best != best) return false; if (x != x) return true;
return Greatest ? x > best : x < best; } template <bool Greatest, class T>
WEFT_DEVICE void take_better(T& x, int64& place, T y, int64 other) {
if (beats<Greatest>(y, x) || (!beats<Greatest>(x, y) && other < place)) { x = y; place = other;
} } template <bool FromEnd, class T>
WEFT_DEVICE int64 place_of(T index, int64 extent, int* fault, int axis) {
int64 i = int64(index); if (FromEnd && i < 0) i += extent; if (i < 0 || i >= extent) {
if (atomicCAS(fault, 0, 1) == 0) {
volatile int64* const record = reinterpret_cast<int64*>(fault); record[1] = int64(index);
record[2] = axis; record[3] = extent; __threadfence_system();
*const_cast<volatile int*>(fault) = 2; } i = 0; } return i; } }
#endif
)weft";

}  // namespace weft::detail::cuda
