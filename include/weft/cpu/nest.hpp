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
namespace weft::detail {

template <class K, class A>
class nest : kernel_values<K, A> {
  using facts = kernel_values<K, A>;
  using facts::accesses, facts::has_columns, facts::count, facts::in_blocks, facts::move_to,
      facts::moved, facts::reduces_rows, facts::sizes, facts::steady, facts::W;
  using typename facts::all_accesses, typename facts::all_nodes, typename facts::pointers,
      typename facts::state;
  template <int I>
  using element_of = value_t<K, I, A>;

 public:
  static void run(const kernel_call& c) {
    if constexpr (accesses == 0)
      return;
    else
      run_rows(c, all_nodes{}, all_stores{}, all_accesses{});
  }

 private:
  using all_stores = std::make_integer_sequence<int, K::value.store_count>;

  /// Values known before pass P: row loads before the first, then what follows from finished
  /// reductions. Those that are the same for all rows (constants, numbers) are computed once a
  /// call.
  template <int P, bool Uniform, int I>
  [[gnu::always_inline]] static void row_value(state& s) {
    constexpr kernel_node n = K::value.nodes[I];
    if constexpr (n.at == level::row && n.phase == P && n.uniform == Uniform) {
      if constexpr (n.load >= 0)
        get<I>(s.r) = load_node<K, I, A>(full_part{}, s.p, 0);
      else if constexpr (n.op == id_of<constant_>)
        get<I>(s.r) = constant_node<K, I, A>();
      else if constexpr (is_reduction(n.op))
        get<I>(s.r) = element_of<I>(static_cast<ctype<n.type>>(get<I>(s.acc).total));
      else
        get<I>(s.r) = facts::template compute<I>(s);
    }
  }
  template <int P, bool Uniform = false, int... I>
  [[gnu::always_inline]] static void row_values(state& s, std::integer_sequence<int, I...>) {
    (row_value<P, Uniform, I>(s), ...);
  }
  template <int P, int I>
  [[gnu::always_inline]] static void steady_value(state& s) {
    if constexpr (steady.has[I] && facts::template need<P>.computed[I]) {
      if constexpr (K::value.nodes[I].load >= 0)
        get<I>(s.v) = load_node<K, I, A>(full_part{}, s.p, 0);
      else
        get<I>(s.v) = facts::template compute<I>(s);
    }
  }

  // The loops, from the inside out

