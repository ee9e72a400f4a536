// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/accumulate.hpp>

// A kernel as a loop nest: rows, passes over a row, blocks of about 1,000 elements, vectors.
//
// Everything below is inlined into one function a kernel, and every node of the body is a variable
// of it. For that to work no array may be indexed by a loop counter and no address may leave the
// function: lists of accesses and nodes are walked by fold expressions, and what needs loops over
// them is done outside (locate).
namespace weft::detail {

/// How a team shares one call: the part of it that a thread does.
struct kernel_part {
  enum class kind : std::uint8_t {
    blocks,         ///< a pass over some of a single row's blocks: leaves their sums in partial
    finish_blocks,  ///< folds those sums, in order, into totals
    finish_row,     ///< what follows from the last totals
    rows,        ///< some of the rows of a column: leaves the sums of each chunk of rows in partial
    finish_rows  ///< folds the chunks, in order, and writes the columns
  };
  kind what{};
  int phase = 0;
  index_t row = 0;               ///< elements of the whole row
  index_t first = 0, count = 0;  ///< the first element of the part; blocks or chunks to fold
  std::byte* totals = nullptr;   ///< 8 bytes for each node
  std::byte* partial =
      nullptr;  ///< 8 bytes for each node and block; a row of sums for each column and chunk
};

/// What a kernel runs on. Accesses are its loads, then its stores.
struct kernel_call {
  int rows = 0, segments = 0;  ///< loops; the innermost one comes after them
  const index_t* extent = nullptr;
  const index_t (*stride)[max_loops] = nullptr;  ///< by access, in elements
  std::byte* const* base = nullptr;              ///< by access; of positions, the number itself
  std::byte* scratch = nullptr;
  const kernel_part* part = nullptr;
};

/// Bytes of scratch for a kept value of a row, or for a column's sums.
constexpr std::size_t row_bytes(index_t n) {
  return rounded_up((static_cast<std::size_t>(n) + 64) * 8);
}

/// Bytes of scratch that a kernel needs for rows of this many elements (whole rows, segments and
/// all).
template <class Kernel>
constexpr std::size_t scratch_bytes(const Kernel& k, index_t row, index_t inner) {
  std::size_t bytes = 0;
  for (int i = 0; i < k.size; ++i)
    if (k.nodes[i].kept) bytes += row_bytes(row);
  for (int s = 0; s < k.store_count; ++s)
    if (k.stores[s].kind == store_kind::column) bytes += 2 * row_bytes(inner);
  return bytes;
}

/// Where index n of `count` loops from `first` on moves each access, in bytes.
template <class A>
[[gnu::noinline]] void locate(const kernel_call& c, int first, int count, index_t n, int accesses,
                              const int* sizes, index_t* by) {
  for (int a = 0; a < accesses; ++a) by[a] = 0;
  for (int l = first + count; l-- > first;) {
    const index_t at = n % c.extent[l];
    n /= c.extent[l];
    for (int a = 0; a < accesses; ++a) by[a] += at * c.stride[a][l] * sizes[a];
  }
}

template <auto K, class A>
class nest {
 public:
  static constexpr index_t W = static_cast<index_t>(kernel_width<K, A>);
  static constexpr int accesses = K.loads + K.store_count;

  static void run(const kernel_call& c) {
    if constexpr (accesses == 0)
      return;
    else
      run_rows(c, all_nodes{}, all_stores{}, all_accesses{});
  }

 private:
  using all_accesses = std::make_integer_sequence<int, accesses>;
  using all_nodes = std::make_integer_sequence<int, K.size>;
  using all_stores = std::make_integer_sequence<int, K.store_count>;
  using pointers = row_pointers<accesses>;

  // What is known of the kernel

  static constexpr int column_access() {
    for (int s = 0; s < K.store_count; ++s)
      if (K.stores[s].kind == store_kind::column) return K.loads + s;
    return -1;
  }
  static constexpr bool has_columns = column_access() >= 0;
  static constexpr int size_of_access(int a) {
    if (a >= K.loads) return size_of(K.stores[a - K.loads].type);
    for (int i = 0; i < K.size; ++i)
      if (K.nodes[i].load == a) return K.nodes[i].op == id_of<iota_> ? 1 : size_of(K.nodes[i].type);
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
    return K.nodes[i].load >= 0 ? 0 : info(K.nodes[i].op).arity;
  }

  /// Element values that do not change along the innermost loop: they are computed before it.
  struct node_set {
    bool has[static_cast<std::size_t>(K.size + 1)];
  };
  static constexpr node_set steady = [] {
    node_set s{};
    for (int i = 0; i < K.size; ++i) {
      const kernel_node& n = K.nodes[i];
      if (n.at == level::row) continue;
      s.has[i] = n.load >= 0 ? n.stride == stride_kind::none : !n.kept;
      for (int j = 0; j < arity_of(i); ++j)
        s.has[i] = s.has[i] && (K.nodes[n.in[j]].at == level::row || s.has[n.in[j]]);
    }
    return s;
  }();
  static constexpr bool before_loop(int i) { return K.nodes[i].at == level::row || steady.has[i]; }

