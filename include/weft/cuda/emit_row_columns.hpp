// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cuda/emit_pass.hpp>

namespace weft::detail::cuda {

/// Reductions along rows and over rows of the same tensors in one pass (norm backward: dx, and the
/// gradients of weight and bias). A team walks a chunk of rows with its columns' sums in registers
/// (two blocks a multiprocessor, 256 threads for 4096 elements), leaves them in memory, and a
/// second kernel adds the chunks in order, in double. So few threads hide no latency by their
/// number: the next row is on its way while a row is worked on.
class row_columns_writer : pass_writer {
 public:
  row_columns_writer(const work& w, bool wide, const card& c, const tuning& u)
      : pass_writer(w, wide) {
    if (w.kept.count() != 1)
      throw value_error("weft: internal: columns beside row reductions keep rows apart");
    length_ = w.elements.count();
    rows_ = w.summed.count();
    vectors_ = make_vectors(w, w.elements, {&w.summed}, u.vector, false);
    for (int i = 0; i < k_.size; ++i) k_.nodes[i].kept = false;
    for (int s = 0; s < k_.store_count; ++s) columns_ += is_column(s);
    const index_t vectors = (most_elements() + width() - 1) / width();
    const int items = u.items ? u.items : std::max(1, 16 / width());
    team_ = static_cast<int>(std::bit_ceil(
        static_cast<std::uint64_t>(std::clamp<index_t>((vectors + items - 1) / items, 1, 1024))));
    if (team_ < 32) team_ = 32;
    if (u.threads) team_ = std::clamp(u.threads, 32, 1024);
    int bytes = 4 * columns_;
    for (int a = 0; a < k_.loads; ++a)
      if (in_registers(a) && elements().inner_stride(a) != 0 && passes_reading(a) > 1)
        bytes += operand_of(a).size();
    int all = 4 * columns_;
    for (int a = 0; a < k_.loads; ++a)
      if (in_registers(a) && elements().inner_stride(a) != 0) all += operand_of(a).size();
    parts_ = static_cast<int>(std::max<index_t>(1, (vectors + team_ - 1) / team_));
    late_ = parts_ * width() * all > (team_ >= 1024 ? 144 : 288);
    if (is_longer() || parts_ * width() * bytes > (team_ >= 1024 ? 144 : 288)) {
      looped_ = true;
      late_ = false;
      team_ = 512;
      parts_ = width() == 1 ? 4 : 2;
    }
    teams_ = team_ >= 128 ? 1 : 128 / team_;
    if (team_ > 32) teams_ = 1;
    const index_t teams =
        index_t{u.splits ? u.splits : 2} * c.multiprocessors * std::max(1, 256 / team_);
    chunk_ = std::clamp<index_t>((rows_.value + teams - 1) / teams, 1, 256);
    chunks_ = std::max<index_t>(1, (rows_.value + chunk_.value - 1) / chunk_.value);
    bool several = chunk_.value > 1;
    if (rows_.is_dynamic()) {
      several = rows_.expected() > teams;
      chunk_ = named(chunk_.value, "rows_of_a_team");
      chunks_ = named(chunks_.value, "teams");
    }
    if (!looped_ && !late_ && several) find_ahead(all);
  }

  void emit(emitted_step& out) {
    if (length_ == 0) return;
    if (rows_ != 0) emit_rows(out);
    if (!sums_at_end()) emit_sums(out);
    if (sums_at_end()) out.counters = std::max(out.counters, counter_bytes);
    out.workspace =
        std::max(out.workspace, static_cast<std::size_t>(place_of_parts(k_.store_count).value));
  }

 private:
  bool is_column(int s) const { return k_.stores[s].kind == store_kind::column; }
  std::string accumulator_type(int s) const { return value_type(k_.stores[s].type); }
  number place_of_parts(int s) const {
    number n = sums_at_end() ? static_cast<index_t>(counter_bytes) : 0;
    for (int j = 0; j < s; ++j)
      if (is_column(j)) n = n + pieces(chunks_ * length_ * 8, 256) * 256;
    return n;
  }
  /// Where there is little to add, the block that comes last does it, and a launch is saved.
  bool sums_at_end() const {
    if (chunks_.is_dynamic() || length_.is_dynamic()) return false;
    return rows_ != 0 && chunks_.divides_by(teams_) &&
           chunks_.value * length_.value * columns_ <= 1 << 15;
  }
  static constexpr std::size_t counter_bytes = 256;
  std::string parts(int s) const {
    return say("(", accumulator_type(s), "*)((char*)workspace + ", place_of_parts(s), ")");
  }

