// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/kernel_call.hpp>

namespace weft::detail {

/// What is known of a kernel before it runs: all of it is computed by the compiler.
template <class K, class A>
struct kernel_facts {
  static constexpr index_t W = static_cast<index_t>(kernel_width<K, A>);
  static constexpr int accesses = K::value.loads + K::value.store_count;
  using all_nodes = std::make_integer_sequence<int, K::value.size>;
  using all_accesses = std::make_integer_sequence<int, accesses>;

  static constexpr int size_of_access(int a) {
    if (a >= K::value.loads) return size_of(K::value.stores[a - K::value.loads].type);
    for (int i = 0; i < K::value.size; ++i)
      if (K::value.nodes[i].load == a)
        return K::value.nodes[i].op == id_of<iota_> ? 1 : size_of(K::value.nodes[i].type);
    return 1;
  }
  struct size_table {
    int of[static_cast<std::size_t>(accesses + 1)];
  };
  static constexpr size_table sizes = [] {
    size_table t{};
    for (int a = 0; a < accesses; ++a) t.of[a] = size_of_access(a);
    return t;
  }();
  static constexpr int arity_of(int i) {
    return K::value.nodes[i].load >= 0 ? 0 : info(K::value.nodes[i].op).arity;
  }

  /// Element values that do not change along the innermost loop: they are computed before it.
  struct node_set {
    bool has[static_cast<std::size_t>(K::value.size + 1)];
  };
  static constexpr node_set steady = [] {
    node_set s{};
    for (int i = 0; i < K::value.size; ++i) {
      const kernel_node& n = K::value.nodes[i];
      if (n.at == level::row) continue;
      s.has[i] = n.load >= 0 ? n.stride == stride_kind::none : !n.kept;
      for (int j = 0; j < arity_of(i); ++j)
        s.has[i] = s.has[i] && (K::value.nodes[n.in[j]].at == level::row || s.has[n.in[j]]);
    }
    return s;
  }();

  template <int P>
  static constexpr auto need = needs<K::value.size>(K::value, P);

  static constexpr bool ends_at(int i, int p) {
    return is_reduction(K::value.nodes[i].op) && K::value.nodes[i].phase == p + 1;
  }

  /// Nodes, or stores, for which something is to be done.
  struct node_list {
    int count = 0;
    int at[static_cast<std::size_t>(K::value.size + K::value.store_count + 1)]{};
  };
  /// Row values that are known before pass p.
  static constexpr node_list row_nodes(int p, bool uniform) {
    node_list r;
    for (int i = 0; i < K::value.size; ++i) {
      const kernel_node& n = K::value.nodes[i];
      if (n.at == level::row && n.phase == p && n.uniform == uniform) r.at[r.count++] = i;
    }
    return r;
  }
  /// Element values that a pass needs, before its loop and within.
  static constexpr node_list steady_nodes(const phase_need<K::value.size>& need) {
    node_list r;
    for (int i = 0; i < K::value.size; ++i)
      if (steady.has[i] && need.computed[i]) r.at[r.count++] = i;
    return r;
  }
  static constexpr node_list element_nodes(const phase_need<K::value.size>& need) {
    node_list r;
    for (int i = 0; i < K::value.size; ++i)
      if ((need.computed[i] && !steady.has[i]) || need.reread[i]) r.at[r.count++] = i;
    return r;
  }
  static constexpr node_list pass_stores(int p) {
    node_list r;
    for (int i = 0; i < K::value.store_count; ++i)
      if (K::value.stores[i].kind != store_kind::row && K::value.stores[i].phase == p)
        r.at[r.count++] = i;
    return r;
  }
  static constexpr node_list stores_of(store_kind kind) {
    node_list r;
    for (int i = 0; i < K::value.store_count; ++i)
      if (K::value.stores[i].kind == kind) r.at[r.count++] = i;
    return r;
  }
  static constexpr node_list columns = stores_of(store_kind::column);
  /// Reductions that pass p computes; -1: all of them.
  static constexpr node_list reductions_of(int p) {
    node_list r;
    for (int i = 0; i < K::value.size; ++i)
      if (p < 0 ? is_reduction(K::value.nodes[i].op) : ends_at(i, p)) r.at[r.count++] = i;
    return r;
  }
  template <int P>
  static constexpr bool reduces = reductions_of(P).count > 0;
  static constexpr bool reduces_rows = reductions_of(-1).count > 0;
  /// Whether a row may have several segments.
  static constexpr bool segmented = reduces_rows || columns.count > 0;
  template <int P>
  static constexpr bool runs = [] {
    if (reduces<P>) return true;
    for (int s = 0; s < K::value.store_count; ++s)
      if (K::value.stores[s].kind != store_kind::row && K::value.stores[s].phase == P) return true;
    return false;
  }();
  /// About how many operations a vector of pass P takes.
  template <int P>
  static constexpr int work = [] {
    int n = 0;
    for (int i = 0; i < K::value.size; ++i)
      if (need<P>.computed[i]) n += is_expensive(K::value.nodes[i].op) ? 6 : 1;
    return n;
  }();
  /// Whether a part of a vector is loaded and stored as fast as all of it (by the masks of
  /// AVX-512). Then a body that is not small exists once, for full vectors and the last one.
  static constexpr bool masked = [] {
    // Halves and truth values have no such masks.
    for (int i = 0; i < K::value.size; ++i)
      if (K::value.nodes[i].load >= 0 && size_of(K::value.nodes[i].type) < 4) return false;
    for (int s = 0; s < K::value.store_count; ++s)
      if (size_of(K::value.stores[s].type) < 4) return false;
    return sizeof(xsimd::types::simd_register<float, A>) == 64;
  }();
  template <int P>
  static constexpr bool single = work<P> > 8 && masked;
  /// Vectors of an iteration: several where a small body would be less work than the loop.
  template <int P>
  static constexpr int unroll = !reduces<P> || single<P>      ? 1
                                : work<P> <= (masked ? 4 : 8) ? 4
                                : work<P> <= 24               ? 2
                                                              : 1;
  /// Whether whole vectors that are too few for an iteration have a loop of their own; else they go
  /// with the last part of one.
  template <int P>
  static constexpr bool whole_rest = unroll<P> != 2;

  template <int I>
  using element_of = value_t<K, I, A>;
  template <int I>
  struct accumulator_at {
    using T = ctype<K::value.nodes[I].type>;
    using type = accumulator<element_of<I>, T, K::value.nodes[I].op>;
  };
  template <int I, bool Used>
  struct accumulator_slot {};
  template <int I>
  struct accumulator_slot<I, true>
      : slot<static_cast<std::size_t>(I), typename accumulator_at<I>::type> {};
  template <class Sequence>
  struct accumulators_of;
  template <int... I>
  struct accumulators_of<std::integer_sequence<int, I...>>
      : accumulator_slot<I, is_reduction(K::value.nodes[I].op)>... {};
  using accumulators = accumulators_of<all_nodes>;

  /// How many values before node i are kept, and how many columns come before store s.
  static constexpr int kept_before(int i) {
    int n = 0;
    for (int j = 0; j < i; ++j) n += K::value.nodes[j].kept;
    return n;
  }
  static constexpr int columns_before(int s) {
    int n = 0;
    for (int j = 0; j < s; ++j) n += K::value.stores[j].kind == store_kind::column;
    return n;
  }
};

}  // namespace weft::detail