  template <int P>
  static constexpr auto need = needs<K.size>(K, P);

  static constexpr bool ends_at(int i, int p) {
    return is_reduction(K.nodes[i].op) && K.nodes[i].phase == p + 1;
  }
  template <int P>
  static constexpr bool reduces = [] {
    for (int i = 0; i < K.size; ++i)
      if (ends_at(i, P)) return true;
    return false;
  }();
  static constexpr bool reduces_rows = [] {
    for (int i = 0; i < K.size; ++i)
      if (is_reduction(K.nodes[i].op)) return true;
    return false;
  }();
  template <int P>
  static constexpr bool runs = [] {
    if (reduces<P>) return true;
    for (int s = 0; s < K.store_count; ++s)
      if (K.stores[s].kind != store_kind::row && K.stores[s].phase == P) return true;
    return false;
  }();
  /// Vectors of an iteration: several, with an accumulator each, where the sum would wait for
  /// itself.
  template <int P>
  static constexpr int unroll = [] {
    int n = 0;
    for (int i = 0; i < K.size; ++i)
      if (need<P>.computed[i]) n += is_expensive(K.nodes[i].op) ? 6 : 1;
    return !reduces<P> ? 1 : n <= 8 ? 4 : n <= 24 ? 2 : 1;
  }();

  template <int I>
  using element_of = value_t<K, I, A>;
  template <int I>
  struct accumulator_at {
    using T = ctype<K.nodes[I].type>;
    using type = accumulator<element_of<I>, T, K.nodes[I].op, unroll<K.nodes[I].phase - 1>>;
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
      : accumulator_slot<I, is_reduction(K.nodes[I].op)>... {};
  using accumulators = accumulators_of<all_nodes>;

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
    if constexpr (K.nodes[I].at == level::row)
      return get<I>(s.r);
    else
      return get<I>(s.v);
  }
  template <int I, int... J>
  [[gnu::always_inline]] static element_of<I> compute(state& s, std::integer_sequence<int, J...>) {
    return apply_node<K, I, A>(value<K.nodes[I].in[J]>(s)...);
  }
  template <int I>
  [[gnu::always_inline]] static element_of<I> compute(state& s) {
    return compute<I>(s, std::make_integer_sequence<int, arity_of(I)>{});
  }

  /// Values known before pass P: row loads before the first, then what follows from finished
  /// reductions. Those that are the same for all rows (constants, numbers) are computed once a
  /// call.
  template <int P, bool Uniform, int I>
  [[gnu::always_inline]] static void row_value(state& s) {
    constexpr kernel_node n = K.nodes[I];
    if constexpr (n.at == level::row && n.phase == P && n.uniform == Uniform) {
      if constexpr (n.load >= 0)
        get<I>(s.r) = load_node<K, I, A>(full_part{}, s.p, 0);
      else if constexpr (n.op == id_of<constant_>)
        get<I>(s.r) = constant_node<K, I, A>();
      else if constexpr (is_reduction(n.op))
        get<I>(s.r) = element_of<I>(static_cast<ctype<n.type>>(get<I>(s.acc).total));
      else
        get<I>(s.r) = compute<I>(s);
    }
  }
  template <int P, bool Uniform = false, int... I>
  [[gnu::always_inline]] static void row_values(state& s, std::integer_sequence<int, I...>) {
    (row_value<P, Uniform, I>(s), ...);
  }
  template <int P, int I>
  [[gnu::always_inline]] static void steady_value(state& s) {
    if constexpr (steady.has[I] && need<P>.computed[I]) {
      if constexpr (K.nodes[I].load >= 0)
        get<I>(s.v) = load_node<K, I, A>(full_part{}, s.p, 0);
      else
        get<I>(s.v) = compute<I>(s);
    }
  }

  /// Where a kept value of a row, or a column's sums, lie in scratch.
  static constexpr int kept_before(int i) {
    int n = 0;
    for (int j = 0; j < i; ++j) n += K.nodes[j].kept;
    return n;
  }
  template <int I>
  [[gnu::always_inline]] static auto* kept_at(const state& s, index_t flat) {
    return reinterpret_cast<ctype<K.nodes[I].type>*>(
               s.scratch + static_cast<std::size_t>(kept_before(I)) * row_bytes(s.row)) +
           flat;
  }
  template <int S>
  [[gnu::always_inline]] static std::byte* column_at(const state& s, bool total) {
    constexpr int before = [] {
      int n = 0;
      for (int j = 0; j < S; ++j) n += K.stores[j].kind == store_kind::column;
      return n;
    }();
    return s.scratch + static_cast<std::size_t>(kept_count(K)) * row_bytes(s.row) +
           static_cast<std::size_t>(2 * before + total) * row_bytes(s.inner);
  }