  template <int P, int U, int I, class Part>
  [[gnu::always_inline]] static void element_value(const Part& part, state& s, index_t i,
                                                   index_t flat) {
    constexpr kernel_node n = K::value.nodes[I];
    if constexpr (facts::template need<P>.computed[I] && !steady.has[I]) {
      if constexpr (n.load >= 0)
        get<I>(s.v) = load_node<K, I, A>(part, s.p, i);
      else
        get<I>(s.v) = facts::template compute<I>(s);
      if constexpr (n.kept && n.phase == P)
        simd::store(facts::template kept_at<I>(s, flat), get<I>(s.v));
    } else if constexpr (facts::template need<P>.reread[I]) {
      get<I>(s.v) = simd::load<element_of<I>>(facts::template kept_at<I>(s, flat));
    }
    if constexpr (facts::ends_at(I, P)) {
      auto& a = get<I>(s.acc);
      a.template add<U>(part.keep(facts::template value<n.in[0]>(s), a.neutral()));
    }
  }
  template <int P, int S, class Part>
  [[gnu::always_inline]] static void store_value(const Part& part, state& s, index_t i) {
    constexpr kernel_store w = K::value.stores[S];
    using T = ctype<w.type>;
    if constexpr (w.kind == store_kind::element && w.phase == P) {
      T* to = reinterpret_cast<T*>(s.p.base[K::value.loads + S]);
      if constexpr (w.stride == stride_kind::strided)
        part.store_strided(to + i * s.p.step[K::value.loads + S], s.p.step[K::value.loads + S],
                           facts::template value<w.node>(s));
      else
        part.store(to + i, facts::template value<w.node>(s));
    } else if constexpr (w.kind == store_kind::column && w.phase == P) {
      auto* to = column<S>::sums(s) + i;
      auto x = facts::template value<w.node>(s);
      simd::store(to, combined<w.reduce>(simd::load<decltype(x)>(to), x));
    }
  }
  template <int P, int V, int I>
  [[gnu::always_inline]] static void move_on(state& s) {
    if constexpr (V > 0 && facts::ends_at(I, P)) get<I>(s.acc).template move_on<V>();
  }
  /// One vector of pass P at place i of the innermost loop (place `flat` of the row): number U of
  /// its loop's body, which has moved on by V vectors behind it.
  template <int P, int U, int V, class Part, int... I, int... S>
  [[gnu::always_inline]] static void vector_step(const Part& part, state& s, index_t i,
                                                 index_t flat, std::integer_sequence<int, I...>,
                                                 std::integer_sequence<int, S...>) {
    (element_value<P, U, I>(part, s, i, flat), ...);
    (store_value<P, S>(part, s, i), ...);
    (move_on<P, V, I>(s), ...);
  }
  template <int P, int... U>
  [[gnu::always_inline]] static void vector_steps(state& s, index_t i, index_t flat,
                                                  std::integer_sequence<int, U...>) {
    constexpr int n = static_cast<int>(sizeof...(U));
    (vector_step < P, U,
     U + 1 == n ? n : 0 > (full_part{}, s, i + U * W, flat + U * W, all_nodes{}, all_stores{}),
     ...);
  }

  template <int P, int I>
  [[gnu::always_inline]] static void fold(state& s, index_t vectors, std::byte* partial) {
    if constexpr (facts::ends_at(I, P)) {
      auto& a = get<I>(s.acc);
      if (partial) a.open_total();
      a.fold(vectors);
      if (partial) std::memcpy(partial + 8 * I, &a.total, sizeof a.total);
    }
  }
  template <int P, int... I, int... J>
  [[gnu::always_inline]] static void pass(const kernel_call& c, state& s,
                                          std::integer_sequence<int, I...> nodes,
                                          std::integer_sequence<int, J...> list) {
    constexpr int U = facts::template unroll<P>;
    pointers start;
    ((start.base[J] = s.p.base[J]), ...);
    std::byte* partial = nullptr;
    if constexpr (facts::template reduces<P>)
      if (in_blocks(s)) partial = s.part->partial;
    for (index_t segment = 0; segment < s.segments;) {
      const index_t flat = segment * s.inner + (in_blocks(s) ? s.part->first : 0);
      (steady_value<P, I>(s), ...);
      for (index_t block = 0; block < s.inner;) {
        const index_t end = facts::template reduces<P> && s.inner - block > block_elements
                                ? block + block_elements
                                : s.inner;
        index_t i = block;
        if constexpr (facts::template single<P>) {
          // Lanes are the same for all turns of the inner loop, so its masks are made before it.
          for (index_t lanes = W; i < end; lanes = end - i)
            for (; i + lanes <= end; i += W)
              vector_step<P, 0, 1>(tail_part{static_cast<std::size_t>(lanes)}, s, i, flat + i,
                                   nodes, all_stores{});
        } else {
          for (; i + U * W <= end; i += U * W)
            vector_steps<P>(s, i, flat + i, std::make_integer_sequence<int, U>{});
          if constexpr (U > 2)
            for (; i + W <= end; i += W)
              vector_step<P, 0, 1>(full_part{}, s, i, flat + i, nodes, all_stores{});
          for (; i < end; i += W)
            vector_step<P, 0, 1>(tail_part{static_cast<std::size_t>(end - i < W ? end - i : W)}, s,
                                 i, flat + i, nodes, all_stores{});
        }
        if constexpr (facts::template reduces<P>) {
          (fold<P, I>(s, (i - block) / W, partial), ...);
          if (partial) partial += 8 * K::value.size;
        }
        block = end;
      }
      if (++segment >= s.segments) break;
      index_t by[static_cast<std::size_t>(accesses + 1)];
      locate<A>(c, c.rows, c.segments, segment, accesses, sizes.of, by);
      move_to(s.p, start, by, list);
    }
    ((s.p.base[J] = start.base[J]), ...);
  }
  template <int P>
  [[gnu::always_inline]] static void phase(const kernel_call& c, state& s) {
    row_values<P>(s, all_nodes{});
    if constexpr (facts::template runs<P>) {
      if constexpr (reduces_rows)
        if (s.part &&
            (in_blocks(s) ? s.part->phase != P : s.part->what == kernel_part::kind::finish_row))
          return;
      pass<P>(c, s, all_nodes{}, all_accesses{});
    }
  }
  template <int I>
  [[gnu::always_inline]] static void open(state& s) {
    if constexpr (is_reduction(K::value.nodes[I].op)) {
      get<I>(s.acc).open();
      if (s.part) {
        auto& total = get<I>(s.acc).total;
        if (s.part->totals) std::memcpy(&total, s.part->totals + 8 * I, sizeof total);
      }
    }
  }
  template <int S>
  [[gnu::always_inline]] static void store_row(state& s) {
    if constexpr (K::value.stores[S].kind == store_kind::row) {
      using T = ctype<K::value.stores[S].type>;
      simd::store_partial(reinterpret_cast<T*>(s.p.base[K::value.loads + S]), 1,
                          get<K::value.stores[S].node>(s.r));
    }
  }
  template <int... I, int... S, int... P>
  [[gnu::always_inline]] static void one_row(const kernel_call& c, state& s,
                                             std::integer_sequence<int, I...> nodes,
                                             std::integer_sequence<int, S...>,
                                             std::integer_sequence<int, P...>) {
    (open<I>(s), ...);
    (phase<P>(c, s), ...);
    if constexpr (reduces_rows)
      if (in_blocks(s)) return;
    row_values<K::value.phases>(s, nodes);
    (store_row<S>(s), ...);
  }

