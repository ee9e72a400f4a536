// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/interpret_tiles.hpp>

// The tile interpreter: a kernel that is known at run time only, under the loops of all kernels. A
// pass goes over a row tile by tile, and over a tile op by op. Blocks, chunks and totals are those
// of compiled kernels, and so are the bits.
namespace weft::detail {

template <class A>
class tile_interpreter : tile_values<A> {
  using part_kind = kernel_part::kind;
  using values = tile_values<A>;
  using values::accesses_, values::at_, values::base_, values::c_, values::call_, values::in_blocks,
      values::inner_, values::k_, values::memory, values::node, values::part_, values::reduction,
      values::rows_of_tile, values::run_, values::run_along, values::run_tile,
      values::run_tile_of_rows, values::splat_values, values::store, values::total;

 public:
  static void run(const kernel_call& c) {
    const tile_code& code = *static_cast<const tile_code*>(c.code);
    if (code.sizes.empty()) return;
    nest_table t;
    t.rows = &rows;
    t.nodes = code.k.size;
    t.accesses = static_cast<int>(code.sizes.size());
    t.sizes = code.sizes.data();
    t.kept = code.kept;
    t.segmented = true;
    t.column_count = static_cast<int>(code.columns.size());
    t.columns = code.columns.data();
    t.reduction_count = static_cast<int>(code.sums.size());
    t.reductions = code.sums.data();
    nest_call<A>::run(c, t);
  }

 private:
  tile_interpreter(const tile_code& code, const row_run& r) : values(code, r) {}

  // A row

  void run_pass(int p) {
    const tile_pass& pass = c_.passes[static_cast<std::size_t>(p)];
    std::byte* start[row_run::most];
    if (run_.segments > 1) std::copy(base_, base_ + accesses_, start);
    std::byte* partial = pass.reduces && in_blocks() ? part_->partial : nullptr;
    for (index_t segment = 0; segment < run_.segments; ++segment) {
      if (segment > 0) {
        index_t by[row_run::most];
        locate<A>(call_, call_.rows, call_.segments, segment, accesses_, c_.sizes.data(), by);
        for (int a = 0; a < accesses_; ++a) base_[a] = moved(start[a], by[a]);
      }
      const index_t flat = segment * inner_ + (in_blocks() ? part_->first : 0);
      splat_values(pass.steady);
      for (index_t i = pass.along.empty() ? 0 : run_along(pass); i < inner_; i += tile_elements) {
        if (partial) open_totals(pass);
        run_tile(pass, i, flat + i, std::min(tile_elements, inner_ - i));
        if (!partial) continue;
        for (const tile_instruction& t : pass.code)
          if (t.action == tile_action::reduce) std::memcpy(partial + 8 * t.node, total(t.node), 8);
        partial += 8 * k_.size;
      }
    }
    if (run_.segments > 1) std::copy(start, start + accesses_, base_);
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

  /// Rows that follow each other, at least one; short ones several at a time.
  static void rows(const row_run& r) {
    tile_interpreter(*static_cast<const tile_code*>(r.call.code), r).run_rows();
  }
  void run_rows() {
    splat_values(c_.uniform);
    const index_t most = rows_of_tile();
    for (index_t left = run_.rows;;) {
      const index_t rows = std::min(most, left);
      if (rows > 1)
        run_tile_of_rows(rows);
      else
        run_row();
      left -= rows;
      if (left == 0) return;
      for (int a = 0; a < accesses_; ++a) base_[a] = moved(base_[a], rows * run_.to_next_row[a]);
    }
  }
};

}  // namespace weft::detail
