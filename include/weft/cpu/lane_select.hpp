// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/lane_core.hpp>

namespace weft::simd {

namespace reg {

/// the bits of a mask as all ones or zeros in every place of a vector of its own width
template <class T, std::size_t W, class A>
WEFT_INLINE vec<sint_t<T>, W> spread(mask<T, W, A> m) noexcept {
  using S = vec<sint_t<T>, W>;
  if constexpr (std::is_same_v<S, decltype(m.v)>)
    return m.v;
  else
    return blend<S>(m.v, S{} - 1, S{});
}
template <class M, class S>
WEFT_INLINE M gather_bits(S x) noexcept {
  if constexpr (std::is_same_v<S, typename M::data_type>)
    return M(x);
  else
    return M(compare<relation::ne>(x, S{}));
}

}  // namespace reg

template <class T, std::size_t W, class A>
WEFT_INLINE mask<T, W / 2, A> low_half(mask<T, W, A> m) noexcept {
  if constexpr (m.is_pair)
    return m.lo;
  else
    return reg::gather_bits<mask<T, W / 2, A>>(reg::low(reg::spread(m)));
}
template <class T, std::size_t W, class A>
WEFT_INLINE mask<T, W / 2, A> high_half(mask<T, W, A> m) noexcept {
  if constexpr (m.is_pair)
    return m.hi;
  else
    return reg::gather_bits<mask<T, W / 2, A>>(reg::high(reg::spread(m)));
}
template <class T, std::size_t W, class A>
WEFT_INLINE mask<T, 2 * W, A> join(mask<T, W, A> lo, mask<T, W, A> hi) noexcept {
  using M = mask<T, 2 * W, A>;
  if constexpr (M::is_pair)
    return M(lo, hi);
  else
    return reg::gather_bits<M>(reg::concat(reg::spread(lo), reg::spread(hi)));
}

/// The same truth values in the form that comparing lanes of U gives.
template <class U, class T, std::size_t W, class A>
WEFT_INLINE mask<U, W, A> convert_mask(mask<T, W, A> m) noexcept {
  using M = mask<U, W, A>;
  constexpr bool from_bits = std::is_integral_v<typename mask<T, W, A>::data_type>;
  constexpr bool to_bits = std::is_integral_v<typename M::data_type>;
  if constexpr (std::is_same_v<T, U>)
    return m;
  else if constexpr (sizeof(T) + sizeof(U) == 9)  // between bytes and 8 bytes: by 4 bytes
    return convert_mask<U>(convert_mask<std::int32_t>(m));
  else if constexpr (m.is_pair && M::is_pair)
    return M(convert_mask<U>(m.lo), convert_mask<U>(m.hi));
  else if constexpr (m.is_pair) {
    if constexpr (to_bits && sizeof(T) == 2 * sizeof(U))
      return M(typename M::data_type(m.lo.v | m.hi.v << W / 2));
    else
      return join(convert_mask<U>(m.lo), convert_mask<U>(m.hi));
  } else if constexpr (M::is_pair) {
    if constexpr (from_bits && sizeof(U) == 2 * sizeof(T)) {
      using D = typename M::half::data_type;
      return M(typename M::half(D(m.v)), typename M::half(D(m.v >> W / 2)));
    } else
      return M(convert_mask<U>(low_half(m)), convert_mask<U>(high_half(m)));
  } else if constexpr (from_bits && to_bits)
    return M(m.v);
#if defined(__AVX512BW__) && defined(__AVX512VL__)
  else if constexpr (from_bits && sizeof(U) == 1) {
    const auto bytes = reg::vec<std::int8_t, 16>(_mm_movm_epi8(m.v));
    if constexpr (W == 16)
      return M(bytes);
    else
      return M(reg::low(bytes));
  } else if constexpr (to_bits && sizeof(T) == 1) {
    if constexpr (W == 16)
      return M(_mm_movepi8_mask(__m128i(m.v)));
    else
      return M(typename M::data_type(_mm_movepi8_mask(__m128i(reg::concat(m.v, m.v)))));
  }
#endif
  else {
    return reg::gather_bits<M>(reg::cast_vector<reg::sint_t<U>>(reg::spread(m)));
  }
}

/// a where m holds, else b; the mask may come from lanes of another type.
template <class U, class T, std::size_t W, class A>
WEFT_INLINE lane<T, W, A> select(mask<U, W, A> m, lane<T, W, A> a, lane<T, W, A> b) noexcept {
  const mask<T, W, A> k = convert_mask<T>(m);
  if constexpr (a.is_pair)
    return {select(k.lo, a.lo, b.lo), select(k.hi, a.hi, b.hi)};
  else
    return lane<T, W, A>(reg::blend(k.v, a.v, b.v));
}
template <class U, class T, std::size_t W, class A>
WEFT_INLINE mask<T, W, A> select(mask<U, W, A> m, mask<T, W, A> a, mask<T, W, A> b) noexcept {
  const mask<T, W, A> k = convert_mask<T>(m);
  return (k & a) | ((!k) & b);
}

namespace reg {
template <class M>
WEFT_INLINE bool any_bit(M x) noexcept {
  if constexpr (std::is_integral_v<M>) return x != 0;
#if defined(__SSE2__)
  else if constexpr (sizeof(M) == 16)
    return _mm_movemask_epi8(bits_as<__m128i>(x)) != 0;
#endif
#if defined(__AVX__)
  else if constexpr (sizeof(M) == 32)
    return !_mm256_testz_si256(bits_as<__m256i>(x), bits_as<__m256i>(x));
#endif
  else {
    bool r = false;
    for (std::size_t i = 0; i < count_of<M>; ++i) r |= x[i] != 0;
    return r;
  }
}
}  // namespace reg

/// Whether any place holds, and whether all do.
template <class T, std::size_t W, class A>
WEFT_INLINE bool any(mask<T, W, A> m) noexcept {
  if constexpr (m.is_pair)
    return any(m.lo | m.hi);
  else
    return reg::any_bit(m.v);
}
template <class T, std::size_t W, class A>
WEFT_INLINE bool all(mask<T, W, A> m) noexcept {
  return !any(!m);
}

}  // namespace weft::simd
