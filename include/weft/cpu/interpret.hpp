// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/interpret_tiles.hpp>

// The tile interpreter: the loops of cpu/nest.hpp over a kernel that is known at run time only. A
// pass goes over a row tile by tile, and over a tile op by op. Blocks, chunks and totals are those
// of compiled kernels, and so are the bits.
namespace weft::detail {

template <class A>
class tile_interpreter : tile_values<A> {
  using part_kind = kernel_part::kind;
  using values = tile_values<A>;
  using values::accesses_, values::along_, values::at_, values::base_, values::c_, values::call_,
      values::column, values::column_at, values::in_blocks, values::inner_, values::k_,
      values::memory, values::move_to, values::moved, values::node, values::part_,
      values::reduction, values::splat_values, values::rows_of_tile, values::run_tile,
      values::run_tile_of_rows, values::segments_, values::start_, values::step_, values::store,
      values::total, values::turns;

 public:
  static void run(const kernel_call& c) {
    const tile_code& code = *static_cast<const tile_code*>(c.code);
    if (code.sizes.empty()) return;
    tile_interpreter(code, c).run_rows();
  }

 private:
  tile_interpreter(const tile_code& code, const kernel_call& c) : values(code, c) {}

  // A row

  void run_pass(int p) {
    const tile_pass& pass = c_.passes[static_cast<std::size_t>(p)];
    std::byte* start[max_kernel_loads + max_kernel_stores];
    if (segments_ > 1) std::copy(base_, base_ + accesses_, start);
    std::byte* partial = pass.reduces && in_blocks() ? part_->partial : nullptr;
    for (index_t segment = 0; segment < segments_; ++segment) {
      if (segment > 0) move_to(start, call_.rows, call_.segments, segment);
      const index_t flat = segment * inner_ + (in_blocks() ? part_->first : 0);
      splat_values(pass.steady);
      for (index_t i = 0; i < inner_; i += tile_elements) {
        if (partial) open_totals(pass);
        run_tile(pass, i, flat + i, std::min(tile_elements, inner_ - i));
        if (!partial) continue;
        for (const tile_instruction& t : pass.code)
          if (t.action == tile_action::reduce) std::memcpy(partial + 8 * t.node, total(t.node), 8);
        partial += 8 * k_.size;
      }
    }
    if (segments_ > 1) std::copy(start, start + accesses_, base_);
  }
  void open_totals(const tile_pass& pass) {
    for (const tile_instruction& t : pass.code)
      if (t.action == tile_action::reduce) reduction(t.node).open(total(t.node));
  }

  void run_row() {
    for (std::uint8_t i : c_.reductions) {
      reduction(i).open(total(i));
      if (part_ && part_->totals) std::memcpy(total(i), part_->totals + 8 * i, 8);
    }
    for (int p = 0; p < k_.phases; ++p) {
      splat_values(c_.row_values[static_cast<std::size_t>(p)]);
      if (!c_.passes[static_cast<std::size_t>(p)].runs) continue;
      if (c_.reduces && part_ &&
          (in_blocks() ? part_->phase != p : part_->what == part_kind::finish_row))
        continue;
      run_pass(p);
    }
    if (c_.reduces && in_blocks()) return;
    splat_values(c_.row_values.back());
    for (std::uint8_t s : c_.row_stores)
      memory(store(s).type).store(base_[k_.loads + s], 1, at_[store(s).node], true, 1);
  }

  // Columns

