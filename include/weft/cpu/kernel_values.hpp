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
  using all_accesses = std::make_integer_sequence<int, accesses>;
  using pointers = row_pointers<accesses>;
  template <int I>
  using element_of = value_t<K, I, A>;

  /// All that a row is computed from and leaves behind.
  struct state {
    values<K, A> r;  ///< row level
    values<K, A>
        v;  ///< element level: of the vector at hand, and those that do not change along the loop
    accumulators acc;
    pointers p;
    std::byte* scratch;
    const kernel_part* part;
    index_t inner, row, segments;
  };

  // Values of nodes

  template <int I>
  [[gnu::always_inline]] static auto& value(state& s) {
    if constexpr (K::value.nodes[I].at == level::row)
      return get<I>(s.r);
    else
      return get<I>(s.v);
  }
  template <int I, int... J>
  [[gnu::always_inline]] static element_of<I> compute(state& s, std::integer_sequence<int, J...>) {
    return apply_node<K, I, A>(value<K::value.nodes[I].in[J]>(s)...);
  }
  template <int I>
  [[gnu::always_inline]] static element_of<I> compute(state& s) {
    return compute<I>(s, std::make_integer_sequence<int, facts::arity_of(I)>{});
  }

  /// As an address: it may be null, of an empty tensor, or a position.
  [[gnu::always_inline]] static std::byte* moved(std::byte* p, index_t by) {
    return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(p) +
                                        static_cast<std::uintptr_t>(by));
  }
  template <int... J>
  [[gnu::always_inline]] static void move_to(pointers& p, const pointers& start, const index_t* by,
                                             std::integer_sequence<int, J...>) {
    ((p.base[J] = moved(start.base[J], by[J])), ...);
  }

  [[gnu::always_inline]] static bool in_blocks(const state& s) {
    return s.part && s.part->what == kernel_part::kind::blocks;
  }
  /// How often loops first, ..., last - 1 turn. (The empty asm keeps compilers from vector code for
  /// a loop of no turn.)
  [[gnu::always_inline]] static index_t count(const kernel_call& c, int first, int last) {
    index_t n = 1;
    for (int l = first; l < last; ++l) {
      n *= c.extent[l];
      __asm__("" : "+r"(n));
    }
    return n;
  }

  /// Where a kept value of a row, or a column's sums, lie in scratch.
  template <int I>
  [[gnu::always_inline]] static auto* kept_at(const state& s, index_t flat) {
    return reinterpret_cast<ctype<K::value.nodes[I].type>*>(
               s.scratch + static_cast<std::size_t>(facts::kept_before(I)) * row_bytes(s.row)) +
           flat;
  }
  template <int S>
  [[gnu::always_inline]] static std::byte* column_at(const state& s, bool total) {
    constexpr int before = facts::columns_before(S);
    return s.scratch + static_cast<std::size_t>(kept_count(K::value)) * row_bytes(s.row) +
           static_cast<std::size_t>(2 * before + total) * row_bytes(s.inner);
  }
};

}  // namespace weft::detail
