// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

// Values in emitted kernels: dtypes and what the ops' `cuda` spellings name. See prelude.hpp.

#include <weft/cuda/prelude_types.hpp>

#if defined(__CUDACC__) || defined(WEFT_DEVICE)

namespace weft::device {

// Limits

template <class T>
struct limits;
#define WEFT_LIMITS(T, SIGNED, LEAST, MOST)                   \
  template <>                                                 \
  struct limits<T> {                                          \
    static constexpr bool integer = true;                     \
    static constexpr bool is_signed = SIGNED;                 \
    WEFT_DEVICE static constexpr T lowest() { return LEAST; } \
    WEFT_DEVICE static constexpr T highest() { return MOST; } \
  };
WEFT_LIMITS(bool, false, false, true)
WEFT_LIMITS(uint8, false, 0, 255)
WEFT_LIMITS(int32, true, -2147483647 - 1, 2147483647)
WEFT_LIMITS(uint32, false, 0u, 4294967295u)
WEFT_LIMITS(int64, true, -9223372036854775807ll - 1, 9223372036854775807ll)
WEFT_LIMITS(uint64, false, 0ull, 18446744073709551615ull)
#undef WEFT_LIMITS
template <class T>
WEFT_DEVICE T infinity();
template <>
WEFT_DEVICE float infinity<float>() {
  return bits_of<float>(0x7f800000u);
}
template <>
WEFT_DEVICE double infinity<double>() {
  return bits_of<double>(0x7ff0000000000000ull);
}
template <class T>
WEFT_DEVICE T not_a_number();
template <>
WEFT_DEVICE float not_a_number<float>() {
  return bits_of<float>(0x7fc00000u);
}
template <>
WEFT_DEVICE double not_a_number<double>() {
  return bits_of<double>(0x7ff8000000000000ull);
}
template <>
struct limits<float> {
  static constexpr bool integer = false, is_signed = true;
  WEFT_DEVICE static float lowest() { return -infinity<float>(); }
  WEFT_DEVICE static float highest() { return infinity<float>(); }
};
template <>
struct limits<double> {
  static constexpr bool integer = false, is_signed = true;
  WEFT_DEVICE static double lowest() { return -infinity<double>(); }
  WEFT_DEVICE static double highest() { return infinity<double>(); }
};
template <class T>
struct unsigned_of {
  using type = T;
};
template <>
struct unsigned_of<int32> {
  using type = uint32;
};
template <>
struct unsigned_of<int64> {
  using type = uint64;
};

// Arithmetic of the ops, by docs/conventions

// Signed integers wrap.
template <class T>
WEFT_DEVICE T add(T x, T y) {
  using U = typename unsigned_of<T>::type;
  return T(U(x) + U(y));
}
template <class T>
WEFT_DEVICE T subtract(T x, T y) {
  using U = typename unsigned_of<T>::type;
  return T(U(x) - U(y));
}
template <class T>
WEFT_DEVICE T multiply(T x, T y) {
  using U = typename unsigned_of<T>::type;
  return T(U(x) * U(y));
}
template <class T>
WEFT_DEVICE T negative(T x) {
  using U = typename unsigned_of<T>::type;
  return T(U(0) - U(x));
}

#define WEFT_FUNCTION(NAME, FLOAT)    \
  WEFT_DEVICE float NAME(float x) {   \
    return ::FLOAT(x);                \
  }                                   \
  WEFT_DEVICE double NAME(double x) { \
    return ::NAME(x);                 \
  }
WEFT_FUNCTION(exp, expf)
WEFT_FUNCTION(expm1, expm1f)
WEFT_FUNCTION(log, logf)
WEFT_FUNCTION(log1p, log1pf)
WEFT_FUNCTION(sin, sinf)
WEFT_FUNCTION(cos, cosf)
WEFT_FUNCTION(tanh, tanhf)
WEFT_FUNCTION(sqrt, sqrtf)
WEFT_FUNCTION(erf, erff)
WEFT_FUNCTION(erfc, erfcf)
WEFT_FUNCTION(floor, floorf)
WEFT_FUNCTION(fabs, fabsf)
#undef WEFT_FUNCTION
WEFT_DEVICE float fmod(float x, float y) {
  return ::fmodf(x, y);
}
WEFT_DEVICE double fmod(double x, double y) {
  return ::fmod(x, y);
}
WEFT_DEVICE float copysign(float x, float y) {
  return ::copysignf(x, y);
}
WEFT_DEVICE double copysign(double x, double y) {
  return ::copysign(x, y);
}
WEFT_DEVICE float fma(float x, float y, float z) {
  return ::fmaf(x, y, z);
}
WEFT_DEVICE double fma(double x, double y, double z) {
  return ::fma(x, y, z);
}
template <class T>
WEFT_DEVICE T rsqrt_exact(T x) {
  return T(1) / sqrt(x);
}
template <class T>
WEFT_DEVICE T abs(T x) {
  if constexpr (!limits<T>::integer)
    return fabs(x);
  else if constexpr (limits<T>::is_signed)
    return x < 0 ? negative(x) : x;
  else
    return x;
}
template <class T>
WEFT_DEVICE T sign(T x) {
  if constexpr (limits<T>::is_signed)
    return x > T(0) ? T(1) : x < T(0) ? T(-1) : x;
  else
    return x > T(0) ? T(1) : x;
}
template <class T>
WEFT_DEVICE T relu(T x) {
  return x <= T(0) ? T(0) : x;
}
/// 1 / (1 + exp(-x)) in the form that keeps both tails.
template <class T>
WEFT_DEVICE T sigmoid(T x) {
  const T e = exp(-fabs(x));
  return (x < 0 ? e : T(1)) / (T(1) + e);
}
template <class T>
WEFT_DEVICE bool negative_bit(T x) {
  return copysign(T(1), x) < 0;
}
template <class T>
WEFT_DEVICE T maximum(T x, T y) {
  if constexpr (!limits<T>::integer) {
    if (x != x) return x;
    if (y != y) return y;
    if (x == 0 && y == 0) return negative_bit(x) ? y : x;
  }
  return x < y ? y : x;
}
template <class T>
WEFT_DEVICE T minimum(T x, T y) {
  if constexpr (!limits<T>::integer) {
    if (x != x) return x;
    if (y != y) return y;
    if (x == 0 && y == 0) return negative_bit(x) ? x : y;
  }
  return y < x ? y : x;
}
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
WEFT_DEVICE float maximum(float x, float y) {
  float r;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
  return r;
}
WEFT_DEVICE float minimum(float x, float y) {
  float r;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
  return r;
}
#endif
template <class T>
WEFT_DEVICE T divide(T x, T y) {
  if constexpr (limits<T>::integer) {
    if (y == T(0)) return T(0);
    if constexpr (limits<T>::is_signed)
      if (y == T(-1)) return negative(x);
  }
  return x / y;
}
// Where results are rounded to 16 bits: right to 2^-16 of the value over the whole range, special
// values as ever.

WEFT_DEVICE float coarse_exp(float x) {
#ifdef __CUDA_ARCH__
  float r;
  asm("ex2.approx.f32 %0, %1;" : "=f"(r) : "f"(x * 0x1.715476p+0f));
  return r;
#else
  return exp(x);
#endif
}
/// Of x that is never above 0: denormal results are made by a scale, not by cases.
WEFT_DEVICE float coarse_exp_below(float x) {
#ifdef __CUDA_ARCH__
  float r;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(::fmaf(x, 0x1.715476p+0f, 24.0f)));
  return r * 0x1p-24f;
#else
  return exp(x);
#endif
}
WEFT_DEVICE float coarse_reciprocal(float x) {
#ifdef __CUDA_ARCH__
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
#else
  return 1.0f / x;
#endif
}
/// 2^-24 / (2^-24 + 2^-24 exp(-x)): neither the power nor its reciprocal leaves the range.
WEFT_DEVICE float coarse_sigmoid(float x) {
#ifdef __CUDA_ARCH__
  float e;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(e) : "f"(::fmaf(x, -0x1.715476p+0f, -24.0f)));
  return coarse_reciprocal(0x1p-24f + e) * 0x1p-24f;
