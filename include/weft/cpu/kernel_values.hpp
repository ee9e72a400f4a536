// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/kernel_facts.hpp>

namespace weft::detail {

/// The values of a kernel's nodes while it runs: variables of one function, where all of this is
/// inlined.
template <class K, class A>
struct kernel_values : kernel_facts<K, A> {
  using facts = kernel_facts<K, A>;
  using facts::accesses;
  using typename facts::accumulators;
  using pointers = row_pointers<accesses>;
  template <int I>
  using element_of = value_t<K, I, A>;

  /// All that a row is computed from and leaves behind.
  struct state {
    values<K, A> x;  ///< of a row, or of the vector at hand
    accumulators acc;
    pointers p;
    std::byte* scratch;
    const kernel_part* part;
    index_t inner, row, segments;
  };

  // Values of nodes

  template <int I>
  [[gnu::always_inline]] static element_of<I> compute(state& s) {
    constexpr kernel_node n = K::value.nodes[I];
    constexpr int arity = facts::arity_of(I);
    if constexpr (arity == 0)
      return apply_node<K, I, A>();
    else if constexpr (arity == 1)
      return apply_node<K, I, A>(get<n.in[0]>(s.x));
    else if constexpr (arity == 2)
      return apply_node<K, I, A>(get<n.in[0]>(s.x), get<n.in[1]>(s.x));
    else
      return apply_node<K, I, A>(get<n.in[0]>(s.x), get<n.in[1]>(s.x), get<n.in[2]>(s.x));
  }

  /// Whether a value of a row is computed in a small register: divisions and roots take half as
  /// long there, and a row waits for them.
  template <int I>
  static constexpr bool in_small = [] {
    constexpr op_id op = K::value.nodes[I].op;
    return (op == id_of<divide_> || op == id_of<sqrt_> ||
            op == id_of<rsqrt_>)&&is_floating(K::value.nodes[I].type) &&
           sizeof(element_of<I>) > 16;
  }();
  template <int I>
  [[gnu::always_inline]] static element_of<I> compute_small(state& s) {
    constexpr kernel_node n = K::value.nodes[I];
    using Op = type_at<primitives, n.op>;
    if constexpr (facts::arity_of(I) == 1)
      return element_of<I>(Op::cpu(simd::smallest(get<n.in[0]>(s.x)))[0]);
    else
      return element_of<I>(
          Op::cpu(simd::smallest(get<n.in[0]>(s.x)), simd::smallest(get<n.in[1]>(s.x)))[0]);
  }
  [[gnu::always_inline]] static bool in_blocks(const state& s) {
    return s.part && s.part->what == kernel_part::kind::blocks;
  }
  /// Where a kept value of a row, or a column's sums, lie in scratch.
  template <int I>
  [[gnu::always_inline]] static auto* kept_at(const state& s, index_t flat) {
    return reinterpret_cast<ctype<K::value.nodes[I].type>*>(
               s.scratch + static_cast<std::size_t>(facts::kept_before(I)) * row_bytes(s.row)) +
           flat;
  }
  /// The sums of store O, a column.
  template <int O>
  [[gnu::always_inline]] static auto* column_sums(const state& s) {
    using T = computed_type<ctype<K::value.stores[O].type>>;
    constexpr int before = facts::columns_before(O);
    return reinterpret_cast<T*>(s.scratch +
                                static_cast<std::size_t>(kept_count(K::value)) * row_bytes(s.row) +
                                static_cast<std::size_t>(2 * before) * row_bytes(s.inner));
  }
};

}  // namespace weft::detail