  /// What is read a row ahead: what row values and passes read of a row's own, from the first pass
  /// on as far as there are registers for twice of it.
  void find_ahead(int bytes) {
    std::vector<char> ahead(static_cast<std::size_t>(w_.accesses()), 0);
    for (int i = 0; i < k_.size; ++i) {
      const kernel_node& n = k_.nodes[i];
      if (n.load >= 0 && n.at == level::row && in_registers(n.load) && w_.summed.moves(n.load))
        ahead[static_cast<std::size_t>(n.load)] = 1;
    }
    for (int p = 0; p < k_.phases; ++p) {
      if (!runs(p)) continue;
      for (int a : loads_of(p)) {
        if (elements().inner_stride(a) == 0 || !w_.summed.moves(a)) continue;
        ahead[static_cast<std::size_t>(a)] = 1;
        bytes += operand_of(a).size();
      }
      if (parts_ * width() * bytes > 352) return;
      ahead_ = ahead;
    }
  }
  bool is_row_load(int a) const {
    for (int i = 0; i < k_.size; ++i)
      if (k_.nodes[i].load == a && k_.nodes[i].at == level::row) return true;
    return false;
  }
  /// Reads a row into registers named by `suffix`.
  void load_ahead(text& t, const std::string& row, const std::string& suffix) {
    const std::vector<std::string> bases = base_;
    const std::string named = suffix.empty() ? "_first" : suffix;
    move_bases(t, w_.summed, coordinates(t, w_.summed, row, "r" + named), named, false);
    for (int a = 0; a < k_.loads; ++a)
      if (is_ahead(a) && is_row_load(a))
        t.line(registers(a), suffix, " = *", base_[static_cast<std::size_t>(a)], ";");
    t.open_unrolled("p", parts_);
    t.line("const ", position_, " e = (p * ", team_, " + t) * ", width(), ";");
    if (guarded()) t.open("if (e < ", length_, ")");
    const std::vector<std::string> at = coordinates(t, elements(), "e", "c");
    for (int a = 0; a < k_.loads; ++a)
      if (is_ahead(a) && !is_row_load(a)) load_part(t, a, elements(), at, "p", suffix);
    if (guarded()) t.close();
    t.close();
    base_ = bases;
  }
  void declare_ahead(text& t, const std::string& suffix) const {
    for (int a = 0; a < k_.loads; ++a) {
      if (!is_ahead(a)) continue;
      if (is_row_load(a))
        t.line(memory_type(operand_of(a).type), " ", registers(a), suffix, ";");
      else
        declare_registers(t, a, elements(), parts_, suffix);
    }
  }

  void accumulate_column(text& t, int s) const override {
    const std::string to = looped_ ? say("column", s, width() > 1 ? "[k]" : "[0]")
                                   : say("column", s, "[", lane_place(), "]");
    t.line(to, " = ", combined(k_.stores[s].reduce, to, value(k_.stores[s].node)), ";");
  }
  void before_lanes(text& t, int p) const override {
    for (int s = 0; looped_ && s < k_.store_count; ++s) {
      if (!stores_at(s, p, store_kind::column)) continue;
      t.line(accumulator_type(s), " column", s, "[", width(), "];");
      t.line("#pragma unroll");
      t.line("for (int k = 0; k < ", width(), "; ++k) column", s, "[k] = row == first_row ? ",
             neutral(k_.stores[s].reduce, accumulator_type(s)), " : parts", s, "[e + k];");
    }
  }
  void after_lanes(text& t, int p) const override {
    for (int s = 0; looped_ && s < k_.store_count; ++s) {
      if (!stores_at(s, p, store_kind::column)) continue;
      t.line("#pragma unroll");
      t.line("for (int k = 0; k < ", width(), "; ++k) parts", s, "[e + k] = column", s, "[k];");
    }
  }

