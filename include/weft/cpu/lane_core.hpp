// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <concepts>

#include <weft/cpu/lane_cast.hpp>
#include <weft/cpu/lane_integer_vector.hpp>

namespace weft::simd {

template <class T, std::size_t W, class A = xsimd::default_arch>
struct lane;
template <class T, std::size_t W, class A = xsimd::default_arch>
struct mask;

/// Values of T in one register of A.
template <class T, class A = xsimd::default_arch>
inline constexpr std::size_t native_width = sizeof(xsimd::types::simd_register<T, A>) / sizeof(T);

namespace reg {

// One register, or two lanes of half the width: whole programs of lanes then need no loop and no
// indexed array, which the optimisers would have to undo before they could use registers.
template <class T, std::size_t W, class A, bool = (W * sizeof(T) > native_bytes<T, A>)>
struct lane_data {
  static constexpr bool is_pair = false;
  vec<T, W> v;
};
template <class T, std::size_t W, class A>
struct lane_data<T, W, A, true> {
  static constexpr bool is_pair = true;
  lane<T, W / 2, A> lo, hi;
};
template <class T, std::size_t W, class A, bool = (W * sizeof(T) > native_bytes<T, A>)>
struct mask_data {
  static constexpr bool is_pair = false;
  mask_register<vec<T, W>> v;
};
template <class T, std::size_t W, class A>
struct mask_data<T, W, A, true> {
  static constexpr bool is_pair = true;
  mask<T, W / 2, A> lo, hi;
};

template <class M>
WEFT_INLINE M all_ones(bool x) noexcept {
  if constexpr (std::is_integral_v<M>)
    return x ? M(-1) : M(0);
  else
    return splat<M>(element_t<M>(x ? -1 : 0));
}
template <class M>
WEFT_INLINE M invert(M x) noexcept {
  return M(~x);
}

}  // namespace reg

#define WEFT_MASK_OP(op)                                         \
  WEFT_INLINE friend mask operator op(mask a, mask b) noexcept { \
    if constexpr (mask::is_pair)                                 \
      return mask(a.lo op b.lo, a.hi op b.hi);                   \
    else                                                         \
      return mask(typename mask::data_type(a.v op b.v));         \
  }

/// W truth values, in the form that comparing lanes of T gives.
template <class T, std::size_t W, class A>
struct mask : reg::mask_data<T, W, A> {
  static_assert(W > 1 && (W & (W - 1)) == 0, "the width of a mask is a power of two");
  using base = reg::mask_data<T, W, A>;
  using value_type = bool;
  using arch = A;
  using half = mask<T, W / 2, A>;
  using data_type = reg::mask_register<reg::vec<T, base::is_pair ? 2 : W>>;
  static constexpr std::size_t width = W;

  mask() = default;
  WEFT_INLINE explicit mask(data_type x) noexcept requires(!base::is_pair) : base{x} {}
  WEFT_INLINE mask(half lo, half hi) noexcept requires(base::is_pair) : base{lo, hi} {}
  /// x in every place
  template <std::same_as<bool> B>
  WEFT_INLINE mask(B x) noexcept : base(all(x)) {}

  WEFT_MASK_OP(&)
  WEFT_MASK_OP(|)
  WEFT_MASK_OP(^)
  WEFT_INLINE friend mask operator!(mask a) noexcept {
    if constexpr (mask::is_pair)
      return mask(!a.lo, !a.hi);
    else
      return mask(reg::invert(a.v));
  }
  WEFT_INLINE friend mask operator==(mask a, mask b) noexcept { return !(a ^ b); }
  WEFT_INLINE friend mask operator!=(mask a, mask b) noexcept { return a ^ b; }
  // false is less than true
  WEFT_INLINE friend mask operator<(mask a, mask b) noexcept { return (!a) & b; }
  WEFT_INLINE friend mask operator<=(mask a, mask b) noexcept { return (!a) | b; }
  WEFT_INLINE friend mask operator>(mask a, mask b) noexcept { return a & !b; }
  WEFT_INLINE friend mask operator>=(mask a, mask b) noexcept { return a | !b; }

  /// the value in place i
  WEFT_INLINE bool operator[](std::size_t i) const noexcept {
    if constexpr (base::is_pair)
      return i < W / 2 ? this->lo[i] : this->hi[i - W / 2];
    else if constexpr (std::is_integral_v<data_type>)
      return (this->v >> i) & 1;
    else
      return this->v[i] != 0;
  }