  // The loops, from the inside out

  template <int P, int U, int I, class Part>
  [[gnu::always_inline]] static void element_value(const Part& part, state& s, index_t i,
                                                   index_t flat) {
    constexpr kernel_node n = K.nodes[I];
    if constexpr (need<P>.computed[I] && !steady.has[I]) {
      if constexpr (n.load >= 0)
        get<I>(s.v) = load_node<K, I, A>(part, s.p, i);
      else
        get<I>(s.v) = compute<I>(s);
      if constexpr (n.kept && n.phase == P) simd::store(kept_at<I>(s, flat), get<I>(s.v));
    } else if constexpr (need<P>.reread[I]) {
      get<I>(s.v) = simd::load<element_of<I>>(kept_at<I>(s, flat));
    }
    if constexpr (ends_at(I, P)) {
      auto& a = get<I>(s.acc);
      a.lanes[U] = a.combine(a.lanes[U], part.keep(value<n.in[0]>(s), a.neutral()));
    }
  }
  template <int P, int S, class Part>
  [[gnu::always_inline]] static void store_value(const Part& part, state& s, index_t i) {
    constexpr kernel_store w = K.stores[S];
    using T = ctype<w.type>;
    if constexpr (w.kind == store_kind::element && w.phase == P) {
      T* to = reinterpret_cast<T*>(s.p.base[K.loads + S]);
      if constexpr (w.stride == stride_kind::strided)
        part.store_strided(to + i * s.p.step[K.loads + S], s.p.step[K.loads + S], value<w.node>(s));
      else
        part.store(to + i, value<w.node>(s));
    } else if constexpr (w.kind == store_kind::column && w.phase == P) {
      T* to = reinterpret_cast<T*>(column_at<S>(s, false)) + i;
      auto x = value<w.node>(s);
      simd::store(to, combined<w.reduce>(simd::load<decltype(x)>(to), x));
    }
  }
  /// One vector of pass P at place i of the innermost loop (place `flat` of the row).
  template <int P, int U, class Part, int... I, int... S>
  [[gnu::always_inline]] static void vector_step(const Part& part, state& s, index_t i,
                                                 index_t flat, std::integer_sequence<int, I...>,
                                                 std::integer_sequence<int, S...>) {
    (element_value<P, U, I>(part, s, i, flat), ...);
    (store_value<P, S>(part, s, i), ...);
  }
  template <int P, int... U>
  [[gnu::always_inline]] static void vector_steps(state& s, index_t i, index_t flat,
                                                  std::integer_sequence<int, U...>) {
    (vector_step<P, U>(full_part{}, s, i + U * W, flat + U * W, all_nodes{}, all_stores{}), ...);
  }