  void emit_rows(emitted_step& out) {
    emitted_kernel r;
    r.name = "rows_" + ops_name(k_);
    const int threads = team_ * teams_;
    r.grid[0] = static_cast<unsigned>((chunks_.value + teams_ - 1) / teams_);
    r.block[0] = static_cast<unsigned>(threads);
    text t;
    t.raw(prologue());
    head(t, r.name, team_ <= 512 ? say(threads, ", ", std::min(2, 1024 / threads)) : say(threads),
         say(team_, " threads a row, one of ", chunk_, " rows after the other; columns in ",
             looped_ ? "memory" : "registers", "."));
    declare_shared(t);
    t.line("const int t = int(threadIdx.x)", teams_ > 1 ? say(" % ", team_) : std::string(), ";");
    t.line("const ", position_, " chunk = ", wide_ ? "int64(blockIdx.x)" : "int(blockIdx.x)",
           teams_ > 1 ? say(" * ", teams_, " + int(threadIdx.x) / ", team_) : std::string(), ";");
    // A team is a warp or a block, so that none of it is missed in a shuffle or at a barrier.
    if (chunks_.is_dynamic() ? teams_ > 1 : !chunks_.divides_by(teams_))
      t.line("if (chunk >= ", chunks_, ") return;");
    t.line("const ", position_, " first_row = chunk * ", chunk_, ";");
    t.line("const ", position_, " last_row = first_row + ", chunk_, " < ", rows_, " ? first_row + ",
           chunk_, " : ", rows_, ";");
    if (looped_) t.line("const ", position_, " end = ", length_, ";");
    for (int s = 0; s < k_.store_count; ++s) {
      if (!is_column(s)) continue;
      const std::string type = accumulator_type(s);
      t.line(type, "* const parts", s, " = ", parts(s), " + int64(chunk) * ", length_, ";");
      if (looped_) continue;
      t.line(type, " column", s, "[", parts_ * width(), "];");
      t.line("#pragma unroll");
      t.line("for (int k = 0; k < ", parts_ * width(), "; ++k) column", s,
             "[k] = ", neutral(k_.stores[s].reduce, type), ";");
    }
    if (!ahead_.empty()) {
      declare_ahead(t, "");
      t.open_block();
      load_ahead(t, "first_row", "");
      t.close();
    }
    t.open("for (", position_, " row = first_row; row < last_row; ++row)");
    if (!ahead_.empty()) {
      t.line("const ", position_, " next = row + 1 < last_row ? row + 1 : row;");
      declare_ahead(t, "_next");
      load_ahead(t, "next", "_next");
    }
    move_bases(t, w_.summed, coordinates(t, w_.summed, "row", "r"), "_row");
    declare_row(t);
    for (int p = 0; p < k_.phases; ++p) {
      row_values(t, p);
      if (!runs(p)) continue;
      pass(t, p);
      combine(t, p);
    }
    row_values(t, k_.phases);
    if (stores_rows()) {
      t.open("if (t == 0)");
      store_row(t);
      t.close();
    }
    if (!ahead_.empty()) {
      for (int a = 0; a < k_.loads; ++a)
        if (is_ahead(a) && is_row_load(a)) t.line(registers(a), " = ", registers(a), "_next;");
      t.open_unrolled("p", parts_);
      for (int a = 0; a < k_.loads; ++a)
        if (is_ahead(a) && !is_row_load(a))
          t.line(registers(a), "[p] = ", registers(a), "_next[p];");
      t.close();
    }
    // With two barriers a row nobody is so far behind that the next row's sums could meet him.
    if (barriers_ == 1) t.line("__syncthreads();");
    t.close();
    if (!looped_) leave_columns(t);
    if (sums_at_end()) add_chunks(t, threads, r.grid[0]);
    t.close();
    t.raw(epilogue());
    finish_kernel(r, t.str(), wide_);
    out.kernels.push_back(std::move(r));
  }
  void leave_columns(text& t) const {
    t.open_unrolled("p", parts_);
    t.line("const ", position_, " e = (p * ", team_, " + t) * ", width(), ";");
    if (is_short()) t.open("if (e < ", length_, ")");
    for (int s = 0; s < k_.store_count; ++s) {
      if (!is_column(s)) continue;
      const std::string type = accumulator_type(s);
      if (width() == 1) {
        t.line("parts", s, "[e] = column", s, "[p];");
        continue;
      }
      t.line("vec<", type, ", ", width(), "> left", s, ";");
      t.line("#pragma unroll");
      t.line("for (int k = 0; k < ", width(), "; ++k) left", s, "[k] = column", s, "[",
             lane_place(), "];");
      // Rows of parts keep the alignment of a vector, whose width divides them.
      t.line("store(parts", s, " + e, left", s, ");");
    }
    if (is_short()) t.close();
    t.close();
  }