  // Columns

  template <int S>
  struct column {
    static constexpr bool is = K::value.stores[S].kind == store_kind::column;
    static constexpr op_id op = K::value.stores[S].reduce;
    using T = computed_type<ctype<K::value.stores[S].type>>;
    using total = total_type<op, T>;
    static T* sums(const state& s) {
      return reinterpret_cast<T*>(facts::template column_at<S>(s, false));
    }
    static total* totals(const state& s) {
      return reinterpret_cast<total*>(facts::template column_at<S>(s, true));
    }
    /// The sums of a chunk, where a team leaves them.
    static T* chunk(const state& s, index_t n) {
      constexpr int before = facts::columns_before(S),
                    all = facts::columns_before(K::value.store_count);
      return reinterpret_cast<T*>(s.part->partial +
                                  static_cast<std::size_t>(n * all + before) * row_bytes(s.inner));
    }
  };
  /// The rows of a call that one column sums, and those done.
  struct column_rows_done {
    index_t summed = 1, done = 0, in_chunk = 0;
    int kept_loops = 0;
  };
  template <int S>
  static void open_chunk(const state& s) {
    using C = column<S>;
    if constexpr (C::is)
      fill_columns<typename C::T, A>(C::sums(s), s.inner + W, neutral_of<C::op, typename C::T>());
  }
  /// Ends a chunk of rows; the last one writes the columns.
  template <int S>
  static void close_chunk(const kernel_call& c, const state& s, const column_rows_done& d,
                          index_t row) {
    using C = column<S>;
    if constexpr (C::is) {
      using T = typename C::T;
      if (s.part) {
        write_columns<T, T, A>(C::chunk(s, (row - 1) / column_rows), 1, C::sums(s), s.inner);
        return;
      }
      const bool last = d.done == d.summed;
      if (d.done <= column_rows && last) return write<S>(c, s, d, row, C::sums(s));
      if (d.done <= column_rows)
        fill_columns<typename C::total, A>(C::totals(s), s.inner,
                                           neutral_of<C::op, typename C::total>());
      add_columns<C::op, T, A>(C::totals(s), C::sums(s), s.inner);
      if (last) write<S>(c, s, d, row, C::totals(s));
    }
  }
  template <int S>
  static void finish_chunks(const kernel_call& c, const state& s, const column_rows_done& d) {
    using C = column<S>;
    if constexpr (C::is) {
      fill_columns<typename C::total, A>(C::totals(s), s.inner,
                                         neutral_of<C::op, typename C::total>());
      for (index_t n = 0; n < s.part->count; ++n)
        add_columns<C::op, typename C::T, A>(C::totals(s), C::chunk(s, n), s.inner);
      write<S>(c, s, d, d.summed, C::totals(s));
    }
  }
  template <int S, class From>
  static void write(const kernel_call& c, const state& s, const column_rows_done& d, index_t row,
                    const From* from) {
    using T = ctype<K::value.stores[S].type>;
    constexpr int a = K::value.loads + S;
    index_t by[static_cast<std::size_t>(accesses + 1)];
    locate<A>(c, 0, d.kept_loops, d.summed ? (row - 1) / d.summed : row, accesses, sizes.of, by);
    write_columns<T, From, A>(reinterpret_cast<T*>(moved(c.base[a], by[a])), s.p.step[a], from,
                              s.inner);
  }

