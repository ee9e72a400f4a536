// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/body.hpp>
#include <weft/cpu/lane_reduce.hpp>

#include <limits>

// A kernel as a loop nest: rows, passes over a row, blocks of about 1,000 elements, vectors.
namespace weft::detail {

/// What a kernel runs on. Accesses are its loads, then its stores.
struct kernel_call {
  int rows = 0, segments = 0;      ///< loops; the innermost one comes after them
  const index_t* extent = nullptr;
  const index_t (*stride)[max_loops] = nullptr;  ///< by access, in elements
  std::byte* const* base = nullptr;              ///< by access; of positions, the number itself
  std::byte* scratch = nullptr;
};

/// Elements of a sum's block: short enough that a float sum stays exact to a few ulp, a fixed part of the sum's order.
inline constexpr index_t block_elements = 1024;
/// Rows that a column sums in its own dtype before it adds them to its total.
inline constexpr index_t column_rows = 256;

constexpr std::size_t rounded_up(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

/// Bytes of scratch that a kernel needs for rows of this many elements (whole rows, segments and all).
template <int N, int S> constexpr std::size_t scratch_bytes(const basic_kernel<N, S>& k, index_t row, index_t inner) {
  std::size_t bytes = 0;
  for (int i = 0; i < k.size; ++i)
    if (k.nodes[i].kept) bytes += rounded_up((static_cast<std::size_t>(row) + 64) * 8);
  for (int s = 0; s < k.store_count; ++s)
    if (k.stores[s].kind == store_kind::column) bytes += 2 * rounded_up((static_cast<std::size_t>(inner) + 64) * 8);
  return bytes;
}

template <auto K, class A> class nest {
 public:
  static constexpr index_t W = static_cast<index_t>(kernel_width<K, A>);
  static constexpr int accesses = K.loads + K.store_count;

  /// Runs every row.
  static void run(const kernel_call& c) {
    index_t inner = c.extent[c.rows + c.segments], row = inner;
    for (int s = 0; s < c.segments; ++s) row *= c.extent[c.rows + s];
    index_t kept_rows = 1, summed_rows = 1;
    int first_summed = c.rows;
    if constexpr (has_columns())
      while (first_summed > 0 && c.stride[column_access()][first_summed - 1] == 0) --first_summed;
    for (int r = 0; r < c.rows; ++r) (r < first_summed ? kept_rows : summed_rows) *= c.extent[r];
    row_pointers p;
    p.scratch = c.scratch;
    for (int a = 0; a < accesses; ++a) p.step[a] = c.stride[a][c.rows + c.segments];
    index_t at[max_loops]{};
    std::byte* start[static_cast<std::size_t>(accesses + 1)];
    for (int a = 0; a < accesses; ++a) start[a] = c.base[a];
    values<K, A> r;
    for (int a = 0; a < accesses; ++a) p.base[a] = start[a];
    row_values<0, true>(r, p, accumulators{});
    for (index_t k = 0; k < kept_rows; ++k) {
      if constexpr (has_columns()) open_columns(p, row, inner);
      for (index_t s = 0; s < summed_rows; ++s) {
        one_row(c, start, r, p, row, inner);
        if constexpr (has_columns())
          if ((s + 1) % column_rows == 0) flush_columns(p, row, inner);
        advance(c, c.rows, 0, at, start);
      }
      if constexpr (has_columns()) close_columns(c, k, first_summed, p, row, inner);
    }
  }

 private:
  static constexpr bool has_columns() { return column_access() >= 0; }
  static constexpr int column_access() {
    for (int s = 0; s < K.store_count; ++s)
      if (K.stores[s].kind == store_kind::column) return K.loads + s;
    return -1;
  }
  static constexpr int size_of_access(int a) {
    if (a >= K.loads) return size_of(K.stores[a - K.loads].type);
    for (int i = 0; i < K.size; ++i)
      if (K.nodes[i].load == a) return K.nodes[i].op == id_of<iota_> ? 1 : size_of(K.nodes[i].type);
    return 1;
  }

  /// Moves pointers to the next index of `count` loops from `first` on.
  [[gnu::always_inline]] static void advance(const kernel_call& c, int count, int first, index_t* at,
                                             std::byte** start) {
    for (int r = count; r-- > 0;) {
      const int loop = first + r;
      const bool wraps = ++at[loop] == c.extent[loop];
      const index_t by = wraps ? 1 - c.extent[loop] : 1;
      each_access([&]<int I>() { start[I] += by * c.stride[I][loop] * size_of_access(I); });
      if (!wraps) return;
      at[loop] = 0;
    }
  }

  template <class F> [[gnu::always_inline]] static void each_access(F&& f) {
    [&]<int... I>(std::integer_sequence<int, I...>) { (f.template operator()<I>(), ...); }(
        std::make_integer_sequence<int, accesses>{});
  }
  template <class F> [[gnu::always_inline]] static void each_node(F&& f) {
    [&]<int... I>(std::integer_sequence<int, I...>) { (f.template operator()<I>(), ...); }(
        std::make_integer_sequence<int, K.size>{});
  }
  template <class F> [[gnu::always_inline]] static void each_store(F&& f) {
    [&]<int... I>(std::integer_sequence<int, I...>) { (f.template operator()<I>(), ...); }(
        std::make_integer_sequence<int, K.store_count>{});
  }

  static constexpr int arity_of(int i) { return K.nodes[i].load >= 0 ? 0 : info(K.nodes[i].op).arity; }

  template <int P> static constexpr auto need = needs(K, P);

  template <int P> static constexpr bool reduces() {
    for (int i = 0; i < K.size; ++i)
      if (is_reduction(K.nodes[i].op) && K.nodes[i].phase == P + 1) return true;
    return false;
  }
  template <int P> static constexpr bool runs() {
    if (reduces<P>()) return true;
    for (int s = 0; s < K.store_count; ++s)
      if (K.stores[s].kind != store_kind::row && K.stores[s].phase == P) return true;
    return false;
  }
  /// Vectors of an iteration: several, with an accumulator each, where the sum would wait for itself.
  template <int P> static constexpr int unroll() {
    int n = 0;
    for (int i = 0; i < K.size; ++i) n += need<P>.computed[i];
    return !reduces<P>() ? 1 : n <= 8 ? 4 : n <= 24 ? 2 : 1;
  }

  // Reductions

  template <int I> using element_of = value_t<K, I, A>;
  template <int I> static constexpr auto neutral() {
    using T = ctype<K.nodes[I].type>;
    if constexpr (K.nodes[I].op == id_of<reduce_sum_>) return T(0);
    else if constexpr (K.nodes[I].op == id_of<reduce_max_>)
      return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
    else
      return std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
  }
  template <op_id Op, class L> [[gnu::always_inline]] static L combine(L a, L b) {
    if constexpr (Op == id_of<reduce_sum_>) return a + b;
    else if constexpr (Op == id_of<reduce_max_>) return simd::maximum(a, b);
    else return simd::minimum(a, b);
  }

  /// Accumulators of one reduction: lanes within a block, a total across blocks (in double for float sums).
  template <int I, bool Used> struct accumulator {};
  template <int I> struct accumulator<I, true> {
    static constexpr op_id op = K.nodes[I].op;
    static constexpr int U = unroll<K.nodes[I].phase - 1>();
    using T = ctype<K.nodes[I].type>;
    static constexpr bool wide = std::is_same_v<T, float> && op == id_of<reduce_sum_>;
    element_of<I> lanes[static_cast<std::size_t>(U)];
    std::conditional_t<wide, double, T> total;

    [[gnu::always_inline]] void open() {
      total = neutral<I>();
      clear();
    }
    [[gnu::always_inline]] void clear() {
      for (auto& l : lanes) l = element_of<I>(neutral<I>());
    }
    [[gnu::always_inline]] void fold() {
      element_of<I> x = lanes[0];
      for (int u = 1; u < U; ++u) x = combine<op>(x, lanes[u]);
      if constexpr (wide) total += simd::reduce_add_double(x);
      else if constexpr (op == id_of<reduce_sum_>) total = total + simd::reduce_add(x);
      else if constexpr (op == id_of<reduce_max_>)
        total = combine<op>(element_of<I>(total), element_of<I>(simd::reduce_max(x)))[0];
      else
        total = combine<op>(element_of<I>(total), element_of<I>(simd::reduce_min(x)))[0];
      clear();
    }
  };
  template <class Sequence> struct accumulators_of;
  template <int... I> struct accumulators_of<std::integer_sequence<int, I...>>
      : slot<static_cast<std::size_t>(I), accumulator<I, is_reduction(K.nodes[I].op)>>... {};
  using accumulators = accumulators_of<std::make_integer_sequence<int, K.size>>;

  template <int I> [[gnu::always_inline]] static auto total_of(const accumulators& acc) {
    return static_cast<const slot<static_cast<std::size_t>(I), accumulator<I, true>>&>(acc).value.total;
  }

  // Evaluation

  template <int I, bool Row>
  [[gnu::always_inline]] static auto& operand(values<K, A>& v, values<K, A>& r) {
    if constexpr (Row) return get<I>(r);
    else return get<I>(v);
  }

  template <int I> [[gnu::always_inline]] static element_of<I> compute(values<K, A>& v, values<K, A>& r) {
    return [&]<int... J>(std::integer_sequence<int, J...>) {
      return apply_node<K, I, A>(
          operand<K.nodes[I].in[J], K.nodes[K.nodes[I].in[J]].at == level::row>(v, r)...);
    }(std::make_integer_sequence<int, arity_of(I)>{});
  }

  /// Values known before pass P: row loads before the first, then what follows from finished reductions. Those that are the
  /// same for all rows (constants, numbers) are computed once a call.
  template <int P, bool Uniform = false>
  [[gnu::always_inline]] static void row_values(values<K, A>& r, const row_pointers& p, const accumulators& acc) {
    each_node([&]<int I>() {
      constexpr kernel_node n = K.nodes[I];
      if constexpr (n.at == level::row && n.phase == P && n.uniform == Uniform) {
        if constexpr (n.load >= 0) get<I>(r) = load_node<K, I, A>(full_part{}, p, 0);
        else if constexpr (n.op == id_of<constant_>) get<I>(r) = constant_node<K, I, A>();
        else if constexpr (is_reduction(n.op))
          get<I>(r) = element_of<I>(static_cast<ctype<n.type>>(total_of<I>(acc)));
        else get<I>(r) = compute<I>(r, r);
      }
    });
  }

  /// Where a kept value of a row, or a column's sums, lie in scratch.
  static constexpr int kept_before(int i) {
    int n = 0;
    for (int j = 0; j < i; ++j) n += K.nodes[j].kept;
    return n;
  }
  template <int I> [[gnu::always_inline]] static auto* kept_at(const row_pointers& p, index_t row) {
    return reinterpret_cast<ctype<K.nodes[I].type>*>(
        p.scratch + static_cast<std::size_t>(kept_before(I)) * rounded_up((static_cast<std::size_t>(row) + 64) * 8));
  }
  static std::byte* column_at(const row_pointers& p, index_t row, index_t inner, int s, bool total) {
    int before = 0;
    for (int j = 0; j < s; ++j) before += K.stores[j].kind == store_kind::column;
    return p.scratch +
           static_cast<std::size_t>(kept_count(K)) * rounded_up((static_cast<std::size_t>(row) + 64) * 8) +
           static_cast<std::size_t>(2 * before + total) * rounded_up((static_cast<std::size_t>(inner) + 64) * 8);
  }

  /// One vector of pass P at place i of the innermost loop (place `flat` of the row).
  template <int P, int U, class Part>
  [[gnu::always_inline]] static void vector_step(const Part& part, values<K, A>& r, const row_pointers& p,
                                                 accumulators& acc, index_t i, index_t flat, index_t row,
                                                 index_t inner) {
    values<K, A> v;
    each_node([&]<int I>() {
      constexpr kernel_node n = K.nodes[I];
      if constexpr (need<P>.computed[I]) {
        if constexpr (n.load >= 0) get<I>(v) = load_node<K, I, A>(part, p, i);
        else get<I>(v) = compute<I>(v, r);
        if constexpr (n.kept && n.phase == P) simd::store(kept_at<I>(p, row) + flat, get<I>(v));
      } else if constexpr (need<P>.reread[I]) {
        get<I>(v) = simd::load<element_of<I>>(kept_at<I>(p, row) + flat);
      }
      if constexpr (is_reduction(n.op) && n.phase == P + 1) {
        constexpr int x = n.in[0];
        auto value = operand<x, K.nodes[x].at == level::row>(v, r);
        auto& a = get<I>(acc).lanes[U];
        a = combine<n.op>(a, part.keep(value, element_of<I>(neutral<I>())));
      }
    });
    each_store([&]<int S>() {
      constexpr kernel_store s = K.stores[S];
      constexpr int a = K.loads + S;
      using T = ctype<s.type>;
      if constexpr (s.kind == store_kind::element && s.phase == P) {
        auto value = operand<s.node, K.nodes[s.node].at == level::row>(v, r);
        T* to = reinterpret_cast<T*>(p.base[a]);
        if constexpr (s.stride == stride_kind::strided) part.store_strided(to + i * p.step[a], p.step[a], value);
        else part.store(to + i, value);
      } else if constexpr (s.kind == store_kind::column && s.phase == P) {
        auto value = operand<s.node, K.nodes[s.node].at == level::row>(v, r);
        T* to = reinterpret_cast<T*>(column_at(p, row, inner, S, false)) + i;
        simd::store(to, combine<s.reduce>(simd::load<decltype(value)>(to), value));
      }
    });
  }

  template <int P> [[gnu::always_inline]] static void pass(const kernel_call& c, std::byte* const* start,
                                                           values<K, A>& r, row_pointers& p, accumulators& acc,
                                                           index_t row, index_t inner) {
    constexpr int U = unroll<P>();
    std::byte* at_segment[static_cast<std::size_t>(accesses + 1)];
    for (int a = 0; a < accesses; ++a) at_segment[a] = start[a];
    index_t at[max_loops]{};
    const index_t segments = inner ? row / inner : 0;
    for (index_t s = 0; s < segments; ++s) {
      for (int a = 0; a < accesses; ++a) p.base[a] = at_segment[a];
      const index_t first = s * inner;
      for (index_t block = 0; block < inner;) {
        const index_t end = reduces<P>() && inner - block > block_elements ? block + block_elements : inner;
        index_t i = block;
        for (; i + U * W <= end; i += U * W)
          [&]<int... V>(std::integer_sequence<int, V...>) {
            (vector_step<P, V>(full_part{}, r, p, acc, i + V * W, first + i + V * W, row, inner), ...);
          }(std::make_integer_sequence<int, U>{});
        if constexpr (U > 1)
          for (; i + W <= end; i += W) vector_step<P, 0>(full_part{}, r, p, acc, i, first + i, row, inner);
        if (i < end)
          vector_step<P, 0>(tail_part{static_cast<std::size_t>(end - i)}, r, p, acc, i, first + i, row, inner);
        if constexpr (reduces<P>()) fold<P>(acc);
        block = end;
      }
      if (s + 1 < segments) advance(c, c.segments, c.rows, at, at_segment);
    }
  }

  template <int P> [[gnu::always_inline]] static void fold(accumulators& acc) {
    each_node([&]<int I>() {
      if constexpr (is_reduction(K.nodes[I].op) && K.nodes[I].phase == P + 1) get<I>(acc).fold();
    });
  }

  [[gnu::always_inline]] static void one_row(const kernel_call& c, std::byte* const* start, values<K, A>& r,
                                             row_pointers& p, index_t row, index_t inner) {
    accumulators acc;
    for (int a = 0; a < accesses; ++a) p.base[a] = start[a];
    each_node([&]<int I>() {
      if constexpr (is_reduction(K.nodes[I].op)) get<I>(acc).open();
    });
    [&]<int... P>(std::integer_sequence<int, P...>) {
      ((row_values<P>(r, p, acc), [&] {
         if constexpr (runs<P>()) pass<P>(c, start, r, p, acc, row, inner);
       }()), ...);
    }(std::make_integer_sequence<int, K.phases>{});
    row_values<K.phases>(r, p, acc);
    each_store([&]<int S>() {
      constexpr kernel_store s = K.stores[S];
      if constexpr (s.kind == store_kind::row)
        simd::store_partial(reinterpret_cast<ctype<s.type>*>(start[K.loads + S]), 1, get<s.node>(r));
    });
  }

  // Columns

  template <int S> static constexpr bool wide_column() {
    return K.stores[S].type == dtype::float32 && K.stores[S].reduce == id_of<reduce_sum_>;
  }
  static void open_columns(const row_pointers& p, index_t row, index_t inner) {
    each_store([&]<int S>() {
      constexpr kernel_store s = K.stores[S];
      if constexpr (s.kind == store_kind::column) {
        using T = ctype<s.type>;
        T first = T(0);
        if constexpr (s.reduce == id_of<reduce_max_>)
          first = std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                       : std::numeric_limits<T>::lowest();
        if constexpr (s.reduce == id_of<reduce_min_>)
          first = std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity()
                                                       : std::numeric_limits<T>::max();
        T* sums = reinterpret_cast<T*>(column_at(p, row, inner, S, false));
        for (index_t i = 0; i < inner + W; ++i) sums[i] = first;
        if constexpr (wide_column<S>()) {
          double* totals = reinterpret_cast<double*>(column_at(p, row, inner, S, true));
          for (index_t i = 0; i < inner; ++i) totals[i] = 0;
        }
      }
    });
  }
  static void flush_columns(const row_pointers& p, index_t row, index_t inner) {
    each_store([&]<int S>() {
      if constexpr (K.stores[S].kind == store_kind::column && wide_column<S>()) {
        float* sums = reinterpret_cast<float*>(column_at(p, row, inner, S, false));
        double* totals = reinterpret_cast<double*>(column_at(p, row, inner, S, true));
        for (index_t i = 0; i < inner; ++i) {
          totals[i] += static_cast<double>(sums[i]);
          sums[i] = 0;
        }
      }
    });
  }
  /// Writes the columns of the k-th row that stays.
  static void close_columns(const kernel_call& c, index_t k, int first_summed, const row_pointers& p, index_t row,
                            index_t inner) {
    flush_columns(p, row, inner);
    each_store([&]<int S>() {
      constexpr kernel_store s = K.stores[S];
      if constexpr (s.kind == store_kind::column) {
        using T = ctype<s.type>;
        constexpr int a = K.loads + S;
        index_t offset = 0, rest = k;
        for (int r = first_summed; r-- > 0;) {
          offset += rest % c.extent[r] * c.stride[a][r];
          rest /= c.extent[r];
        }
        T* to = reinterpret_cast<T*>(c.base[a]) + offset;
        const T* sums = reinterpret_cast<const T*>(column_at(p, row, inner, S, false));
        if constexpr (wide_column<S>()) {
          const double* totals = reinterpret_cast<const double*>(column_at(p, row, inner, S, true));
          for (index_t i = 0; i < inner; ++i) to[i * p.step[a]] = static_cast<T>(totals[i]);
        } else {
          for (index_t i = 0; i < inner; ++i) to[i * p.step[a]] = sums[i];
        }
      }
    });
  }
};

/// One kernel, compiled once a program for each architecture that its units are built for.
template <auto K, class A> [[gnu::noinline]] void run_kernel(const kernel_call& c) { nest<K, A>::run(c); }

}  // namespace weft::detail
