// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/lane_select.hpp>

// Memory never needs to be aligned, and nothing past the n elements of a partial access is touched.

namespace weft::simd {

namespace reg {

template <class V, std::size_t... I>
WEFT_INLINE V first_integers(std::index_sequence<I...>) noexcept {
  return V{element_t<V>(I)...};
}

/// all ones in the first n places
template <class S>
WEFT_INLINE S partial_mask(std::size_t n) noexcept {
  using T = element_t<S>;
  return bits_as<S>(first_integers<S>(std::make_index_sequence<count_of<S>>{}) < splat<S>(T(n)));
}

template <class V>
WEFT_INLINE V load_some(const element_t<V>* p, std::size_t n, V fill) noexcept {
  using T = element_t<V>;
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64) {
    const auto k = mask_register<V>((1u << n) - 1);
    if constexpr (sizeof(T) == 4)
      return V(_mm512_mask_loadu_epi32(__m512i(fill), k, p));
    else
      return V(_mm512_mask_loadu_epi64(__m512i(fill), k, p));
  } else
#endif
#if defined(__AVX2__)
      if constexpr (sizeof(V) == 32 && sizeof(T) > 1) {
    const sint_vec<V> k = partial_mask<sint_vec<V>>(n);
    if constexpr (sizeof(T) == 4) {
      const auto* q = reinterpret_cast<const int*>(p);
      return k ? V(_mm256_maskload_epi32(q, __m256i(k))) : fill;
    } else {
      const auto* q = reinterpret_cast<const long long*>(p);
      return k ? V(_mm256_maskload_epi64(q, __m256i(k))) : fill;
    }
  } else
#endif
  {
    T buffer[count_of<V>];
    __builtin_memcpy(buffer, &fill, sizeof(V));
    for (std::size_t i = 0; i < n; ++i) buffer[i] = p[i];
    V x;
    __builtin_memcpy(&x, buffer, sizeof(V));
    return x;
  }
}

template <class V>
WEFT_INLINE void store_some(element_t<V>* p, std::size_t n, V x) noexcept {
  using T = element_t<V>;
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64) {
    const auto k = mask_register<V>((1u << n) - 1);
    if constexpr (sizeof(T) == 4)
      _mm512_mask_storeu_epi32(p, k, __m512i(x));
    else
      _mm512_mask_storeu_epi64(p, k, __m512i(x));
  } else
#endif
#if defined(__AVX2__)
      if constexpr (sizeof(V) == 32 && sizeof(T) > 1) {
    const auto k = __m256i(partial_mask<sint_vec<V>>(n));
    if constexpr (sizeof(T) == 4)
      _mm256_maskstore_epi32(reinterpret_cast<int*>(p), k, __m256i(x));
    else
      _mm256_maskstore_epi64(reinterpret_cast<long long*>(p), k, __m256i(x));
  } else
#endif
  {
    T buffer[count_of<V>];
    __builtin_memcpy(buffer, &x, sizeof(V));
    for (std::size_t i = 0; i < n; ++i) p[i] = buffer[i];
  }
}

}  // namespace reg

/// W elements from p on. L is a lane, and p points to its values; or L is a mask, and p points to
/// bools, one byte each.
template <class L>
  requires is_lane<L> WEFT_INLINE L load(const lane_value_t<L>* p)
noexcept {
  if constexpr (L::is_pair)
    return L(load<typename L::half>(p), load<typename L::half>(p + width<L> / 2));
  else {
    typename L::data_type x;
    __builtin_memcpy(&x, p, sizeof(x));
    return L(x);
  }
}

/// The first n <= W elements from p on, and fill in the other places; no memory past p + n is read.
template <class L>
  requires is_lane<L> WEFT_INLINE L load_partial(const lane_value_t<L>* p, std::size_t n,
                                                 lane_value_t<L> fill = {})
noexcept {
  if constexpr (L::is_pair) {
    constexpr std::size_t h = width<L> / 2;
    using H = typename L::half;
    if (n <= h) return L(load_partial<H>(p, n, fill), H(fill));
    return L(load<H>(p), load_partial<H>(p + h, n - h, fill));
  } else
    return L(reg::load_some(p, n, reg::splat<typename L::data_type>(fill)));
}

/// n <= W elements at p, p + stride, ..., and fill in the other places.
template <class L>
  requires is_lane<L> WEFT_INLINE L load_strided(const lane_value_t<L>* p, std::int64_t stride,
                                                 std::size_t n, lane_value_t<L> fill = {})
