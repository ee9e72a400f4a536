// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/kernel_call.hpp>

#include <algorithm>
#include <cstring>

// The loops of a kernel outside its rows: where rows are, chunks of the rows that columns sum, and
// what a team's parts leave to be added up. All kernels of a program share this code and say by
// tables what is theirs, so that compilers see little of a kernel but its arithmetic.
namespace weft::detail {

/// An address some bytes on. As a number: it may be null, of an empty tensor, or a position.
[[gnu::always_inline]] inline std::byte* moved(std::byte* p, index_t by) {
  return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(p) +
                                      static_cast<std::uintptr_t>(by));
}

/// Rows that follow each other along one loop, for a kernel's own function.
struct row_run {
  static constexpr int most = max_kernel_loads + max_kernel_stores;
  const kernel_call& call;
  index_t rows = 1, inner = 1, segments = 1;
  index_t row = 1;            ///< elements of a row, segments and all
  std::byte* base[most];      ///< by access
  index_t step[most];         ///< along the innermost loop, in elements
  index_t to_next_row[most];  ///< in bytes

  explicit row_run(const kernel_call& c) : call(c) {}
};

/// How a column is summed; all columns of one op and dtype share these functions. Sums are in the
/// computed dtype, totals may be wider.
struct column_functions {
  int sum_size = 0;  ///< bytes of one
  void (*open_sums)(std::byte* sums, index_t n) = nullptr;
  void (*open_totals)(std::byte* totals, index_t n) = nullptr;
  void (*add)(std::byte* totals, const std::byte* sums, index_t n) = nullptr;
  void (*write_sums)(std::byte* to, index_t step, const std::byte* sums, index_t n) = nullptr;
  void (*write_totals)(std::byte* to, index_t step, const std::byte* totals, index_t n) = nullptr;
};
template <op_id Op, class Stored, class A>
struct column_code {
  using T = computed_type<Stored>;
  using total = total_type<Op, T>;
  static void open_sums(std::byte* sums, index_t n) {
    fill_columns<T, A>(reinterpret_cast<T*>(sums), n, neutral_of<Op, T>());
  }
  static void open_totals(std::byte* totals, index_t n) {
    fill_columns<total, A>(reinterpret_cast<total*>(totals), n, neutral_of<Op, total>());
  }
  static void add(std::byte* totals, const std::byte* sums, index_t n) {
    add_columns<Op, T, A>(reinterpret_cast<total*>(totals), reinterpret_cast<const T*>(sums), n);
  }
  template <class From>
  static void write(std::byte* to, index_t step, const std::byte* from, index_t n) {
    write_columns<Stored, From, A>(reinterpret_cast<Stored*>(to), step,
                                   reinterpret_cast<const From*>(from), n);
  }
  static constexpr column_functions value{sizeof(T), &open_sums, &open_totals,
                                          &add,      &write<T>,  &write<total>};
};

/// Folds the sums that a team left of one reduction, in order, into the totals.
template <op_id Op, class T, class A>
[[gnu::noinline]] void fold_blocks(const kernel_part& part, int node, int nodes) {
  using total_t = total_type<Op, T>;
  total_t total = neutral_of<Op, total_t>(), one = total;
  for (index_t b = 0; b < part.count; ++b) {
    std::memcpy(&one, part.partial + 8 * (b * nodes + node), sizeof one);
    total = combined<Op>(total, one);
  }
  std::memcpy(part.totals + 8 * node, &total, sizeof total);
}

/// What is a kernel's own.
struct nest_table {
  struct column {
    int access = 0;
    const column_functions* code = nullptr;
  };
  struct reduction {
    int node = 0, phase = 0;
    void (*fold)(const kernel_part&, int node, int nodes) = nullptr;
  };
  void (*rows)(const row_run&) = nullptr;
  int nodes = 0, accesses = 0;
  const int* sizes = nullptr;  ///< bytes of an element, by access
  int kept = 0;                ///< values of a row that lie in scratch
  bool segmented = false;      ///< the outer reduced axes belong to a row; else they are rows, too
  int column_count = 0, reduction_count = 0;
  const column* columns = nullptr;
  const reduction* reductions = nullptr;
};

/// One call of a kernel.
template <class A>
class nest_call {
 public:
  [[gnu::noinline]] static void run(const kernel_call& c, const nest_table& k) {
    nest_call(c, k).run();
  }

 private:
  nest_call(const kernel_call& c, const nest_table& k)
      : c_(c), k_(k), loops_(k.segmented ? c.rows : c.rows + c.segments), run_(c) {
    const int inner = c.rows + c.segments;
    run_.inner = c.extent[inner];
    run_.segments = turns(loops_, inner);
    run_.row = c.part && c.part->row ? c.part->row : run_.segments * run_.inner;
    for (int a = 0; a < k.accesses; ++a) {
      __asm__("" : "+r"(a));  // as below
      run_.base[a] = c.base[a];
      run_.step[a] = c.stride[a][inner];
      run_.to_next_row[a] = loops_ ? c.stride[a][loops_ - 1] * k.sizes[a] : 0;
    }
  }

