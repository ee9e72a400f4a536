// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/lane.hpp>
#include <weft/cpu/lane_half.hpp>
#include <weft/cpu/lane_math.hpp>
#include <weft/cpu/lane_reduce.hpp>
#include <weft/plan/encode.hpp>
#include <weft/plan/phases.hpp>

#include <cstring>
#include <utility>

// A kernel's body as lanes: what each node of it computes, for a full vector and for the last part
// of one.
namespace weft::detail {

/// Lanes of a kernel: as many as a register holds of its narrowest numbers.
template <class K, class A>
inline constexpr std::size_t kernel_width = lane_bytes(K::value) == 4
                                                ? simd::native_width<float, A>
                                                : simd::native_width<double, A>;

template <class K, int I, class A>
struct value_of {
  static constexpr dtype lane = K::value.nodes[I].lane;
  using lanes = std::conditional_t<
      K::value.nodes[I].type == dtype::boolean, simd::mask<ctype<lane>, kernel_width<K, A>, A>,
      simd::lane<ctype<lane == dtype::boolean ? dtype::float32 : lane>, kernel_width<K, A>, A>>;
};
template <class K, int I, class A>
using value_t = typename value_of<K, I, A>::lanes;

template <std::size_t I, class T>
struct slot {
  T value;
};
template <class K, class A, class Sequence>
struct slots;
template <class K, class A, std::size_t... I>
struct slots<K, A, std::index_sequence<I...>> : slot<I, value_t<K, static_cast<int>(I), A>>... {};

/// One value for each node of a kernel; those that a pass does not compute are never touched.
template <class K, class A>
using values = slots<K, A, std::make_index_sequence<static_cast<std::size_t>(K::value.size)>>;

template <int I, class T>
[[gnu::always_inline]] inline T& get(slot<static_cast<std::size_t>(I), T>& s) {
  return s.value;
}

/// A vector of the inner loop that is full.
struct full_part {
  template <class L, class P>
  [[gnu::always_inline]] static L load(const P* p) {
    return simd::load<L>(p);
  }
  template <class L, class P>
  [[gnu::always_inline]] static L load_strided(const P* p, index_t stride) {
    return simd::load_strided<L>(p, stride, L::width, P(1));
  }
  template <class L, class P>
  [[gnu::always_inline]] static void store(P* p, L x) {
    simd::store(p, x);
  }
  template <class L, class P>
  [[gnu::always_inline]] static void store_strided(P* p, index_t stride, L x) {
    simd::store_strided(p, stride, L::width, x);
  }
  template <class L>
  [[gnu::always_inline]] static L keep(L x, L) {
    return x;
  }
};

/// The last, partial vector: the same functions on fewer lanes.
struct tail_part {
  std::size_t n;
  template <class L, class P>
  [[gnu::always_inline]] L load(const P* p) const {
    return simd::load_partial<L>(p, n, P(1));
  }
  template <class L, class P>
  [[gnu::always_inline]] L load_strided(const P* p, index_t stride) const {
    return simd::load_strided<L>(p, stride, n, P(1));
  }
  template <class L, class P>
  [[gnu::always_inline]] void store(P* p, L x) const {
    simd::store_partial(p, n, x);
  }
  template <class L, class P>
  [[gnu::always_inline]] void store_strided(P* p, index_t stride, L x) const {
    simd::store_strided(p, stride, n, x);
  }
  /// x in the lanes that exist, the neutral element in the others.
  template <class L>
  [[gnu::always_inline]] L keep(L x, L neutral) const {
    using T = simd::lane_value_t<L>;
    return select(simd::iota<L>(T(0)) < L(static_cast<T>(n)), x, neutral);
  }
};

/// Pointers of a row's accesses, moved to the current segment, and their innermost strides.
template <int N>
struct row_pointers {
  std::byte* base[static_cast<std::size_t>(N + 1)];
  index_t step[static_cast<std::size_t>(N + 1)];
};

/// The numbers that lanes are of, or whose comparison a mask comes from.
template <class L>
struct lane_number {
  using type = typename L::value_type;
};
template <class T, std::size_t W, class A>
struct lane_number<simd::mask<T, W, A>> {
  using type = T;
};

template <class To, class X>
[[gnu::always_inline]] inline auto fitted(X x) {
  if constexpr (simd::is_mask<X> && !std::is_same_v<To, X>)
    return simd::convert_mask<typename lane_number<To>::type>(x);
  else
    return x;
}

/// Applies op I of kernel K to operand values.
template <class K, int I, class A, class... X>
[[gnu::always_inline]] inline value_t<K, I, A> apply_node(X... x) {
  constexpr kernel_node n = K::value.nodes[I];
  using Op = type_at<primitives, n.op>;
  using To = value_t<K, I, A>;
  if constexpr (n.op == id_of<cast_> && is_half_type<ctype<n.type>>) {
    return simd::rounded_to<ctype<n.type>>(x...);
  } else if constexpr (n.op == id_of<cast_>) {
    return fitted<To>(simd::convert<ctype<n.type>>(x...));
  } else if constexpr (Op::types == typing::select) {
    return [](auto c, auto a, auto b) { return select(c, fitted<To>(a), fitted<To>(b)); }(x...);
  } else if constexpr (simd::is_mask<To>) {
    return fitted<To>(Op::cpu(fitted<std::conditional_t<(simd::is_mask<X> && ...), To, X>>(x)...));
  } else {
    return Op::cpu(x...);
  }
}

template <class K, int I, class A>
[[gnu::always_inline]] inline value_t<K, I, A> constant_node() {
  constexpr kernel_node n = K::value.nodes[I];
  if constexpr (n.type == dtype::boolean) {
    using L = simd::lane<ctype<n.lane>, kernel_width<K, A>, A>;
    return L(ctype<n.lane>(n.bits != 0 ? 1 : 0)) != L(ctype<n.lane>(0));
  } else if constexpr (is_floating(n.type)) {
    return value_t<K, I, A>(static_cast<ctype<n.type>>(std::bit_cast<double>(n.bits)));
  } else {
    return value_t<K, I, A>(static_cast<ctype<n.type>>(n.bits));
  }
}

/// A value that does not change along the innermost loop, or a vector of one that does.
template <class K, int I, class A, class Part, int N>
[[gnu::always_inline]] inline value_t<K, I, A> load_node(const Part& part, const row_pointers<N>& p,
                                                         index_t i) {
  constexpr kernel_node n = K::value.nodes[I];
  using L = value_t<K, I, A>;
  using T = ctype<n.type>;
  if constexpr (n.op == id_of<iota_>) {
    const auto start = reinterpret_cast<std::uintptr_t>(p.base[n.load]);
    if constexpr (n.stride == stride_kind::none)
      return L(static_cast<T>(start));
    else if constexpr (n.stride == stride_kind::unit)
      return simd::iota<L>(static_cast<T>(start + static_cast<std::uint64_t>(i)));
    else
      return L(static_cast<T>(start)) +
             (simd::iota<L>(static_cast<T>(i)) * L(static_cast<T>(p.step[n.load])));
  } else {
    const T* from = reinterpret_cast<const T*>(p.base[n.load]);
    if constexpr (n.stride == stride_kind::unit) {
      return part.template load<L>(from + i);
    } else if constexpr (n.stride == stride_kind::strided) {
      return part.template load_strided<L>(from + i * p.step[n.load], p.step[n.load]);
    } else if constexpr (n.type == dtype::boolean) {
      using V = simd::lane<ctype<n.lane>, kernel_width<K, A>, A>;
      return V(ctype<n.lane>(*from ? 1 : 0)) != V(ctype<n.lane>(0));
    } else {
      return L(static_cast<typename L::value_type>(*from));
    }
  }
}

}  // namespace weft::detail
