// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cuda/emit_body.hpp>

#include <bit>

namespace weft::detail::cuda {

/// Reductions over outer axes, without reductions along rows: threads side by side take columns
/// side by side, a vector each, and walk down a chunk of rows; lanes of a block below each other,
/// then chunks, are added in order. Up to 8 rows are in flight. A chunk is short enough that a
/// thread sums at most 256 values in float; what follows is summed in double. The block that comes
/// last to its columns adds up the chunks.
class columns_writer : kernel_writer {
 public:
  columns_writer(const work& w, bool wide, const card& c, const tuning& u)
      : kernel_writer(w, wide) {
    columns_ = w.kept;
    for (int l = 0; l < w.elements.size(); ++l)
      columns_.add(w.elements.extent[static_cast<std::size_t>(l)],
                   w.elements.stride[static_cast<std::size_t>(l)]);
    columns_.normalise();
    count_ = columns_.count();
    rows_ = w.summed.count();
    vectors_ = make_vectors(w, columns_, {&w.summed}, u.vector, false);
    threads_ = u.threads ? u.threads : 256;
    const index_t vectors = (count_ + width() - 1) / width();
    across_ = static_cast<int>(std::min<index_t>(
        32, static_cast<index_t>(
                std::bit_ceil(static_cast<std::uint64_t>(std::max<index_t>(1, vectors))))));
    down_ = threads_ / across_;
    blocks_ = (vectors + across_ - 1) / across_;
    int loads = 0;
    for (int a = 0; a < k_.loads; ++a) loads += in_registers(a);
    unroll_ = u.items ? u.items : loads <= 2 ? 8 : loads <= 4 ? 4 : 2;
    // Two waves of four blocks a multiprocessor (hence 64 registers), but not less work each than
    // one round.
    index_t chunks =
        u.splits ? u.splits
                 : std::max<index_t>(1, 8 * c.multiprocessors / std::max<index_t>(1, blocks_));
    chunks = std::min(chunks, std::max<index_t>(1, rows_ / (index_t{down_} * unroll_)));
    chunks = std::max(chunks, (rows_ + 256 * down_ - 1) / (index_t{256} * down_));
    chunks = std::min<index_t>(chunks, 65535);
    chunk_ = std::max<index_t>(1, (rows_ + chunks - 1) / std::max<index_t>(1, chunks));
    chunks_ = std::max<index_t>(1, (rows_ + chunk_ - 1) / chunk_);
  }

  void emit(emitted_step& out) {
    if (count_ == 0) return;
    emitted_kernel r;
    r.name = "columns_" + ops_name(k_);
    r.grid = {static_cast<unsigned>(blocks_), static_cast<unsigned>(chunks_), 1};
    r.block[0] = static_cast<unsigned>(threads_);
    text t;
    t.raw(prologue());
    head(t, r.name, bounds(),
         say("A block: ", across_, " x ", width(), " columns, ", chunk_, " of ", rows_, " rows, ",
             down_, " at once."));
    for (int s = 0; s < k_.store_count; ++s)
      if (is_column(s))
        t.line("WEFT_SHARED ", sum_type(s), " below", s, "[", down_, "][", across_ * width(), "];");
    t.line("const int across = int(threadIdx.x) % ", across_, ", down = int(threadIdx.x) / ",
           across_, ";");
    t.line("const ", position_, " e = (", wide_ ? "int64(blockIdx.x)" : "int(blockIdx.x)", " * ",
           across_, " + across) * ", width(), ";");
    t.line("const bool there = e < ", count_, ";");
    const std::vector<std::string> at = coordinates(t, columns_, "e", "c");
    row_values(t, 0);
    for (int s = 0; s < k_.store_count; ++s)
      if (is_column(s)) {
        t.line(accumulator_type(s), " column", s, "[", width(), "];");
        t.open_unrolled("k", width());
        t.line("column", s, "[k] = ", neutral(k_.stores[s].reduce, accumulator_type(s)), ";");
        t.close();
      }
    t.line("const ", position_, " begin = ", wide_ ? "int64(blockIdx.y)" : "int(blockIdx.y)", " * ",
           chunk_, ";");
    t.line("const ", position_, " end = begin + ", chunk_, " < ", rows_, " ? begin + ", chunk_,
           " : ", rows_, ";");
    t.open("for (", position_,
           " first = begin + down; there && first < end; first += ", down_ * unroll_, ")");
    for (int i = 0; i < k_.size; ++i)
      if (is_load(i) && loaded(i)) declare_registers(t, k_.nodes[i].load, columns_, unroll_);
    const std::vector<std::string> bases = base_;
    open_row(t);
    for (int i = 0; i < k_.size; ++i)
      if (is_load(i) && loaded(i)) load_part(t, k_.nodes[i].load, columns_, at, "p");
    close_row(t);
    base_ = bases;
    open_row(t);
    lanes(t, at);
    close_row(t);
    base_ = bases;
    t.close();
    finish(t, at);
    t.close();
    t.raw(epilogue());
    r.source = t.str();
    out.kernels.push_back(std::move(r));
    if (chunks_ > 1) {
      out.counters = std::max(out.counters, counter_bytes());
      out.workspace = std::max(out.workspace, place_of_parts(k_.store_count));
    }
  }

