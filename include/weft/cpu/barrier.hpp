// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <xsimd/xsimd.hpp>

#include <cmath>
#include <concepts>
#include <type_traits>

/// The two halves of Weft's rule for contraction: `keep` stops the compiler from fusing a product
/// into a later addition, `mul_add` fuses where the graph asks for it.

namespace weft::simd {

namespace detail {

template <class V>
struct is_batch : std::false_type {};
template <class T, class A>
struct is_batch<xsimd::batch<T, A>> : std::true_type {};

// xsimd names the three-operand FMA as a wrapper around the architecture it extends.
template <class A>
struct is_fma3 : std::false_type {};
template <class A>
struct is_fma3<xsimd::fma3<A>> : std::true_type {};

template <class A>
inline constexpr bool is_avx512 = std::is_base_of_v<xsimd::avx512f, A>;

#if defined(__x86_64__) || defined(__i386__)
inline constexpr bool on_x86 = true;
#else
inline constexpr bool on_x86 = false;
#endif

}  // namespace detail

/// Whether the architecture `A` multiplies and adds with one rounding. Decided by the type alone,
/// so that units built with other flags never share an instantiation that means something else.
template <class A>
inline constexpr bool fuses = detail::is_avx512<A> || detail::is_fma3<A>::value ||
                              std::is_base_of_v<xsimd::fma4, A> || !detail::on_x86;

/// `x` itself, rounded: the compiler may not contract the product that computed it with an addition
/// that uses it. g++ contracts across intrinsics and statements by default (-ffp-contract=fast);
/// clang's default contracts only within one expression, which passing through a call ends.
template <class V>
[[gnu::always_inline]] inline V keep(V x) {
#if defined(__clang__)
  return x;
#else
  if constexpr (detail::is_batch<V>::value) {
    if constexpr (std::is_floating_point_v<typename V::value_type>) {
      // __builtin_assoc_barrier is right here too, but g++ 12 takes vectors apart for it (twenty
      // instructions); an empty asm on the register costs none.
#if defined(__x86_64__) || defined(__i386__)
      __asm__("" : "+v"(x.data));
      return x;
#elif defined(__aarch64__)
      __asm__("" : "+w"(x.data));
      return x;
#else
      return V(__builtin_assoc_barrier(x.data));
#endif
    } else {
      return x;
    }
  } else if constexpr (std::is_floating_point_v<V>) {
    return __builtin_assoc_barrier(x);
  } else {
    return x;
  }
#endif
}

/// a * b + c with one rounding where `fuses<A>`, else with two; the same from every compiler.
/// xsimd::fma is not enough: before xsimd 9 it is a product and a sum for AVX-512.
template <class T, class A>
  requires std::floating_point<T>
[[gnu::always_inline]] inline xsimd::batch<T, A> mul_add(xsimd::batch<T, A> a, xsimd::batch<T, A> b,
                                                         xsimd::batch<T, A> c) {
#if defined(__AVX512F__)
  if constexpr (detail::is_avx512<A>) {
    if constexpr (std::is_same_v<T, float>) {
      return _mm512_fmadd_ps(a.data, b.data, c.data);
    } else {
      return _mm512_fmadd_pd(a.data, b.data, c.data);
    }
  } else
#endif
      if constexpr (fuses<A>) {
    return keep(xsimd::fma(a, b, c));
  } else {
    return keep(a * b) + c;
  }
}

/// The scalar form: always one rounding, as std::fma.
template <std::floating_point T>
[[gnu::always_inline]] inline T mul_add(T a, T b, T c) {
  return std::fma(a, b, c);
}

/// c - a * b, rounded as mul_add.
template <class V>
[[gnu::always_inline]] inline V neg_mul_add(V a, V b, V c) {
  return mul_add(-a, b, c);
}

/// a * b - c, rounded as mul_add.
template <class V>
[[gnu::always_inline]] inline V mul_sub(V a, V b, V c) {
  return mul_add(a, b, -c);
}

}  // namespace weft::simd