  void run() {
    if (c_.part && c_.part->what == kernel_part::kind::finish_blocks) {
      for (int r = 0; r < k_.reduction_count; ++r)
        if (k_.reductions[r].phase == c_.part->phase + 1)
          k_.reductions[r].fold(*c_.part, k_.reductions[r].node, k_.nodes);
      return;
    }
    if (k_.column_count > 0) return run_columns();
    run_.rows = loops_ ? c_.extent[loops_ - 1] : 1;
    const index_t all = turns(0, loops_);
    if (all > 0) k_.rows(run_);
    for (index_t row = run_.rows; row < all; row += run_.rows) {
      go_to(row);
      k_.rows(run_);
    }
  }

  /// How often loops first, ..., last - 1 turn. (The empty asm keeps compilers from vector code for
  /// a loop of no turn.)
  index_t turns(int first, int last) const {
    index_t n = 1;
    for (int l = first; l < last; ++l) {
      n *= c_.extent[l];
      __asm__("" : "+r"(n));
    }
    return n;
  }
  void go_to(index_t row) {
    index_t by[row_run::most];
    locate<A>(c_, 0, loops_, row, k_.accesses, k_.sizes, by);
    for (int a = 0; a < k_.accesses; ++a) {
      __asm__("" : "+r"(a));
      run_.base[a] = moved(c_.base[a], by[a]);
    }
  }

  // Columns

  std::byte* sums(int column) const { return column_at(2 * column); }
  std::byte* totals(int column) const { return column_at(2 * column + 1); }
  std::byte* column_at(int n) const {
    return c_.scratch + static_cast<std::size_t>(k_.kept) * row_bytes(run_.row) +
           static_cast<std::size_t>(n) * row_bytes(run_.inner);
  }
  /// The sums of a chunk, where a team leaves them.
  std::byte* chunk(int column, index_t n) const {
    return c_.part->partial +
           static_cast<std::size_t>(n * k_.column_count + column) * row_bytes(run_.inner);
  }

  /// The rows of a call that one column sums, and those done.
  struct rows_done {
    int kept_loops = 0;
    index_t summed = 1, done = 0, in_chunk = 0;
  };
  void open_chunk(index_t lanes) {
    for (int n = 0; n < k_.column_count; ++n)
      k_.columns[n].code->open_sums(sums(n), run_.inner + lanes);
  }
  /// Ends a chunk of rows; the last one writes the columns.
  void close_chunk(const rows_done& d, index_t row) {
    for (int n = 0; n < k_.column_count; ++n) {
      const column_functions& f = *k_.columns[n].code;
      if (c_.part) {
        std::memcpy(chunk(n, (row - 1) / column_rows), sums(n),
                    static_cast<std::size_t>(run_.inner * f.sum_size));
        continue;
      }
      const bool last = d.done == d.summed, only = d.done <= column_rows;
      if (!only || !last) {
        if (only) f.open_totals(totals(n), run_.inner);
        f.add(totals(n), sums(n), run_.inner);
      }
      if (last) write(n, d, row, only);
    }
  }
  void finish_chunks(const rows_done& d) {
    for (int n = 0; n < k_.column_count; ++n) {
      const column_functions& f = *k_.columns[n].code;
      f.open_totals(totals(n), run_.inner);
      for (index_t i = 0; i < c_.part->count; ++i) f.add(totals(n), chunk(n, i), run_.inner);
      write(n, d, d.summed, false);
    }
  }
  /// Writes sums, or totals, to where the columns of a row are.
  void write(int n, const rows_done& d, index_t row, bool from_sums) {
    const int a = k_.columns[n].access;
    index_t by[row_run::most];
    locate<A>(c_, 0, d.kept_loops, d.summed ? (row - 1) / d.summed : row, k_.accesses, k_.sizes,
              by);
    const column_functions& f = *k_.columns[n].code;
    (from_sums ? f.write_sums : f.write_totals)(moved(c_.base[a], by[a]), run_.step[a],
                                                from_sums ? sums(n) : totals(n), run_.inner);
  }

  [[gnu::cold, gnu::noinline]] void run_columns() {
    // A kernel's vectors reach past the end of a row.
    constexpr auto lanes = static_cast<index_t>(simd::native_width<float, A>);
    rows_done d;
    d.kept_loops = loops_;
    while (d.kept_loops > 0 && c_.stride[k_.columns[0].access][d.kept_loops - 1] == 0)
      --d.kept_loops;
    d.summed = turns(d.kept_loops, loops_);
    index_t row = 0, end = turns(0, loops_);
    const index_t length = loops_ ? c_.extent[loops_ - 1] : 1;
    if (c_.part) {
      if (c_.part->what == kernel_part::kind::finish_rows) return finish_chunks(d);
      d.done = row = c_.part->first;
      end = row + c_.part->count;
    } else if (d.summed == 0) {
      for (index_t k = 0; k < turns(0, d.kept_loops); ++k) open_chunk(lanes), close_chunk(d, k);
      return;
    }
    while (row < end) {
      if (d.in_chunk == 0) open_chunk(lanes);
      run_.rows =
          std::min({length - row % length, column_rows - d.in_chunk, d.summed - d.done, end - row});
      go_to(row);
      k_.rows(run_);
      row += run_.rows;
      d.done += run_.rows;
      d.in_chunk += run_.rows;
      if (d.in_chunk == column_rows || d.done == d.summed) {
        close_chunk(d, row);
        d.in_chunk = 0;
        if (d.done == d.summed) d.done = 0;
      }
    }
  }

  const kernel_call& c_;
  const nest_table& k_;
  const int loops_;  ///< of rows
  row_run run_;
};

}  // namespace weft::detail