  struct rows_done {
    index_t summed = 1, done = 0, in_chunk = 0;
    int kept_loops = 0;
  };
  template <class F>
  void each_column(F&& f) {
    for (int s = 0; s < k_.store_count; ++s)
      if (store(s).kind == store_kind::column) f(s);
  }
  std::byte* chunk(int s, index_t n) const {
    const index_t before = c_.columns_before[static_cast<std::size_t>(s)];
    return part_->partial + static_cast<std::size_t>(n * c_.columns + before) * row_bytes(inner_);
  }
  void open_chunk() {
    each_column([&](int s) { column(s).open_sums(column_at(s, false), inner_ + splat_places<A>); });
  }
  /// Writes sums, or totals, to where the columns of a row are.
  void write(int s, const rows_done& d, index_t row, const std::byte* from, bool totals) {
    const int a = k_.loads + s;
    index_t by[max_kernel_loads + max_kernel_stores];
    locate<A>(call_, 0, d.kept_loops, d.summed ? (row - 1) / d.summed : row, accesses_,
              c_.sizes.data(), by);
    const tile_memory& m = memory(store(s).type);
    (totals && store(s).reduce == id_of<reduce_sum_> ? m.write_totals : m.write_sums)(
        moved(call_.base[a], by[a]), step_[a], from, inner_);
  }
  void close_chunk(const rows_done& d, index_t row) {
    each_column([&](int s) {
      std::byte *sums = column_at(s, false), *totals = column_at(s, true);
      if (part_) {
        std::memcpy(chunk(s, (row - 1) / column_rows), sums,
                    static_cast<std::size_t>(inner_ * size_of(computed_in(store(s).type))));
        return;
      }
      const bool last = d.done == d.summed;
      if (d.done <= column_rows && last) return write(s, d, row, sums, false);
      if (d.done <= column_rows) column(s).open_totals(totals, inner_);
      column(s).add_sums(totals, sums, inner_);
      if (last) write(s, d, row, totals, true);
    });
  }
  void finish_chunks(const rows_done& d) {
    each_column([&](int s) {
      std::byte* totals = column_at(s, true);
      column(s).open_totals(totals, inner_);
      for (index_t n = 0; n < part_->count; ++n) column(s).add_sums(totals, chunk(s, n), inner_);
      write(s, d, d.summed, totals, true);
    });
  }

  // Rows

  void finish_blocks() {
    for (int i = 0; i < k_.size; ++i) {
      if (!is_reduction(node(i).op) || part_->phase + 1 != node(i).phase) continue;
      reduction(i).open(total(i));
      reduction(i).combine(total(i), part_->partial + 8 * i, 8 * k_.size, part_->count);
      std::memcpy(part_->totals + 8 * i, total(i), 8);
    }
  }
  void run_rows() {
    if (c_.reduces && part_ && part_->what == part_kind::finish_blocks) return finish_blocks();
    splat_values(c_.uniform);
    const index_t length = call_.rows ? call_.extent[call_.rows - 1] : 1;
    index_t row = 0, end = turns(0, call_.rows), place = 0;
    rows_done d;
    if (c_.column >= 0) {
      d.kept_loops = call_.rows;
      while (d.kept_loops > 0 && call_.stride[c_.column][d.kept_loops - 1] == 0) --d.kept_loops;
      d.summed = turns(d.kept_loops, call_.rows);
      if (part_) {
        if (part_->what == part_kind::finish_rows) return finish_chunks(d);
        row = part_->first;
        end = row + part_->count;
        place = row % length;
        d.done = row;
        move_to(start_, 0, call_.rows, row);
      } else if (d.summed == 0) {
        for (index_t k = 0; k < turns(0, d.kept_loops); ++k) open_chunk(), close_chunk(d, k);
        return;
      }
    }
    const index_t most = rows_of_tile();
    while (row < end) {
      if (c_.column >= 0 && d.in_chunk == 0) open_chunk();
      const index_t rows = std::min({most, length - place, end - row});
      if (rows > 1)
        run_tile_of_rows(rows);
      else
        run_row();
      if (c_.column >= 0) {
        ++d.done;
        if (++d.in_chunk == column_rows || d.done == d.summed) {
          close_chunk(d, row + 1);
          d.in_chunk = 0;
          if (d.done == d.summed) d.done = 0;
        }
      }
      row += rows;
      place += rows;
      if (place < length) {
        for (int a = 0; a < accesses_; ++a) base_[a] = moved(base_[a], rows * along_[a]);
      } else if (row < end) {
        place = 0;
        move_to(start_, 0, call_.rows, row);
      }
    }
  }
};

}  // namespace weft::detail