 private:
  WEFT_INLINE static base all(bool x) noexcept {
    if constexpr (base::is_pair)
      return base{half(x), half(x)};
    else
      return base{reg::all_ones<data_type>(x)};
  }
};
#undef WEFT_MASK_OP

#define WEFT_LANE_OP(op, f)                                      \
  WEFT_INLINE friend lane operator op(lane a, lane b) noexcept { \
    if constexpr (lane::is_pair)                                 \
      return lane(a.lo op b.lo, a.hi op b.hi);                   \
    else                                                         \
      return lane(reg::f(a.v, b.v));                             \
  }
#define WEFT_LANE_BITS(op, f)                                                                   \
  WEFT_INLINE friend lane operator op(lane a, lane b) noexcept requires std::is_integral_v<T> { \
    if constexpr (lane::is_pair)                                                                \
      return lane(a.lo op b.lo, a.hi op b.hi);                                                  \
    else                                                                                        \
      return lane(reg::f(a.v, b.v));                                                            \
  }
#define WEFT_LANE_RELATION(op, r, x, y)                                   \
  WEFT_INLINE friend mask<T, W, A> operator op(lane a, lane b) noexcept { \
    if constexpr (lane::is_pair)                                          \
      return mask<T, W, A>(a.lo op b.lo, a.hi op b.hi);                   \
    else                                                                  \
      return mask<T, W, A>(reg::compare<reg::relation::r>(x.v, y.v));     \
  }

/// W values of T, the value that the bodies of CPU kernels are evaluated on. T is uint8, int32,
/// uint32, int64, uint64, float or double; W a power of two, larger or smaller than a register.
template <class T, std::size_t W, class A>
struct lane : reg::lane_data<T, W, A> {
  static_assert(W > 1 && (W & (W - 1)) == 0, "the width of a lane is a power of two");
  static_assert(!std::is_same_v<T, bool>, "W truth values are a mask<T, W>");
  using base = reg::lane_data<T, W, A>;
  using value_type = T;
  using arch = A;
  using half = lane<T, W / 2, A>;
  using mask_type = mask<T, W, A>;
  using data_type = reg::vec<T, base::is_pair ? 2 : W>;
  static constexpr std::size_t width = W;

  lane() = default;
  WEFT_INLINE explicit lane(data_type x) noexcept requires(!base::is_pair) : base{x} {}
  WEFT_INLINE lane(half lo, half hi) noexcept requires(base::is_pair) : base{lo, hi} {}
  /// x in every place
  WEFT_INLINE lane(T x) noexcept : base(all(x)) {}

  WEFT_LANE_OP(+, add)
  WEFT_LANE_OP(-, sub)
  WEFT_LANE_OP(*, mul)
  WEFT_LANE_OP(/, divide)
  WEFT_LANE_BITS(&, bit_and)
  WEFT_LANE_BITS(|, bit_or)
  WEFT_LANE_BITS(^, bit_xor)
  WEFT_LANE_BITS(<<, shift_left)
  WEFT_LANE_BITS(>>, shift_right)
  WEFT_LANE_RELATION(==, eq, a, b)
  WEFT_LANE_RELATION(!=, ne, a, b)
  WEFT_LANE_RELATION(<, lt, a, b)
  WEFT_LANE_RELATION(<=, le, a, b)
  WEFT_LANE_RELATION(>, lt, b, a)
  WEFT_LANE_RELATION(>=, le, b, a)

  WEFT_INLINE friend lane operator-(lane a) noexcept {
    if constexpr (lane::is_pair)
      return lane(-a.lo, -a.hi);
    else
      return lane(reg::negate(a.v));
  }
  WEFT_INLINE friend lane operator~(lane a) noexcept requires std::is_integral_v<T> {
    if constexpr (lane::is_pair)
      return lane(~a.lo, ~a.hi);
    else
      return lane(~a.v);
  }
  WEFT_INLINE lane& operator+=(lane b) noexcept { return *this = *this + b; }
  WEFT_INLINE lane& operator-=(lane b) noexcept { return *this = *this - b; }
  WEFT_INLINE lane& operator*=(lane b) noexcept { return *this = *this * b; }
  WEFT_INLINE lane& operator/=(lane b) noexcept { return *this = *this / b; }

  /// the value in place i
  WEFT_INLINE T operator[](std::size_t i) const noexcept {
    if constexpr (base::is_pair)
      return i < W / 2 ? this->lo[i] : this->hi[i - W / 2];
    else
      return this->v[i];
  }

 private:
  WEFT_INLINE static base all(T x) noexcept {
    if constexpr (base::is_pair)
      return base{half(x), half(x)};
    else
      return base{reg::splat<data_type>(x)};
  }
};
#undef WEFT_LANE_OP
#undef WEFT_LANE_BITS
#undef WEFT_LANE_RELATION

template <class L>
using lane_value_t = typename L::value_type;
template <class L>
inline constexpr std::size_t width = L::width;

template <class X>
inline constexpr bool is_lane = false;
template <class T, std::size_t W, class A>
inline constexpr bool is_lane<lane<T, W, A>> = true;
template <class X>
inline constexpr bool is_mask = false;
template <class T, std::size_t W, class A>
inline constexpr bool is_mask<mask<T, W, A>> = true;

/// The lower and the upper half of a lane, and a lane of two halves.
template <class T, std::size_t W, class A>
WEFT_INLINE lane<T, W / 2, A> low_half(lane<T, W, A> x) noexcept {
  if constexpr (x.is_pair)
    return x.lo;
  else
    return lane<T, W / 2, A>(reg::low(x.v));
}
template <class T, std::size_t W, class A>
WEFT_INLINE lane<T, W / 2, A> high_half(lane<T, W, A> x) noexcept {
  if constexpr (x.is_pair)
    return x.hi;
  else
    return lane<T, W / 2, A>(reg::high(x.v));
}
/// The first places of a lane, in a register of 16 bytes.
template <class T, std::size_t W, class A>
WEFT_INLINE auto smallest(lane<T, W, A> x) noexcept {
  if constexpr (x.is_pair)
    return smallest(x.lo);
  else
    return lane<T, 16 / sizeof(T), A>(reg::smallest(x.v));
}
template <class T, std::size_t W, class A>
WEFT_INLINE lane<T, 2 * W, A> join(lane<T, W, A> lo, lane<T, W, A> hi) noexcept {
  if constexpr (lane<T, 2 * W, A>::is_pair)
    return lane<T, 2 * W, A>(lo, hi);
  else
    return lane<T, 2 * W, A>(reg::concat(lo.v, hi.v));
}

}  // namespace weft::simd