  // Rows

  template <int I>
  static void finish_blocks(state& s) {
    if constexpr (is_reduction(K::value.nodes[I].op)) {
      if (s.part->phase + 1 != K::value.nodes[I].phase) return;
      get<I>(s.acc).open_total();
      auto total = get<I>(s.acc).total, one = total;
      for (index_t b = 0; b < s.part->count; ++b) {
        std::memcpy(&one, s.part->partial + 8 * (b * K::value.size + I), sizeof one);
        total = combined<K::value.nodes[I].op>(total, one);
      }
      std::memcpy(s.part->totals + 8 * I, &total, sizeof total);
    }
  }

  template <int... I, int... S, int... J>
  [[gnu::always_inline]] static void run_rows(const kernel_call& c,
                                              std::integer_sequence<int, I...> nodes,
                                              std::integer_sequence<int, S...> stores,
                                              std::integer_sequence<int, J...> list) {
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
        return (finish_blocks<I>(s), ...);
    row_values<0, true>(s, nodes);

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
        if (c.part->what == kernel_part::kind::finish_rows) return (finish_chunks<S>(c, s, d), ...);
        row = c.part->first;
        end = row + c.part->count;
        place = row % length;
        d.done = row;
        index_t by[static_cast<std::size_t>(accesses + 1)];
        locate<A>(c, 0, c.rows, row, accesses, sizes.of, by);
        move_to(s.p, start, by, list);
      } else if (d.summed == 0) {
        for (index_t k = 0; k < count(c, 0, d.kept_loops); ++k)
          (open_chunk<S>(s), ...), (close_chunk<S>(c, s, d, k), ...);
        return;
      }
    }
    for (; row < end; ++row) {
      if constexpr (has_columns)
        if (d.in_chunk == 0) (open_chunk<S>(s), ...);
      one_row(c, s, nodes, stores, std::make_integer_sequence<int, K::value.phases>{});
      if constexpr (has_columns) {
        ++d.done;
        if (++d.in_chunk == column_rows || d.done == d.summed) {
          (close_chunk<S>(c, s, d, row + 1), ...);
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
        move_to(s.p, start, by, list);
      }
    }
  }
};

/// One kernel, compiled once a program for each architecture that its units are built for.
template <class K, class A>
[[gnu::noinline]] void run_kernel(const kernel_call& c) {
  nest<K, A>::run(c);
}

}  // namespace weft::detail
