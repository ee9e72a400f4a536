// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/kernel_values.hpp>

// A kernel as a loop nest: rows, passes over a row, blocks of about 1,000 elements, vectors.
//
// Everything below is inlined into one function a kernel, and every node of the body is a variable
// of it. For that to work no array may be indexed by a loop counter and no address may leave the
// function: lists of accesses and nodes are walked by fold expressions, and what needs loops over
// them is done outside (locate).
//
// A compiler optimizes an inlined function for itself first, so each level of calls costs it the
// whole body once more: there are few, and the packs that they need are the class's. The lists
// that are walked hold only the nodes for which there is something to do.
namespace weft::detail {

template <class K, class A, class Accesses, class Columns, class Phases>
class nest_of;

/// One kernel, compiled once a program for each architecture that its units are built for.
template <class K, class A>
using nest = nest_of<K, A, typename kernel_facts<K, A>::all_accesses,
                     std::make_integer_sequence<int, kernel_facts<K, A>::columns.count>,
                     std::make_integer_sequence<int, K::value.phases>>;

template <class K, class A, int... J, int... C, int... P>
class nest_of<K, A, std::integer_sequence<int, J...>, std::integer_sequence<int, C...>,
              std::integer_sequence<int, P...>> : kernel_values<K, A> {
  using facts = kernel_values<K, A>;
  using facts::accesses, facts::columns, facts::has_columns, facts::count, facts::in_blocks,
      facts::moved, facts::reduces_rows, facts::sizes, facts::steady, facts::W;
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
  static constexpr node_list elements_in = facts::element_nodes(facts::template need<N>, N);
  template <int N, int U, int I, class Part>
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
    if constexpr (facts::ends_at(I, N)) {
      auto& a = get<I>(s.acc);
      a.template add<U>(part.keep(get<n.in[0]>(s.x), a.neutral()));
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
      auto* to = facts::template column<O>::sums(s) + i;
      auto x = get<w.node>(s.x);
      simd::store(to, combined<w.reduce>(simd::load<decltype(x)>(to), x));
    }
  }
  /// Reductions that pass N computes.
  template <int N>
  static constexpr node_list ends_in = facts::reductions_of(N);
  /// One vector of pass N at place i of the innermost loop (place `flat` of the row): number U of
  /// its loop's body, which has moved on by V vectors behind it.
  template <int N, int U, int V, class Part, int... E, int... O, int... R>
  [[gnu::always_inline]] static void vector_step(const Part& part, state& s, index_t i,
                                                 [[maybe_unused]] index_t flat,
                                                 std::integer_sequence<int, E...>,
                                                 std::integer_sequence<int, O...>,
                                                 std::integer_sequence<int, R...>) {
    (element_value<N, U, elements_in<N>.at[E]>(part, s, i, flat), ...);
    (store_value<stores_in<N>.at[O]>(part, s, i), ...);
    if constexpr (V > 0) (get<ends_in<N>.at[R]>(s.acc).template move_on<V>(), ...);
  }
  template <int N>
  using elements = up_to<elements_in<N>.count>;
  template <int N>
  using stores = up_to<stores_in<N>.count>;
  template <int N>
  using ends = up_to<ends_in<N>.count>;
  template <int N, int... U>
  [[gnu::always_inline]] static void vector_steps(state& s, index_t i, index_t flat,
                                                  std::integer_sequence<int, U...>) {
    constexpr int n = static_cast<int>(sizeof...(U));
    (vector_step < N, U,
     U + 1 == n
         ? n
         : 0 > (full_part{}, s, i + U * W, flat + U * W, elements<N>{}, stores<N>{}, ends<N>{}),
     ...);
  }

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
  template <int N>
  [[gnu::always_inline]] static void phase(const kernel_call& c, state& s) {
    if constexpr (rows_before<N, false>.count > 0)
      row_values<N, false>(s, up_to<rows_before<N, false>.count>{});
    if constexpr (facts::template runs<N>) {
      if constexpr (reduces_rows)
        if (s.part &&
            (in_blocks(s) ? s.part->phase != N : s.part->what == kernel_part::kind::finish_row))
          return;
      constexpr int U = facts::template unroll<N>;
      pointers start;
      ((start.base[J] = s.p.base[J]), ...);
      std::byte* partial = nullptr;
      if constexpr (facts::template reduces<N>)
        if (in_blocks(s)) partial = s.part->partial;
      for (index_t segment = 0; segment < s.segments;) {
        const index_t flat = segment * s.inner + (in_blocks(s) ? s.part->first : 0);
        if constexpr (steady_in<N>.count > 0) steady_values<N>(s, up_to<steady_in<N>.count>{});
        for (index_t block = 0; block < s.inner;) {
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
            if constexpr (U > 1)
              for (; i + U * W <= end; i += U * W) vector_steps<N>(s, i, flat + i, up_to<U>{});
            if constexpr (U != 2)
              for (; i + W <= end; i += W)
                vector_step<N, 0, 1>(full_part{}, s, i, flat + i, elements<N>{}, stores<N>{},
                                     ends<N>{});
            for (; i < end; i += W)
              vector_step<N, 0, 1>(tail_part{static_cast<std::size_t>(end - i < W ? end - i : W)},
                                   s, i, flat + i, elements<N>{}, stores<N>{}, ends<N>{});
          }
          if constexpr (facts::template reduces<N>) {
            fold_all<N>(s, (i - block) / W, partial, ends<N>{});
            if (partial) partial += 8 * K::value.size;
          }
          block = end;
        }
        if (++segment >= s.segments) break;
        index_t by[static_cast<std::size_t>(accesses + 1)];
        locate<A>(c, c.rows, c.segments, segment, accesses, sizes.of, by);
        ((s.p.base[J] = moved(start.base[J], by[J])), ...);
      }
      ((s.p.base[J] = start.base[J]), ...);
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

  // Columns

  /// The rows of a call that one column sums, and those done.
  struct column_rows_done {
    index_t summed = 1, done = 0, in_chunk = 0;
    int kept_loops = 0;
  };
  template <int O>
  static void open_chunk(const state& s) {
    using at = typename facts::template column<O>;
    fill_columns<typename at::T, A>(at::sums(s), s.inner + W, neutral_of<at::op, typename at::T>());
  }
  /// Ends a chunk of rows; the last one writes the columns.
  template <int O>
  static void close_chunk(const kernel_call& c, const state& s, const column_rows_done& d,
                          index_t row) {
    using at = typename facts::template column<O>;
    using T = typename at::T;
    if (s.part) {
      write_columns<T, T, A>(at::chunk(s, (row - 1) / column_rows), 1, at::sums(s), s.inner);
      return;
    }
    const bool last = d.done == d.summed;
    if (d.done <= column_rows && last) return write<O>(c, s, d, row, at::sums(s));
    if (d.done <= column_rows)
      fill_columns<typename at::total, A>(at::totals(s), s.inner,
                                          neutral_of<at::op, typename at::total>());
    add_columns<at::op, T, A>(at::totals(s), at::sums(s), s.inner);
    if (last) write<O>(c, s, d, row, at::totals(s));
  }
  template <int O>
  static void finish_chunks(const kernel_call& c, const state& s, const column_rows_done& d) {
    using at = typename facts::template column<O>;
    fill_columns<typename at::total, A>(at::totals(s), s.inner,
                                        neutral_of<at::op, typename at::total>());
    for (index_t n = 0; n < s.part->count; ++n)
      add_columns<at::op, typename at::T, A>(at::totals(s), at::chunk(s, n), s.inner);
    write<O>(c, s, d, d.summed, at::totals(s));
  }
  template <int O, class From>
  static void write(const kernel_call& c, const state& s, const column_rows_done& d, index_t row,
                    const From* from) {
    using T = ctype<K::value.stores[O].type>;
    constexpr int a = K::value.loads + O;
    index_t by[static_cast<std::size_t>(accesses + 1)];
    locate<A>(c, 0, d.kept_loops, d.summed ? (row - 1) / d.summed : row, accesses, sizes.of, by);
    write_columns<T, From, A>(reinterpret_cast<T*>(moved(c.base[a], by[a])), s.p.step[a], from,
                              s.inner);
  }

  // Rows

  template <int I>
  static void finish_blocks(state& s) {
    if (s.part->phase + 1 != K::value.nodes[I].phase) return;
    get<I>(s.acc).open_total();
    auto total = get<I>(s.acc).total, one = total;
    for (index_t b = 0; b < s.part->count; ++b) {
      std::memcpy(&one, s.part->partial + 8 * (b * K::value.size + I), sizeof one);
      total = combined<K::value.nodes[I].op>(total, one);
    }
    std::memcpy(s.part->totals + 8 * I, &total, sizeof total);
  }
  template <int... R>
  static void finish_all(state& s, std::integer_sequence<int, R...>) {
    (finish_blocks<reductions.at[R]>(s), ...);
  }

 public:
  [[gnu::noinline]] static void run(const kernel_call& c) {
    if constexpr (accesses == 0) return;
    const int last_loop = c.rows - 1, inner_loop = c.rows + c.segments;
    state s;
    s.part = c.part;
    s.scratch = c.scratch;
    s.inner = c.extent[inner_loop];
    s.segments = count(c, c.rows, inner_loop);
    s.row = c.part && c.part->row ? c.part->row : s.segments * s.inner;
    ((s.p.base[J] = c.base[J]), ...);
    ((s.p.step[J] = c.stride[J][inner_loop]), ...);
    if constexpr (reduces_rows)
      if (c.part && c.part->what == kernel_part::kind::finish_blocks)
        return finish_all(s, up_to<reductions.count>{});
    if constexpr (rows_before<0, true>.count > 0)
      row_values<0, true>(s, up_to<rows_before<0, true>.count>{});

    const index_t length = c.rows ? c.extent[last_loop] : 1;
    index_t row = 0, end = count(c, 0, c.rows), place = 0;
    pointers start, along;  // along: from a row to the next, in bytes
    ((start.base[J] = s.p.base[J]), ...);
    ((along.step[J] = c.rows ? c.stride[J][last_loop] * facts::size_of_access(J) : 0), ...);
    [[maybe_unused]] column_rows_done d;
    if constexpr (has_columns) {
      d.kept_loops = c.rows;
      while (d.kept_loops > 0 && c.stride[facts::column_access()][d.kept_loops - 1] == 0)
        --d.kept_loops;
      d.summed = count(c, d.kept_loops, c.rows);
      if (c.part) {
        if (c.part->what == kernel_part::kind::finish_rows)
          return (finish_chunks<columns.at[C]>(c, s, d), ...);
        row = c.part->first;
        end = row + c.part->count;
        place = row % length;
        d.done = row;
        index_t by[static_cast<std::size_t>(accesses + 1)];
        locate<A>(c, 0, c.rows, row, accesses, sizes.of, by);
        ((s.p.base[J] = moved(start.base[J], by[J])), ...);
      } else if (d.summed == 0) {
        for (index_t k = 0; k < count(c, 0, d.kept_loops); ++k)
          (open_chunk<columns.at[C]>(s), ...), (close_chunk<columns.at[C]>(c, s, d, k), ...);
        return;
      }
    }
    for (; row < end; ++row) {
      if constexpr (has_columns)
        if (d.in_chunk == 0) (open_chunk<columns.at[C]>(s), ...);
      if constexpr (reduces_rows) open_all(s, up_to<reductions.count>{});
      (phase<P>(c, s), ...);
      bool whole = true;
      if constexpr (reduces_rows) whole = !in_blocks(s);
      if (whole) {
        if constexpr (rows_before<phases, false>.count > 0)
          row_values<phases, false>(s, up_to<rows_before<phases, false>.count>{});
        if constexpr (row_stores.count > 0) store_rows(s, up_to<row_stores.count>{});
      }
      if constexpr (has_columns) {
        ++d.done;
        if (++d.in_chunk == column_rows || d.done == d.summed) {
          (close_chunk<columns.at[C]>(c, s, d, row + 1), ...);
          d.in_chunk = 0;
          if (d.done == d.summed) d.done = 0;
        }
      }
      if (++place < length) {
        ((s.p.base[J] = moved(s.p.base[J], along.step[J])), ...);
      } else if (row + 1 < end) {
        place = 0;
        index_t by[static_cast<std::size_t>(accesses + 1)];
        locate<A>(c, 0, c.rows, row + 1, accesses, sizes.of, by);
        ((s.p.base[J] = moved(start.base[J], by[J])), ...);
      }
    }
  }
};

}  // namespace weft::detail