  template <int P, int I>
  [[gnu::always_inline]] static void fold(state& s, std::byte* partial) {
    if constexpr (ends_at(I, P)) {
      auto& a = get<I>(s.acc);
      if (partial) a.open_total();
      a.fold();
      if (partial) std::memcpy(partial + 8 * I, &a.total, sizeof a.total);
    }
  }
  template <int P, int... I, int... J>
  [[gnu::always_inline]] static void pass(const kernel_call& c, state& s,
                                          std::integer_sequence<int, I...> nodes,
                                          std::integer_sequence<int, J...> list) {
    constexpr int U = unroll<P>;
    pointers start;
    ((start.base[J] = s.p.base[J]), ...);
    std::byte* partial = nullptr;
    if constexpr (reduces<P>)
      if (in_blocks(s)) partial = s.part->partial;
    for (index_t segment = 0; segment < s.segments;) {
      const index_t flat = segment * s.inner + (in_blocks(s) ? s.part->first : 0);
      (steady_value<P, I>(s), ...);
      for (index_t block = 0; block < s.inner;) {
        const index_t end =
            reduces<P> && s.inner - block > block_elements ? block + block_elements : s.inner;
        index_t i = block;
        for (; i + U * W <= end; i += U * W)
          vector_steps<P>(s, i, flat + i, std::make_integer_sequence<int, U>{});
        if constexpr (U > 2)
          for (; i + W <= end; i += W)
            vector_step<P, 0>(full_part{}, s, i, flat + i, nodes, all_stores{});
        for (; i < end; i += W)
          vector_step<P, 0>(tail_part{static_cast<std::size_t>(end - i < W ? end - i : W)}, s, i,
                            flat + i, nodes, all_stores{});
        if constexpr (reduces<P>) {
          (fold<P, I>(s, partial), ...);
          if (partial) partial += 8 * K.size;
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
  template <int... J>
  [[gnu::always_inline]] static void move_to(pointers& p, const pointers& start, const index_t* by,
                                             std::integer_sequence<int, J...>) {
    ((p.base[J] = start.base[J] + by[J]), ...);
  }

  [[gnu::always_inline]] static bool in_blocks(const state& s) {
    return s.part && s.part->what == kernel_part::kind::blocks;
  }
  template <int P>
  [[gnu::always_inline]] static void phase(const kernel_call& c, state& s) {
    row_values<P>(s, all_nodes{});
    if constexpr (runs<P>) {
      if constexpr (reduces_rows)
        if (s.part &&
            (in_blocks(s) ? s.part->phase != P : s.part->what == kernel_part::kind::finish_row))
          return;
      pass<P>(c, s, all_nodes{}, all_accesses{});
    }
  }
  template <int I>
  [[gnu::always_inline]] static void open(state& s) {
    if constexpr (is_reduction(K.nodes[I].op)) {
      get<I>(s.acc).open();
      if (s.part) {
        auto& total = get<I>(s.acc).total;
        if (s.part->totals) std::memcpy(&total, s.part->totals + 8 * I, sizeof total);
      }
    }
  }
  template <int S>
  [[gnu::always_inline]] static void store_row(state& s) {
    if constexpr (K.stores[S].kind == store_kind::row) {
      using T = ctype<K.stores[S].type>;
      simd::store_partial(reinterpret_cast<T*>(s.p.base[K.loads + S]), 1,
                          get<K.stores[S].node>(s.r));
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
    row_values<K.phases>(s, nodes);
    (store_row<S>(s), ...);
  }

  // Columns

  template <int S>
  struct column {
    static constexpr bool is = K.stores[S].kind == store_kind::column;
    static constexpr op_id op = K.stores[S].reduce;
    using T = ctype<K.stores[S].type>;
    using total = total_type<op, T>;
    static T* sums(const state& s) { return reinterpret_cast<T*>(column_at<S>(s, false)); }
    static total* totals(const state& s) { return reinterpret_cast<total*>(column_at<S>(s, true)); }
    /// The sums of a chunk, where a team leaves them.
    static T* chunk(const state& s, index_t n) {
      constexpr int all = [] {
        int count = 0;
        for (int j = 0; j < K.store_count; ++j) count += K.stores[j].kind == store_kind::column;
        return count;
      }();
      constexpr int before = [] {
        int count = 0;
        for (int j = 0; j < S; ++j) count += K.stores[j].kind == store_kind::column;
        return count;
      }();
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
    using T = typename column<S>::T;
    constexpr int a = K.loads + S;
    index_t by[static_cast<std::size_t>(accesses + 1)];
    locate<A>(c, 0, d.kept_loops, d.summed ? (row - 1) / d.summed : row, accesses, sizes.of, by);
    write_columns<T, From, A>(reinterpret_cast<T*>(c.base[a] + by[a]), s.p.step[a], from, s.inner);
  }

  // Rows

  template <int I>
  static void finish_blocks(state& s) {
    if constexpr (is_reduction(K.nodes[I].op)) {
      if (s.part->phase + 1 != K.nodes[I].phase) return;
      get<I>(s.acc).open_total();
      auto total = get<I>(s.acc).total, one = total;
      for (index_t b = 0; b < s.part->count; ++b) {
        std::memcpy(&one, s.part->partial + 8 * (b * K.size + I), sizeof one);
        total = combined<K.nodes[I].op>(total, one);
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
    ((along.step[J] = c.rows ? c.stride[J][last_loop] * size_of_access(J) : 0), ...);
    [[maybe_unused]] column_rows_done d;
    if constexpr (has_columns) {
      d.kept_loops = c.rows;
      while (d.kept_loops > 0 && c.stride[column_access()][d.kept_loops - 1] == 0) --d.kept_loops;
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
      one_row(c, s, nodes, stores, std::make_integer_sequence<int, K.phases>{});
      if constexpr (has_columns) {
        ++d.done;
        if (++d.in_chunk == column_rows || d.done == d.summed) {
          (close_chunk<S>(c, s, d, row + 1), ...);
          d.in_chunk = 0;
          if (d.done == d.summed) d.done = 0;
        }
      }
      if (++place < length) {
        ((s.p.base[J] += along.step[J]), ...);
      } else if (row + 1 < end) {
        place = 0;
        index_t by[static_cast<std::size_t>(accesses + 1)];
        locate<A>(c, 0, c.rows, row + 1, accesses, sizes.of, by);
        move_to(s.p, start, by, list);
      }
    }
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
};

/// One kernel, compiled once a program for each architecture that its units are built for.
template <auto K, class A>
[[gnu::noinline]] void run_kernel(const kernel_call& c) {
  nest<K, A>::run(c);
}

}  // namespace weft::detail
