// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/math/core.hpp>

namespace weft::simd::math {

namespace detail {

// ln 2 in two parts. The first is short: its product with an exponent is exact.
template <class T>
inline constexpr T ln2_high = std::is_same_v<T, float> ? T(0x1.62p-1) : T(0x1.62e42fefa3p-1);
template <class T>
inline constexpr T ln2_low = std::is_same_v<T, float> ? T(0x1.c85fdf473de6bp-10)
                                                      : T(0x1.3de6af278ece6p-42);

/// exp(r) for |r| <= ln 2 / 2: minimax polynomials, relative error 1.1e-7 and 1.1e-17.
template <class A>
[[gnu::always_inline]] inline floats<A> exp_reduced(floats<A> r) {
  return horner(r, 1.0f, 1.0f, 0x1.fffdfap-2f, 0x1.5557acp-3f, 0x1.572af6p-5f, 0x1.106496p-7f);
}
template <class A>
[[gnu::always_inline]] inline doubles<A> exp_reduced(doubles<A> r) {
  return horner(r, 1.0, 1.0, 0x1.000000000000ap-1, 0x1.55555555554fap-3, 0x1.555555555087fp-5,
                0x1.1111111127befp-7, 0x1.6c16c18429ac5p-10, 0x1.a01a012a54673p-13,
                0x1.a0199a0d57995p-16, 0x1.71df25594320fp-19, 0x1.28ad720566a83p-22,
                0x1.ad7f64a656456p-26);
}

/// x = n ln 2 + r with |r| <= ln 2 / 2 (Cody and Waite); `shifted` as in rounded. (Flat: g++ copies
/// batches of nested structs through memory.)
template <class V>
struct exp_argument {
  V r;
  V n;
  V shifted;
};

template <class T, class A>
[[gnu::always_inline]] inline exp_argument<xsimd::batch<T, A>> reduce_exp(xsimd::batch<T, A> x) {
  using V = xsimd::batch<T, A>;
  auto const n = round_scaled(x, T(0x1.71547652b82fep+0));
  V const r = mul_add(n.value, V(-ln2_high<T>), x);
  return {mul_add(n.value, V(-ln2_low<T>), r), n.value, n.shifted};
}

// Where exp has long become infinite or zero.
template <class T>
inline constexpr T exp_high = std::is_same_v<T, float> ? T(89) : T(710);
template <class T>
inline constexpr T exp_low = std::is_same_v<T, float> ? T(-104) : T(-746);

/// exp(x) for x between exp_low and exp_high (NaN passes).
template <class T, class A>
[[gnu::always_inline]] inline xsimd::batch<T, A> exp_in_range(xsimd::batch<T, A> x) {
  auto const [r, n, shifted] = reduce_exp(x);
  return scale_by(exp_reduced(r), n);
}

}  // namespace detail

/// e to the power x, elementwise, for float and double. Overflows at 88.72 and 709.78; results are
/// denormal, rounded once, down to -103.97 and -745.13.
template <class T, class A>
[[gnu::always_inline]] inline xsimd::batch<T, A> exp(xsimd::batch<T, A> x) {
  using namespace detail;
  return exp_in_range(at_least(at_most(x, exp_high<T>), exp_low<T>));
}

}  // namespace weft::simd::math