  /// In the kernel's last block: a thread a column, four chunks at once.
  void add_chunks(text& t, int threads, unsigned blocks) {
    for (int a = 0; a < w_.accesses(); ++a)
      if (!operand_of(a).position) base_[static_cast<std::size_t>(a)] = pointer_name(a);
    t.line("if (!last_to_come((unsigned*)workspace, ", blocks, ")) return;");
    t.open("for (", position_, " e = int(threadIdx.x); e < ", length_, "; e += ", threads, ")");
    const std::vector<std::string> at = coordinates(t, elements(), "e", "c");
    for (int s = 0; s < k_.store_count; ++s) {
      if (!is_column(s)) continue;
      const kernel_store& o = k_.stores[s];
      const std::string type = accumulator_type(s), sum = say("sum", s), all = sum_type(s);
      t.line(all, " ", sum, " = ", neutral(o.reduce, all), ";");
      t.open("for (int first = 0; first < ", chunks_, "; first += 4)");
      t.line(type, " part[4];");
      t.line("#pragma unroll");
      t.line("for (int i = 0; i < 4; ++i) part[i] = first + i < ", chunks_, " ? fresh(", parts(s),
             " + int64(first + i) * ", length_, " + e) : ", neutral(o.reduce, type), ";");
      t.line("#pragma unroll");
      t.line("for (int i = 0; i < 4; ++i) ", sum, " = ", combined(o.reduce, sum, all + "(part[i])"),
             ";");
      t.close();
      t.line(
          "*(",
          plus(base_[static_cast<std::size_t>(k_.loads + s)], offset(elements(), k_.loads + s, at)),
          ") = stored<", memory_type(o.type), ">(", type, "(", sum, "));");
    }
    t.close();
  }
  std::string sum_type(int s) const {
    const std::string type = accumulator_type(s);
    return type == "float" && k_.stores[s].reduce == id_of<reduce_sum_> ? "double" : type;
  }

  /// The second kernel: 32 columns a block, 8 threads each.
  void emit_sums(emitted_step& out) {
    emitted_kernel r;
    r.name = "column_sums_" + ops_name(k_);
    r.grid[0] = static_cast<unsigned>((length_.value + 31) / 32);
    r.grid[1] = static_cast<unsigned>(columns_);
    r.block[0] = 256;
    base_.clear();
    for (int a = 0; a < w_.accesses(); ++a) base_.push_back(pointer_name(a));
    text t;
    t.raw(prologue());
    head(t, r.name, 256,
         say("Adds ", rows_ != 0 ? chunks_ : number(0), " chunks of rows in order."));
    t.line("const int across = int(threadIdx.x) % 32, down = int(threadIdx.x) / 32;");
    t.line("const ", position_, " e = ", wide_ ? "int64(blockIdx.x)" : "int(blockIdx.x)",
           " * 32 + across;");
    t.line("const bool there = e < ", length_, ";");
    const std::vector<std::string> at = coordinates(t, elements(), "e", "c");
    int sum_number = 0;
    for (int s = 0; s < k_.store_count; ++s) {
      if (!is_column(s)) continue;
      const kernel_store& o = k_.stores[s];
      const std::string type = accumulator_type(s);
      const std::string sum = sum_type(s);
      t.open("if (blockIdx.y == ", sum_number++, ")");
      t.line("WEFT_SHARED ", sum, " below[8][32];");
      t.line(sum, " sum = ", neutral(o.reduce, sum), ";");
      t.line("for (int chunk = down; there && chunk < ", rows_ != 0 ? chunks_ : number(0),
             "; chunk += 8) sum = ",
             combined(o.reduce, "sum",
                      say(sum, "((", parts(s), ")[int64(chunk) * ", length_, " + e])")),
             ";");
      t.line("below[down][across] = sum;");
      t.line("__syncthreads();");
      t.open("if (down == 0 && there)");
      t.line("for (int d = 1; d < 8; ++d) sum = ", combined(o.reduce, "sum", "below[d][across]"),
             ";");
      const int a = k_.loads + s;
      t.line("*(", plus(base_[static_cast<std::size_t>(a)], offset(elements(), a, at)),
             ") = stored<", memory_type(o.type), ">(", type, "(sum));");
      t.close();
      t.close();
    }
    t.close();
    t.raw(epilogue());
    finish_kernel(r, t.str(), wide_);
    out.kernels.push_back(std::move(r));
  }

  number rows_, chunk_ = 1, chunks_ = 1;
  int teams_ = 1, columns_ = 0;
};

}  // namespace weft::detail::cuda
