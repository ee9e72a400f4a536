// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/kernel_values.hpp>
#include <weft/cpu/nest_rows.hpp>

// A kernel as a loop nest: rows, passes over a row, blocks of about 1,000 elements, vectors.
//
// Everything below is inlined into one function a kernel, and every node of the body is a variable
// of it. For that to work no array may be indexed by a loop counter and no address may leave the
// function: lists of accesses and nodes are walked by fold expressions, and what needs loops over
// them is done outside (nest_rows.hpp).
//
// A compiler optimizes an inlined function for itself first, so each level of calls costs it the
// whole body once more: there are few, and the packs that they need are the class's. The lists
// that are walked hold only the nodes for which there is something to do.
namespace weft::detail {

template <class K, class A, class Accesses, class Phases>
class nest_of;

/// One kernel, compiled once a program for each architecture that its units are built for.
template <class K, class A>
using nest = nest_of<K, A, typename kernel_facts<K, A>::all_accesses,
                     std::make_integer_sequence<int, K::value.phases>>;

template <class K, class A, int... J, int... P>
class nest_of<K, A, std::integer_sequence<int, J...>, std::integer_sequence<int, P...>>
    : kernel_values<K, A> {
  using facts = kernel_values<K, A>;
  using facts::accesses, facts::columns, facts::in_blocks, facts::reduces_rows, facts::segmented,
      facts::sizes, facts::steady, facts::W;
  using typename facts::node_list, typename facts::pointers, typename facts::state;
  template <int I>
  using element_of = value_t<K, I, A>;
  static constexpr int phases = K::value.phases;

  /// The numbers of a list.
  template <int N>
  using up_to = std::make_integer_sequence<int, N>;

  /// Values known before pass N: row loads before the first, then what follows from finished
  /// reductions. Those that are the same for all rows (constants, numbers) are computed once a
  /// call.
  template <int N, bool Uniform>
  static constexpr node_list rows_before = facts::row_nodes(N, Uniform);
  template <int I>
  [[gnu::always_inline]] static void row_value(state& s) {
    constexpr kernel_node n = K::value.nodes[I];
    if constexpr (n.load >= 0)
      get<I>(s.x) = load_node<K, I, A>(full_part{}, s.p, 0);
    else if constexpr (n.op == id_of<constant_>)
      get<I>(s.x) = constant_node<K, I, A>();
    else if constexpr (is_reduction(n.op))
      get<I>(s.x) = element_of<I>(static_cast<ctype<n.type>>(get<I>(s.acc).total));
    else if constexpr (facts::template in_small<I>)
      get<I>(s.x) = facts::template compute_small<I>(s);
    else
      get<I>(s.x) = facts::template compute<I>(s);
  }
  template <int N, bool Uniform, int... E>
  [[gnu::always_inline]] static void row_values(state& s, std::integer_sequence<int, E...>) {
    (row_value<rows_before<N, Uniform>.at[E]>(s), ...);
  }

  // The loops, from the inside out

  template <int N>
  static constexpr node_list steady_in = facts::steady_nodes(facts::template need<N>);
  template <int I>
  [[gnu::always_inline]] static void steady_value(state& s) {
    if constexpr (K::value.nodes[I].load >= 0)
      get<I>(s.x) = load_node<K, I, A>(full_part{}, s.p, 0);
    else
      get<I>(s.x) = facts::template compute<I>(s);
  }
  template <int N, int... E>
  [[gnu::always_inline]] static void steady_values(state& s, std::integer_sequence<int, E...>) {
    (steady_value<steady_in<N>.at[E]>(s), ...);
  }

  template <int N>
  static constexpr node_list elements_in = facts::element_nodes(facts::template need<N>);
  template <int N, int I, class Part>
  [[gnu::always_inline]] static void element_value(const Part& part, state& s, index_t i,
                                                   index_t flat) {
    constexpr kernel_node n = K::value.nodes[I];
    if constexpr (facts::template need<N>.computed[I] && !steady.has[I]) {
      if constexpr (n.load >= 0)
        get<I>(s.x) = load_node<K, I, A>(part, s.p, i);
      else
        get<I>(s.x) = facts::template compute<I>(s);
      if constexpr (n.kept && n.phase == N)
        simd::store(facts::template kept_at<I>(s, flat), get<I>(s.x));
    } else if constexpr (facts::template need<N>.reread[I]) {
      get<I>(s.x) = simd::load<element_of<I>>(facts::template kept_at<I>(s, flat));
    }
  }
  template <int N>
  static constexpr node_list stores_in = facts::pass_stores(N);
  template <int O, class Part>
  [[gnu::always_inline]] static void store_value(const Part& part, state& s, index_t i) {
    constexpr kernel_store w = K::value.stores[O];
    using T = ctype<w.type>;
    if constexpr (w.kind == store_kind::element) {
      T* to = reinterpret_cast<T*>(s.p.base[K::value.loads + O]);
      if constexpr (w.stride == stride_kind::strided)
        part.store_strided(to + i * s.p.step[K::value.loads + O], s.p.step[K::value.loads + O],
                           get<w.node>(s.x));
      else
        part.store(to + i, get<w.node>(s.x));
    } else {
      auto* to = facts::template column_sums<O>(s) + i;
      auto x = get<w.node>(s.x);
      simd::store(to, combined<w.reduce>(simd::load<decltype(x)>(to), x));
    }
  }
  /// Reductions that pass N computes.
  template <int N>
  static constexpr node_list ends_in = facts::reductions_of(N);
  template <int I, int U, class Part>
  [[gnu::always_inline]] static void add(const Part& part, state& s) {
    auto& a = get<I>(s.acc);
    a.template add<U>(part.keep(get<K::value.nodes[I].in[0]>(s.x), a.neutral()));
  }
  /// One vector of pass N at place i of the innermost loop (place `flat` of the row): number U of
  /// its loop's body, which has moved on by V vectors behind it.
  template <int N, int U, int V, class Part, int... E, int... O, int... R>
  [[gnu::always_inline]] static void vector_step(const Part& part, state& s, index_t i,
                                                 [[maybe_unused]] index_t flat,
                                                 std::integer_sequence<int, E...>,
                                                 std::integer_sequence<int, O...>,
                                                 std::integer_sequence<int, R...>) {
    (element_value<N, elements_in<N>.at[E]>(part, s, i, flat), ...);
    (add<ends_in<N>.at[R], U>(part, s), ...);
    (store_value<stores_in<N>.at[O]>(part, s, i), ...);
    if constexpr (V > 0) (get<ends_in<N>.at[R]>(s.acc).template move_on<V>(), ...);
  }
  template <int N>
  using elements = up_to<elements_in<N>.count>;
  template <int N>
  using stores = up_to<stores_in<N>.count>;
  template <int N>
  using ends = up_to<ends_in<N>.count>;

  template <int I>
  [[gnu::always_inline]] static void fold(state& s, index_t vectors, std::byte* partial) {
    auto& a = get<I>(s.acc);
    if (partial) a.open_total();
    a.fold(vectors);
    if (partial) std::memcpy(partial + 8 * I, &a.total, sizeof a.total);
  }
  template <int N, int... R>
  [[gnu::always_inline]] static void fold_all(state& s, index_t vectors, std::byte* partial,
                                              std::integer_sequence<int, R...>) {
    (fold<ends_in<N>.at[R]>(s, vectors, partial), ...);
  }
  /// Pass N over a row, U... vectors in an iteration.
  template <int N, int... U>
  [[gnu::always_inline]] static void phase(const row_run& r, state& s,
                                           std::integer_sequence<int, U...>) {
    if constexpr (rows_before<N, false>.count > 0)
      row_values<N, false>(s, up_to<rows_before<N, false>.count>{});
    if constexpr (facts::template runs<N>) {
      if constexpr (reduces_rows)
        if (s.part &&
            (in_blocks(s) ? s.part->phase != N : s.part->what == kernel_part::kind::finish_row))
          return;
      constexpr int at_once = static_cast<int>(sizeof...(U));
      std::byte* partial = nullptr;
      if constexpr (facts::template reduces<N>)
        if (in_blocks(s)) partial = s.part->partial;
      [[maybe_unused]] pointers start;
      if constexpr (segmented) ((start.base[J] = s.p.base[J]), ...);
      for (index_t segment = 0; !segmented || segment < s.segments;) {
        index_t flat = segment * s.inner;
        if constexpr (reduces_rows)
          if (in_blocks(s)) flat += s.part->first;
        if constexpr (steady_in<N>.count > 0) steady_values<N>(s, up_to<steady_in<N>.count>{});
        for (index_t block = 0; !facts::template reduces<N> || block < s.inner;) {
          const index_t end = facts::template reduces<N> && s.inner - block > block_elements
                                  ? block + block_elements
                                  : s.inner;
          index_t i = block;
          if constexpr (facts::template single<N>) {
            // Lanes are the same for all turns of the inner loop, so its masks are made before it.
            for (index_t lanes = W; i < end; lanes = end - i)
              for (; i + lanes <= end; i += W)
                vector_step<N, 0, 1>(tail_part{static_cast<std::size_t>(lanes)}, s, i, flat + i,
                                     elements<N>{}, stores<N>{}, ends<N>{});
          } else {
            if constexpr (at_once > 1)
              for (; i + at_once * W <= end; i += at_once * W)
                (vector_step<N, U, (U + 1 == at_once ? at_once : 0)>(
                     full_part{}, s, i + U * W, flat + i + U * W, elements<N>{}, stores<N>{},
                     ends<N>{}),
                 ...);
            if constexpr (facts::template whole_rest<N>) {
              for (; i + W <= end; i += W)
                vector_step<N, 0, 1>(full_part{}, s, i, flat + i, elements<N>{}, stores<N>{},
                                     ends<N>{});
              if (i < end) {
                vector_step<N, 0, 1>(tail_part{static_cast<std::size_t>(end - i)}, s, i, flat + i,
                                     elements<N>{}, stores<N>{}, ends<N>{});
                i += W;
              }
            } else {
              for (; i < end; i += W)
                vector_step<N, 0, 1>(tail_part{static_cast<std::size_t>(end - i < W ? end - i : W)},
                                     s, i, flat + i, elements<N>{}, stores<N>{}, ends<N>{});
            }
          }
          if constexpr (facts::template reduces<N>) {
            fold_all<N>(s, (i - block) / W, partial, ends<N>{});
            if (partial) partial += 8 * K::value.size;
          } else {
            break;
          }
          block = end;
        }
        if constexpr (!segmented) break;
        if (++segment >= s.segments) break;
        index_t by[static_cast<std::size_t>(accesses + 1)];
        locate<A>(r.call, r.call.rows, r.call.segments, segment, accesses, sizes.of, by);
        ((s.p.base[J] = moved(start.base[J], by[J])), ...);
      }
      if constexpr (segmented) ((s.p.base[J] = start.base[J]), ...);
    }
  }

  static constexpr node_list reductions = facts::reductions_of(-1);
  template <int I>
  [[gnu::always_inline]] static void open(state& s) {
    get<I>(s.acc).open();
    if (s.part) {
      auto& total = get<I>(s.acc).total;
      if (s.part->totals) std::memcpy(&total, s.part->totals + 8 * I, sizeof total);
    }
  }
  template <int... R>
  [[gnu::always_inline]] static void open_all(state& s, std::integer_sequence<int, R...>) {
    (open<reductions.at[R]>(s), ...);
  }
  static constexpr node_list row_stores = facts::stores_of(store_kind::row);
  template <int O>
  [[gnu::always_inline]] static void store_row(state& s) {
    using T = ctype<K::value.stores[O].type>;
    simd::store_partial(reinterpret_cast<T*>(s.p.base[K::value.loads + O]), 1,
                        get<K::value.stores[O].node>(s.x));
  }
  template <int... O>
  [[gnu::always_inline]] static void store_rows(state& s, std::integer_sequence<int, O...>) {
    (store_row<row_stores.at[O]>(s), ...);
  }

  // Rows

  /// A run of rows, at least one.
  [[gnu::noinline]] static void rows(const row_run& r) {
    state s;
    s.part = r.call.part;
    s.scratch = r.call.scratch;
    s.inner = r.inner;
    s.segments = r.segments;
    s.row = r.row;
    pointers along;
    ((s.p.base[J] = r.base[J], s.p.step[J] = r.step[J], along.step[J] = r.to_next_row[J]), ...);
    if constexpr (rows_before<0, true>.count > 0)
      row_values<0, true>(s, up_to<rows_before<0, true>.count>{});
    for (index_t left = r.rows;;) {
      if constexpr (reduces_rows) open_all(s, up_to<reductions.count>{});
      (phase<P>(r, s, up_to<facts::template unroll<P>>{}), ...);
      bool whole = true;
      if constexpr (reduces_rows) whole = !in_blocks(s);
      if (whole) {
        if constexpr (rows_before<phases, false>.count > 0)
          row_values<phases, false>(s, up_to<rows_before<phases, false>.count>{});
        if constexpr (row_stores.count > 0) store_rows(s, up_to<row_stores.count>{});
      }
      if (--left == 0) break;
      ((s.p.base[J] = moved(s.p.base[J], along.step[J])), ...);
    }
  }

  /// What the loops around are told of the kernel.
  struct table_parts {
    nest_table::column columns[static_cast<std::size_t>(K::value.store_count + 1)]{};
    nest_table::reduction reductions[static_cast<std::size_t>(K::value.size + 1)]{};
  };
  template <int... C, int... R>
  static constexpr table_parts parts_of(std::integer_sequence<int, C...>,
                                        std::integer_sequence<int, R...>) {
    return {{{K::value.loads + columns.at[C],
              &column_code<K::value.stores[columns.at[C]].reduce,
                           ctype<K::value.stores[columns.at[C]].type>, A>::value}...},
            {{reductions.at[R], K::value.nodes[reductions.at[R]].phase,
              &fold_blocks<K::value.nodes[reductions.at[R]].op,
                           ctype<K::value.nodes[reductions.at[R]].type>, A>}...}};
  }
  static constexpr table_parts parts = parts_of(up_to<columns.count>{}, up_to<reductions.count>{});
  static constexpr nest_table table{
      &rows,     K::value.size, accesses,         sizes.of,      kept_count(K::value),
      segmented, columns.count, reductions.count, parts.columns, parts.reductions};

 public:
  static void run(const kernel_call& c) {
    if constexpr (accesses > 0) nest_call<A>::run(c, table);
  }
};

}  // namespace weft::detail