#else
  return sigmoid(x);
#endif
}
/// A number to divide by: its reciprocal, brought to where that neither overflows nor loses digits.
struct divisor {
  float reciprocal, scale;
};
WEFT_DEVICE divisor divisor_of(float y) {
  const float size = fabs(y);
  const float scale = size > 0x1p+120f ? 0x1p-64f : size < 0x1p-120f ? 0x1p+64f : 1.0f;
  return {coarse_reciprocal(y * scale), scale};
}
WEFT_DEVICE float coarse_divide(float x, divisor y) {
  return x * y.reciprocal * y.scale;
}
WEFT_DEVICE float coarse_divide(float x, float y) {
  return coarse_divide(x, divisor_of(y));
}

template <class T>
WEFT_DEVICE T remainder(T x, T y) {
  if constexpr (limits<T>::integer) {
    if (y == T(0)) return x;
    if constexpr (limits<T>::is_signed)
      if (y == T(-1)) return T(0);
    const T r = x % y;
    return r != T(0) && (r < T(0)) != (y < T(0)) ? T(r + y) : r;
  } else {
    const T r = fmod(x, y);
    if (r != 0 && (r < 0) != (y < 0)) return r + y;
    return r == 0 ? copysign(r, y) : r;
  }
}
template <class T>
WEFT_DEVICE T floor_divide(T x, T y) {
  if constexpr (limits<T>::integer) {
    if (y == T(0)) return T(0);
    const T q = divide(x, y);
    return multiply(q, y) != x && (x < T(0)) != (y < T(0)) ? T(q - 1) : q;
  } else {
    if (y == 0) return x / y;
    const T r = fmod(x, y);
    T q = (x - r) / y;
    if (r != 0 && (r < 0) != (y < 0)) q -= 1;
    if (q == 0) return copysign(T(0), x / y);
    const T f = floor(q);
    return q - f > T(0.5) ? f + 1 : f;
  }
}
template <class T>
WEFT_DEVICE bool shift_fits(T y) {
  using U = typename unsigned_of<T>::type;
  return U(y) < U(8 * sizeof(T));
}
template <class T>
WEFT_DEVICE T shift_left(T x, T y) {
  using U = typename unsigned_of<T>::type;
  return shift_fits(y) ? T(U(x) << y) : T(0);
}
template <class T>
WEFT_DEVICE T shift_right(T x, T y) {
  if (shift_fits(y)) return T(x >> y);
  if constexpr (limits<T>::is_signed)
    return x < T(0) ? T(-1) : T(0);
  else
    return T(0);
}
template <class A, class B>
struct same_type {
  static constexpr bool value = false;
};
template <class A>
struct same_type<A, A> {
  static constexpr bool value = true;
};
/// Floats to integers truncate and saturate, NaN gives 0; to bool: whether it differs from 0.
template <class To, class From>
WEFT_DEVICE To cast(From x) {
  if constexpr (same_type<To, bool>::value) {
    return x != From(0);
  } else if constexpr (limits<To>::integer && !limits<From>::integer) {
    if (x != x) return To(0);
    if (x <= From(limits<To>::lowest())) return limits<To>::lowest();
    if (x >= From(limits<To>::highest())) return limits<To>::highest();
    return To(x);
  } else {
    return To(x);
  }
}

}  // namespace weft::device

#endif
