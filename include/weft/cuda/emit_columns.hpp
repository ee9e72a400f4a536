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
    const index_t vectors = (count_.expected() + width() - 1) / width();
    across_ = static_cast<int>(std::min<index_t>(
        32, static_cast<index_t>(
                std::bit_ceil(static_cast<std::uint64_t>(std::max<index_t>(1, vectors))))));
    down_ = threads_ / across_;
    blocks_ = pieces(pieces(count_, width()), across_);
    // 128 bytes in flight a thread.
    int bytes = 0;
    for (int a = 0; a < k_.loads; ++a)
      if (in_registers(a) && !is_fixed(a)) bytes += width() * operand_of(a).size();
    unroll_ = u.items ? u.items : std::clamp(128 / std::max(1, bytes), 1, 8);
    // One wave of blocks, so that none begins when the memory has gone quiet, but not less work
    // each than one round.
    const index_t rows = rows_.value;
    index_t chunks = u.splits ? u.splits
                              : std::max<index_t>(1, std::max(2, resident()) * c.multiprocessors /
                                                         std::max<index_t>(1, blocks_.value));
    chunks = std::min(chunks, std::max<index_t>(1, rows / (index_t{down_} * unroll_)));
    chunks = std::max(chunks, (rows + 256 * down_ - 1) / (index_t{256} * down_));
    chunks = std::min<index_t>(chunks, 65535);
    chunk_ = std::max<index_t>(1, (rows + chunks - 1) / std::max<index_t>(1, chunks));
    chunks_ = std::max<index_t>(1, (rows + chunk_.value - 1) / chunk_.value);
    if (rows_.is_dynamic() || count_.is_dynamic()) {
      chunk_ = named(chunk_.value, "rows_of_a_block");
      chunks_ = named(chunks_.value, "blocks_of_a_column");
    }
  }

  void emit(emitted_step& out) {
    if (count_ == 0) return;
    emitted_kernel r;
    r.name = "columns_" + ops_name(k_);
    r.grid = {static_cast<unsigned>(blocks_.value), static_cast<unsigned>(chunks_.value), 1};
    r.block[0] = static_cast<unsigned>(threads_);
    text t;
    t.raw(prologue());
    head(t, r.name, bounds(),
         say("A block: ", across_, " x ", width(), " columns, ", chunk_, " of ", rows_, " rows, ",
             down_, " at once."));
    for (int s = 0; s < k_.store_count; ++s)
      if (is_column(s))
        t.line("WEFT_SHARED ", sum_type(s), " below", s, "[", down_, "][", slots(), "];");
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
    for (int i = 0; i < k_.size; ++i)
      if (is_load(i) && loaded(i) && is_fixed(k_.nodes[i].load)) {
        declare_registers(t, k_.nodes[i].load, columns_, 1);
        t.open("if (there)");
        load_part(t, k_.nodes[i].load, columns_, at, "0");
        t.close();
      }
    t.open("for (", position_,
           " first = begin + down; there && first < end; first += ", down_ * unroll_, ")");
    for (int i = 0; i < k_.size; ++i)
      if (is_load(i) && loaded(i) && !is_fixed(k_.nodes[i].load))
        declare_registers(t, k_.nodes[i].load, columns_, unroll_);
    const std::vector<std::string> bases = base_;
    open_row(t);
    for (int i = 0; i < k_.size; ++i)
      if (is_load(i) && loaded(i) && !is_fixed(k_.nodes[i].load))
        load_part(t, k_.nodes[i].load, columns_, at, "p");
    close_row(t);
    base_ = bases;
    open_row(t);
    lanes(t, at);
    close_row(t);
    base_ = bases;
    t.close();
    finish(t);
    t.close();
    t.raw(epilogue());
    finish_kernel(r, t.str(), wide_);
    out.kernels.push_back(std::move(r));
    if (several_chunks()) {
      auto bytes = [](const number& n) { return static_cast<std::size_t>(n.value); };
      out.counters = std::max(out.counters, bytes(counter_bytes()));
      out.workspace = std::max(out.workspace, bytes(place_of_parts(k_.store_count)));
    }
  }

 private:
  /// Blocks a multiprocessor that what a thread holds lets be there; 0 leaves it to the compiler.
  int resident() const {
    int held = 0;  // bytes
    for (int a = 0; a < w_.accesses(); ++a)
      held += a < k_.loads ? (is_fixed(a) ? 1 : unroll_) * width() * operand_of(a).size()
              : is_column(a - k_.loads) ? 4 * width()
                                        : 0;
    if (threads_ != 256 || held > 224) return 0;
    return held <= 160 && k_.size <= 8 ? 4 : held <= 192 ? 3 : 2;
  }
  std::string bounds() const { return resident() ? say("256, ", resident()) : say(threads_); }
  /// Whether all rows read the same of an access: it is read once, before them.
  bool is_fixed(int a) const { return in_registers(a) && !w_.summed.moves(a); }
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
  /// Where the number of chunks is dynamic, one is added up as several are.
  bool several_chunks() const { return chunks_.is_dynamic() || chunks_.value > 1; }
  number counter_bytes() const { return pieces(blocks_ * 4, 256) * 256; }
  number place_of_parts(int s) const {
    number n = counter_bytes();
    for (int j = 0; j < s; ++j)
      if (is_column(j)) n = n + chunks_ * blocks_ * slots() * 8;
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
        define_load(t, i, columns_, at, is_fixed(k_.nodes[i].load) ? "0" : "p");
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
  /// A block's columns. In shared memory and among the parts lane k of every thread lies behind
  /// lane k - 1 of all threads, so that threads side by side touch words side by side.
  int slots() const { return across_ * width(); }
  /// Threads below each other, in order; then chunks.
  void finish(text& t) const {
    for (int s = 0; s < k_.store_count; ++s) {
      if (!is_column(s)) continue;
      t.line("#pragma unroll");
      t.line("for (int k = 0; k < ", width(), "; ++k) below", s, "[down][k * ", across_,
             " + across] = column", s, "[k];");
    }
    t.line("__syncthreads();");
    if (!several_chunks()) {
      add_below(t, down_, true);
      return;
    }
    add_below(t, down_, false);
    t.line("if (!last_to_come((unsigned*)workspace + blockIdx.x, ", chunks_, ")) return;");
    // All threads read, several chunks each at once, before the first is added.
    const int groups = std::max(1, threads_ / slots());
    const int each = static_cast<int>((chunks_.value + groups - 1) / groups);
    const int batch = chunks_.is_dynamic() ? 4 : std::min(each, 8);
    for (int s = 0; s < k_.store_count; ++s) {
      if (!is_column(s)) continue;
      const std::string type = sum_type(s), none = neutral(k_.stores[s].reduce, type);
      open_slots(t, groups);
      t.line(type, " sum = ", none, ";");
      t.open("for (int first_chunk = group; first_chunk < ", chunks_,
             "; first_chunk += ", groups * batch, ")");
      t.line(type, " part[", batch, "];");
      t.open_unrolled("i", batch);
      t.line("const int chunk = first_chunk + i * ", groups, ";");
      t.line("part[i] = chunk < ", chunks_, " ? fresh(", parts(s), " + ", place_in_parts("chunk"),
             ") : ", none, ";");
      t.close();
      t.line("#pragma unroll");
      t.line("for (int i = 0; i < ", batch,
             "; ++i) sum = ", combined(k_.stores[s].reduce, "sum", "part[i]"), ";");
      t.close();
      t.line("below", s, "[group][slot] = sum;");
      t.close();
    }
    t.line("__syncthreads();");
    add_below(t, groups, true);
  }
  std::string parts(int s) const {
    return say("(", sum_type(s), "*)((char*)workspace + ", place_of_parts(s), ")");
  }
  std::string place_in_parts(const std::string& chunk) const {
    return say("(int64(", chunk, ") * ", blocks_, " + blockIdx.x) * ", slots(), " + slot");
  }
  /// Opens a loop over a block's columns by `groups` groups of threads.
  void open_slots(text& t, int groups) const {
    if (groups > 1) {
      t.open_block();
      t.line("const int slot = int(threadIdx.x) % ", slots(), ", group = int(threadIdx.x) / ",
             slots(), ";");
    } else {
      t.open("for (int slot = int(threadIdx.x), group = 0; slot < ", slots(),
             "; slot += ", threads_, ")");
    }
  }
  void add_below(text& t, int rows, bool result) const {
    t.open("for (int slot = int(threadIdx.x); slot < ", slots(), "; slot += ", threads_, ")");
    if (result) {
      t.line("const ", position_, " e = (", wide_ ? "int64(blockIdx.x)" : "int(blockIdx.x)", " * ",
             across_, " + slot % ", across_, ") * ", width(), " + slot / ", across_, ";");
      t.line("if (e >= ", count_, ") continue;");
    }
    const std::vector<std::string> at =
        result ? coordinates(t, columns_, "e", "c") : std::vector<std::string>{};
    for (int s = 0; s < k_.store_count; ++s) {
      if (!is_column(s)) continue;
      const int a = k_.loads + s;
      const std::string sum = say("sum", s);
      t.line(sum_type(s), " ", sum, " = below", s, "[0][slot];");
      t.line("#pragma unroll");
      t.line("for (int d = 1; d < ", rows, "; ++d) ", sum, " = ",
             combined(k_.stores[s].reduce, sum, say("below", s, "[d][slot]")), ";");
      if (result)
        t.line("*(", plus(base_[static_cast<std::size_t>(a)], offset(columns_, a, at)),
               ") = stored<", memory_type(k_.stores[s].type), ">(", accumulator_type(s), "(", sum,
               "));");
      else
        t.line("(", parts(s), ")[", place_in_parts("blockIdx.y"), "] = ", sum, ";");
    }
    t.close();
  }

  loop_set columns_;
  number count_, rows_, chunk_ = 1, chunks_ = 1, blocks_ = 1;
  int threads_ = 256, across_ = 32, down_ = 8, unroll_ = 8;
};

}  // namespace weft::detail::cuda
