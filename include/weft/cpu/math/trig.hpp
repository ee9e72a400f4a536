// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/math/core.hpp>

namespace weft::simd::math {

namespace detail {

// Past this magnitude a lane is computed by the scalar library, whose reduction has no limit.
// Without FMA the parts of pi are short, so that their products with n are exact.
template <class T, class A>
inline constexpr T far = std::is_same_v<T, float> ? (fuses<A> ? T(100000) : T(12000))
                                                  : (fuses<A> ? T(1e9) : T(1e6));

/// x - n * pi, Cody and Waite. The parts of pi are cut, not rounded: all positive, they keep -0.
template <class A>
[[gnu::always_inline]] inline floats<A> minus_pi(floats<A> x, floats<A> n) {
  using V = floats<A>;
  if constexpr (fuses<A>) {
    V r = mul_add(n, V(-0x1.921fb4p+1f), x);
    r = mul_add(n, V(-0x1.4442dp-23f), r);
    return mul_add(n, V(-0x1.84698ap-47f), r);
  } else {
    V r = mul_add(n, V(-0x1.92p+1f), x);
    r = mul_add(n, V(-0x1.fb4p-11f), r);
    r = mul_add(n, V(-0x1.444p-23f), r);
    return mul_add(n, V(-0x1.68c234p-38f), r);
  }
}

template <class A>
[[gnu::always_inline]] inline doubles<A> minus_pi(doubles<A> x, doubles<A> n) {
  using V = doubles<A>;
  if constexpr (fuses<A>) {
    V r = mul_add(n, V(-0x1.921fb54442d18p+1), x);
    r = mul_add(n, V(-0x1.1a62633145c06p-53), r);
    return mul_add(n, V(-0x1.c1cd129024e09p-106), r);
  } else {
    V r = mul_add(n, V(-0x1.921fb544p+1), x);
    r = mul_add(n, V(-0x1.0b4611a6p-33), r);
    r = mul_add(n, V(-0x1.3198a2ep-68), r);
    return mul_add(n, V(-0x1.b839a252049c1p-103), r);
  }
}

/// sin(r) for |r| <= 1.01 pi / 2: r + r z P(z), z = r * r, relative error 8e-9 and 6e-19.
template <class A>
[[gnu::always_inline]] inline floats<A> sin_reduced(floats<A> r) {
  using V = floats<A>;
  V const z = r * r;
  V const p = horner(z, -0x1.55554ap-3f, 0x1.110e86p-7f, -0x1.9f6138p-13f, 0x1.5ce6bcp-19f);
  return r * mul_add(z, p, V(1.0f));
}
template <class A>
[[gnu::always_inline]] inline doubles<A> sin_reduced(doubles<A> r) {
  using V = doubles<A>;
  V const z = r * r;
  V const p = horner(z, -0x1.5555555555555p-3, 0x1.11111111110cbp-7, -0x1.a01a01a01517ap-13,
                     0x1.71de3a52c11bcp-19, -0x1.ae6454e484fe2p-26, 0x1.6123d13ed2413p-33,
                     -0x1.ae44a43d510ecp-41, 0x1.885158591776fp-49);
  return r * mul_add(z, p, V(1.0));
}

/// y, with the lanes where |x| is past `far` taken from the scalar function `f` of x.
template <class T, class A, class F>
[[gnu::noinline, gnu::cold]] xsimd::batch<T, A> patch_far(xsimd::batch<T, A> const& x,
                                                          xsimd::batch<T, A> const& y, F f) {
  // glibc's cos in double is 8 ulp off at its worst (0x1.6ac5b262ca1ffp+849), so one type wider.
  using wide = std::conditional_t<std::is_same_v<T, float>, double, long double>;
  constexpr std::size_t lanes = xsimd::batch<T, A>::size;
  T in[lanes];
  T out[lanes];
  x.store_unaligned(in);
  y.store_unaligned(out);
  for (std::size_t i = 0; i < lanes; ++i) {
    if (std::abs(in[i]) > far<T, A>) {
      out[i] = static_cast<T>(f(static_cast<wide>(in[i])));
    }
  }
  return xsimd::batch<T, A>::load_unaligned(out);
}

struct scalar_sin {
  auto operator()(auto x) const { return std::sin(x); }
};
struct scalar_cos {
  auto operator()(auto x) const { return std::cos(x); }
};

}  // namespace detail

/// Sine of x radians, elementwise, reduced exactly whatever the size of x; NaN for infinities.
template <class T, class A>
[[gnu::always_inline]] inline xsimd::batch<T, A> sin(xsimd::batch<T, A> x) {
  using V = xsimd::batch<T, A>;
  using I = xsimd::batch<detail::bits_of<T>, A>;
  auto const n = detail::round_scaled(x, T(0x1.45f306dc9c883p-2));
  V const y = detail::sin_reduced(detail::minus_pi(x, n.value));
  // sin(n pi + r) = (-1)^n sin(r)
  I const odd = detail::bits(n.shifted) << (sizeof(T) * 8 - 1);
  V const near = detail::from_bits<T, A>(detail::bits(y) ^ odd);
  if (xsimd::any(detail::magnitude(x) > V(detail::far<T, A>))) [[unlikely]] {
    return detail::patch_far(x, near, detail::scalar_sin{});
  }
  return near;
}

/// Cosine of x radians, elementwise, reduced exactly whatever the size of x; NaN for infinities.
template <class T, class A>
[[gnu::always_inline]] inline xsimd::batch<T, A> cos(xsimd::batch<T, A> x) {
  using V = xsimd::batch<T, A>;
  using I = xsimd::batch<detail::bits_of<T>, A>;
  // cos((k + 1/2) pi + r) = -(-1)^k sin(r)
  V const shifted = mul_add(x, V(T(0x1.45f306dc9c883p-2)), V(T(-0.5))) + V(detail::round_shift<T>);
  V const n = (shifted - V(detail::round_shift<T>)) + V(T(0.5));
  V const y = detail::sin_reduced(detail::minus_pi(x, n));
  I const even = (detail::bits(shifted) << (sizeof(T) * 8 - 1)) ^ detail::bits(V(T(-0.0)));
  V const near = detail::from_bits<T, A>(detail::bits(y) ^ even);
  if (xsimd::any(detail::magnitude(x) > V(detail::far<T, A>))) [[unlikely]] {
    return detail::patch_far(x, near, detail::scalar_cos{});
  }
  return near;
}

}  // namespace weft::simd::math