 private:
  /// Four blocks a multiprocessor where what a thread holds lets them.
  std::string bounds() const {
    int held = 0;  // bytes
    for (int a = 0; a < w_.accesses(); ++a)
      held += a < k_.loads              ? unroll_ * width() * operand_of(a).size()
              : is_column(a - k_.loads) ? 4 * width()
                                        : 0;
    return threads_ == 256 && held <= 224 ? "256, 4" : say(threads_);
  }
  bool is_column(int s) const { return k_.stores[s].kind == store_kind::column; }
  bool loaded(int i) const {
    return k_.nodes[i].at == level::element && in_registers(k_.nodes[i].load);
  }
  std::string accumulator_type(int s) const { return value_type(k_.stores[s].type); }
  /// Of sums across threads and chunks.
  std::string sum_type(int s) const {
    const std::string t = accumulator_type(s);
    return t == "float" && k_.stores[s].reduce == id_of<reduce_sum_> ? "double" : t;
  }
  std::size_t counter_bytes() const {
    return (static_cast<std::size_t>(blocks_) * 4 + 255) / 256 * 256;
  }
  std::size_t place_of_parts(int s) const {
    std::size_t n = counter_bytes();
    for (int j = 0; j < s; ++j)
      if (is_column(j)) n += static_cast<std::size_t>(chunks_ * count_) * 8;
    return n;
  }
  void open_row(text& t) {
    t.open_unrolled("p", unroll_);
    t.line("const ", position_, " row = first + p * ", down_, ";");
    t.open("if (row < end)");
    move_bases(t, w_.summed, coordinates(t, w_.summed, "row", "r"), "_row");
  }
  static void close_row(text& t) {
    t.close();
    t.close();
  }
  void lanes(text& t, const std::vector<std::string>& at) const {
    for (int s = 0; s < k_.store_count; ++s)
      if (!is_column(s) && whole(k_.loads + s)) declare_store(t, s);
    open_lanes(t);
    for (int i = 0; i < k_.size; ++i) {
      if (k_.nodes[i].at == level::row) continue;
      if (is_load(i))
        define_load(t, i, columns_, at, "p");
      else
        define(t, i, applied(i));
    }
    for (int s = 0; s < k_.store_count; ++s) {
      if (!is_column(s)) {
        store_lane(t, s, columns_, at);
        continue;
      }
      const std::string to = say("column", s, width() > 1 ? "[k]" : "[0]");
      t.line(to, " = ", combined(k_.stores[s].reduce, to, value(k_.stores[s].node)), ";");
    }
    close_lanes(t);
    for (int s = 0; s < k_.store_count; ++s)
      if (!is_column(s) && whole(k_.loads + s)) store_whole(t, s, columns_, at);
  }
  /// Threads below each other, in order; then chunks.
  void finish(text& t, const std::vector<std::string>& at) const {
    leave_below(t);
    t.line("__syncthreads();");
    if (chunks_ == 1) {
      add_below(t, at, true);
      return;
    }
    add_below(t, at, false);
    t.line("if (!last_to_come((unsigned*)workspace + blockIdx.x, ", chunks_, ")) return;");
    for (int s = 0; s < k_.store_count; ++s) {
      if (!is_column(s)) continue;
      t.open_unrolled("k", width());
      t.line(sum_type(s), " sum = ", neutral(k_.stores[s].reduce, sum_type(s)), ";");
      t.line("for (int chunk = down; there && chunk < ", chunks_, "; chunk += ", down_, ") sum = ",
             combined(k_.stores[s].reduce, "sum",
                      say("fresh(", parts(s), " + int64(chunk) * ", count_, " + e + k)")),
             ";");
      t.line("below", s, "[down][across * ", width(), " + k] = sum;");
      t.close();
    }
    t.line("__syncthreads();");
    add_below(t, at, true);
  }
  std::string parts(int s) const {
    return say("(", sum_type(s), "*)((char*)workspace + ", place_of_parts(s), ")");
  }
  void leave_below(text& t) const {
    for (int s = 0; s < k_.store_count; ++s) {
      if (!is_column(s)) continue;
      t.line("#pragma unroll");
      t.line("for (int k = 0; k < ", width(), "; ++k) below", s, "[down][across * ", width(),
             " + k] = column", s, "[k];");
    }
  }
  void add_below(text& t, const std::vector<std::string>& at, bool result) const {
    t.open("if (down == 0 && there)");
    for (int s = 0; s < k_.store_count; ++s) {
      if (!is_column(s)) continue;
      const int a = k_.loads + s;
      t.open_unrolled("k", width());
      t.line(sum_type(s), " sum = below", s, "[0][across * ", width(), " + k];");
      t.line(
          "for (int d = 1; d < ", down_, "; ++d) sum = ",
          combined(k_.stores[s].reduce, "sum", say("below", s, "[d][across * ", width(), " + k]")),
          ";");
      if (result) {
        const std::string type = memory_type(k_.stores[s].type);
        t.line("(", plus(base_[static_cast<std::size_t>(a)], offset(columns_, a, at)), ")[k * ",
               columns_.inner_stride(a), "] = stored<", type, ">(", accumulator_type(s), "(sum));");
      } else {
        t.line("(", parts(s), ")[int64(blockIdx.y) * ", count_, " + e + k] = sum;");
      }
      t.close();
    }
    t.close();
  }

  loop_set columns_;
  index_t count_ = 0, rows_ = 0, chunk_ = 1, chunks_ = 1, blocks_ = 1;
  int threads_ = 256, across_ = 32, down_ = 8, unroll_ = 8;
};

}  // namespace weft::detail::cuda