noexcept {
  using T = lane_value_t<L>;
  T buffer[width<L>];
  if (n == width<L>)
    for (std::size_t i = 0; i < width<L>; ++i) buffer[i] = p[std::int64_t(i) * stride];
  else
    for (std::size_t i = 0; i < width<L>; ++i)
      buffer[i] = i < n ? p[std::int64_t(i) * stride] : fill;
  return load<L>(buffer);
}

template <class T, std::size_t W, class A>
WEFT_INLINE void store(T* p, lane<T, W, A> x) noexcept {
  if constexpr (x.is_pair) {
    store(p, x.lo);
    store(p + W / 2, x.hi);
  } else
    __builtin_memcpy(p, &x.v, sizeof(x.v));
}

/// The first n <= W places to p; no memory past p + n is written.
template <class T, std::size_t W, class A>
WEFT_INLINE void store_partial(T* p, std::size_t n, lane<T, W, A> x) noexcept {
  if constexpr (x.is_pair) {
    if (n <= W / 2) return store_partial(p, n, x.lo);
    store(p, x.lo);
    store_partial(p + W / 2, n - W / 2, x.hi);
  } else
    reg::store_some(p, n, x.v);
}

/// The first n <= W places to p, p + stride, ..., in this order.
template <class T, std::size_t W, class A>
WEFT_INLINE void store_strided(T* p, std::int64_t stride, std::size_t n, lane<T, W, A> x) noexcept {
  T buffer[W];
  store(buffer, x);
  for (std::size_t i = 0; i < n; ++i) p[std::int64_t(i) * stride] = buffer[i];
}

// ---- bools, as masks

namespace reg {
template <class M>
struct bytes_of_mask;
template <class T, std::size_t W, class A>
struct bytes_of_mask<mask<T, W, A>> {
  using value = T;
  using lane_t = lane<std::uint8_t, W, A>;
};
template <class M>
using byte_lane = typename bytes_of_mask<M>::lane_t;
template <class M>
WEFT_INLINE M from_bytes(byte_lane<M> x) noexcept {
  return convert_mask<typename bytes_of_mask<M>::value>(x != byte_lane<M>(0));
}
template <class T, std::size_t W, class A>
WEFT_INLINE lane<std::uint8_t, W, A> to_bytes(mask<T, W, A> m) noexcept {
  using B = lane<std::uint8_t, W, A>;
  return select(m, B(1), B(0));
}
WEFT_INLINE const std::uint8_t* bytes(const bool* p) noexcept {
  return reinterpret_cast<const std::uint8_t*>(p);
}
WEFT_INLINE std::uint8_t* bytes(bool* p) noexcept {
  return reinterpret_cast<std::uint8_t*>(p);
}
}  // namespace reg

template <class M>
  requires is_mask<M> WEFT_INLINE M load(const bool* p)
noexcept {
  return reg::from_bytes<M>(load<reg::byte_lane<M>>(reg::bytes(p)));
}
template <class M>
  requires is_mask<M> WEFT_INLINE M load_partial(const bool* p, std::size_t n, bool fill = false)
noexcept {
  return reg::from_bytes<M>(load_partial<reg::byte_lane<M>>(reg::bytes(p), n, fill));
}
template <class M>
  requires is_mask<M> WEFT_INLINE M load_strided(const bool* p, std::int64_t stride, std::size_t n,
                                                 bool fill = false)
noexcept {
  return reg::from_bytes<M>(load_strided<reg::byte_lane<M>>(reg::bytes(p), stride, n, fill));
}
template <class T, std::size_t W, class A>
WEFT_INLINE void store(bool* p, mask<T, W, A> m) noexcept {
  store(reg::bytes(p), reg::to_bytes(m));
}
template <class T, std::size_t W, class A>
WEFT_INLINE void store_partial(bool* p, std::size_t n, mask<T, W, A> m) noexcept {
  store_partial(reg::bytes(p), n, reg::to_bytes(m));
}
template <class T, std::size_t W, class A>
WEFT_INLINE void store_strided(bool* p, std::int64_t stride, std::size_t n,
                               mask<T, W, A> m) noexcept {
  store_strided(reg::bytes(p), stride, n, reg::to_bytes(m));
}

}  // namespace weft::simd
