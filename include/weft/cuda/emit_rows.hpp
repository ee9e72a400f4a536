// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cuda/emit_online.hpp>

namespace weft::detail::cuda {

/// Elements from which on several blocks share a row, where rows are few.
inline constexpr index_t long_row = 16384;

/// Reductions along rows, and what is pointwise around them: a few lanes, a warp or a block a row,
/// by its length; several blocks a row where rows are few and long.
///
/// A thread takes 64 bytes of a row from each operand (layer norm of 4096 bfloat16: 128 threads),
/// the row stays in registers through all phases, so memory is read and written once. Several
/// blocks a row run one kernel a pass: each combines the parts of earlier passes in index order,
/// and the block that comes last finishes the row.
class rows_writer : online_writer {
 public:
  rows_writer(const work& w, bool wide, const card& c, const tuning& u) : online_writer(w, wide) {
    length_ = w.elements.count();
    rows_ = w.kept.count();
    vectors_ = make_vectors(w, w.elements, {&w.kept}, u.vector, false);
    if (!u.vector) peel();
    choose(c, u);
    if (looped_ && !shared_row_) find_online();
  }

  void emit(emitted_step& out) {
    if (rows_ == 0) return;
    if (split_)
      emit_split(out);
    else
      emit_whole(out);
  }

 private:
  /// Bytes of registers that an element costs a thread while its row is on the chip.
  int bytes_on_chip(bool all = false) const {
    int n = 0;
    for (int a = 0; a < k_.loads; ++a)
      if (in_registers(a) && elements().inner_stride(a) != 0 && passes_reading(a) > (all ? 0 : 1))
        n += operand_of(a).size();
    return n + (keeps_ ? 4 * kept_count(k_) : 0);
  }
  /// Rows of 16-bit elements that vectors do not fit, by their length or their address: aligned
  /// vectors all the same. They hold of the accesses that lie as the leading one does.
  void peel() {
    const loop_set& e = elements();
    if (e.size() != 1 || length_.expected() < 256 || width() > 1) return;
    int lead = -1;
    for (int a = 0; a < w_.accesses(); ++a) {
      const bool memory =
          a >= k_.loads ? k_.stores[a - k_.loads].kind == store_kind::element : in_registers(a);
      if (!memory || e.inner_stride(a) != 1) continue;
      if (lead < 0 || operand_of(a).size() < operand_of(lead).size()) lead = a;
    }
    if (lead < 0 || operand_of(lead).size() != 2) return;
    int most = 2;
    for (int a = 0; a < w_.accesses(); ++a)
      if (in_registers(a) && e.inner_stride(a) != 0) most = std::max(most, operand_of(a).size());
    vectors_.width = std::min(8, 32 / most);
    peeled_ = true;
    lead_ = lead;
    for (int a = 0; a < w_.accesses(); ++a) {
      bool whole = in_registers(a) && e.inner_stride(a) == 1 &&
                   (a == lead || (operand_of(a).aligned && operand_of(lead).aligned));
      for (int l = 0; whole && l < w_.kept.size(); ++l)
        whole = (w_.kept.at(l, a).value - w_.kept.at(l, lead).value) % width() == 0;
      vectors_.whole[static_cast<std::size_t>(a)] = whole;
    }
  }
  /// Elements of a row and those in front of its first vector.
  index_t reach(index_t length) const { return length + (peeled_ ? width() - 1 : 0); }
  void define_head(text& t) const {
    if (!peeled_) return;
    t.line("const int head = int((uint64(", paren(base_[static_cast<std::size_t>(lead_)]), ") / ",
           operand_of(lead_).size(), ") % ", width(), ");  // elements before the row");
  }
  void drop_kept() {
    for (int i = 0; i < k_.size; ++i) k_.nodes[i].kept = false;
    keeps_ = false;
  }
  void choose(const card& c, const tuning& u) {
    int largest = 1;
    for (int a = 0; a < w_.accesses(); ++a)
      if (!operand_of(a).position && elements().inner_stride(a) != 0)
        largest = std::max(largest, operand_of(a).size());
    const index_t length = most_elements(), vectors = (reach(length) + width() - 1) / width();
    const bool is_long = length_.expected() >= long_row || (!rows_.is_dynamic() && is_longer());
    if (rows_.expected() < c.multiprocessors && is_long && u.splits != 1) {
      split_ = looped_ = true;
      drop_kept();
      parts_ = u.items ? u.items : width() == 1 ? 8 : 4;
      const index_t n = reach(length_.value), rows = std::max<index_t>(1, rows_.value);
      // Where two blocks of 512 on each multiprocessor find enough to do, fewer parts are left.
      const index_t enough = index_t{2} * c.multiprocessors * 512 * width() * parts_;
      const bool open = rows_.is_dynamic() || length_.is_dynamic();
      const bool much = !open && rows * n >= enough;
      team_ = u.threads ? u.threads : much ? 512 : 256;
      const index_t piece = index_t{team_} * width() * parts_;
      index_t blocks =
          u.splits ? u.splits : std::max<index_t>(1, (much ? 2 : 4) * c.multiprocessors / rows);
      blocks =
          std::clamp<index_t>(blocks, 1, std::clamp<index_t>((n + piece - 1) / piece, 1, 1024));
      splits_ = blocks;
      if (open) splits_ = named(blocks, "blocks_of_a_row");
      return;
    }
    const int items = u.items ? u.items : std::max(1, 64 / largest / width());
    index_t team = (vectors + items - 1) / items;
    team_ = static_cast<int>(
        std::bit_ceil(static_cast<std::uint64_t>(std::clamp<index_t>(team, 1, 1024))));
    if (length >= 32 && team_ < 32 && vectors >= 32) team_ = 32;
    if (u.threads) team_ = std::min(1024, u.threads);
    keeps_ = kept_count(k_) > 0;
    fit(vectors);
    if (keeps_ && 4 * kept_count(k_) * parts_ * width() > 128) drop_kept();
    const bool several = k_.phases > 1;
    const int budget = team_ >= 1024 ? 128 : 192;
    while (parts_ * width() * bytes_on_chip() > budget || (!several && parts_ > 8)) {
      if (u.threads || team_ >= 1024) {
        looped_ = true;
        drop_kept();
        team_ = u.threads ? team_ : 512;
        parts_ = u.items ? u.items : width() == 1 ? 8 : 4;
        break;
      }
      team_ *= 2;
      fit(vectors);
    }
    if (is_longer() && !looped_) {
      looped_ = true;
      drop_kept();
      team_ = u.threads ? team_ : 512;
      parts_ = u.items ? u.items : width() == 1 ? 8 : 4;
    }
    keep_in_shared(c, u);
    late_ = !looped_ && parts_ * width() * bytes_on_chip(true) > budget;
    teams_ = team_ >= 128 ? 1 : team_ > 32 ? 1 : (u.rows ? u.rows * team_ : 128) / team_;
    teams_ = std::max(1, teams_);
    if (team_ * teams_ < 32) teams_ = 32 / team_;
  }
  /// A row that leaves no registers for a second block beside it is read again in each pass where
  /// the L2 cache holds the rows at work, which measured faster than shared memory (cross entropy
  /// of 50,304 classes: 522 us beside 678). Else it lies in shared memory: while one block
  /// computes, the other's loads are under way.
  void keep_in_shared(const card& c, const tuning& u) {
    if (u.threads || k_.phases == 1 || (!looped_ && team_ < 1024)) return;
    int bytes = 0;
    for (int a = 0; a < k_.loads; ++a)
      if (in_registers(a) && elements().inner_stride(a) != 0 && passes_reading(a) > 1)
        bytes += operand_of(a).size();
    const std::size_t row = static_cast<std::size_t>(most_elements() * bytes) + 4096;
    if (bytes == 0 || row > c.shared_per_block) return;
    looped_ = true;
    shared_row_ =
        !length_.is_dynamic() && 2 * row * static_cast<std::size_t>(c.multiprocessors) > c.l2_bytes;
    drop_kept();
    team_ = !shared_row_ || 2 * row <= c.shared_per_block ? 512 : 1024;
    parts_ = u.items ? u.items : width() == 1 ? 8 : 4;
  }
  void fit(index_t vectors) {
    parts_ = static_cast<int>(std::max<index_t>(1, (vectors + team_ - 1) / team_));
  }

  void emit_whole(emitted_step& out) {
    emitted_kernel r;
    r.name = "rows_" + ops_name(k_);
    const int threads = team_ * teams_;
    r.grid[0] = static_cast<unsigned>((rows_.value + teams_ - 1) / teams_);
    r.block[0] = static_cast<unsigned>(threads);
    text t;
    t.raw(prologue());
    head(t, r.name, threads,
         say(team_, team_ == 1 ? " thread" : " threads", " a row, ", teams_,
             teams_ == 1 ? " row" : " rows", " a block; ",
             shared_row_ ? "the row stays in shared memory"
             : looped_   ? "the row is read again in each pass"
                         : "the row stays in registers",
             "."));
    r.shared_bytes = static_cast<unsigned>(shared_bytes(k_.loads));
    declare_shared(t);
    declare_row_memory(t);
    t.line("const int t = int(threadIdx.x)", teams_ > 1 ? say(" % ", team_) : std::string(), ";");
    const bool rest = rows_.is_dynamic() ? teams_ > 1 : !rows_.divides_by(teams_);
    t.line("const ", position_, " ", rest ? "asked" : "row", " = ",
           wide_ ? "int64(blockIdx.x)" : "int(blockIdx.x)",
           teams_ > 1 ? say(" * ", teams_, " + int(threadIdx.x) / ", team_) : std::string(), ";");
    if (rest) {
      t.line("const bool there = asked < ", rows_, ";  // all lanes take part in shuffles");
      t.line("const ", position_, " row = there ? asked : ", rows_ - 1, ";");
      store_guard_ = "there";
    }
    if (looped_ && !peeled_) t.line("const ", position_, " end = ", length_, ";");
    move_bases(t, w_.kept, coordinates(t, w_.kept, "row", "r"), "_row");
    define_head(t);
    if (looped_ && peeled_) t.line("const ", position_, " end = ", length_, " + head;");
    declare_row(t);
    for (int p = 0; p < k_.phases; ++p) {
      row_values(t, p);
      if (is_online(p)) {
        online_pass(t, p++);
        continue;
      }
      if (!runs(p)) continue;
      pass(t, p);
      combine(t, p);
    }
    row_values(t, k_.phases);
    if (stores_rows()) {
      const std::string guard = rest ? "there" : "";
      t.open("if (", team_ > 1 ? "t == 0" : "", team_ > 1 && rest ? " && " : "", guard,
             team_ == 1 && !rest ? "true" : "", ")");
      store_row(t);
      t.close();
    }
    t.close();
    t.raw(epilogue());
    finish_kernel(r, t.str(), wide_);
    out.kernels.push_back(std::move(r));
  }

  // Several blocks a row

  std::string parts_of(int i) const {
    return say("(", total_type_of(i), "*)((char*)workspace + ", place_of_parts(i), ")");
  }
  number counter_bytes() const { return pieces(rows_ * 4, 256) * 256; }
  number place_of_parts(int i) const {
    number n = counter_bytes();
    for (int j = 0; j < i; ++j)
      if (is_reduction(k_.nodes[j].op)) n = n + rows_ * splits_ * 8;
    return n;
  }
  /// Reads what all blocks of a row left of pass p, in index order, and of the next where they are
  /// one; every thread then has the results. Returns the last pass that was read.
  int gather_parts(text& t, int p) {
    for (int i = 0; i < k_.size; ++i) {
      if (!ends_at(i, p)) continue;
      const std::string part = value(i) + "_part";
      auto of_split = [&](int j) {
        return say("fresh(", parts_of(j), " + row * ", splits_, " + s)");
      };
      t.line(total_type_of(i), " ", part, " = ", neutral(k_.nodes[i].op, total_type_of(i)), ";");
      t.line("for (int s = t; s < ", splits_, "; s += ", team_, ") ", part, " = ",
             combined(k_.nodes[i].op, part, of_split(i) + scale_of_part(i, of_split)), ";");
    }
    combine(t, p);
    if (!is_online(p)) return p;
    row_values(t, p + 1);
    return gather_parts(t, p + 1);
  }
  void emit_split(emitted_step& out) {
    int last = 0;
    for (int p = 0; p < k_.phases; ++p)
      if (runs(p)) last = p;
    int sequence = 0;
    for (int p = 0; p <= last; ++p) {
      if (!runs(p)) continue;
      const int end = is_online(p) ? p + 1 : p;
      emit_part(out, p, end, end == last, sequence++);
      p = end;
    }
    auto bytes = [](const number& n) { return static_cast<std::size_t>(n.value); };
    out.counters = std::max(out.counters, bytes(counter_bytes()));
    out.workspace = std::max(out.workspace, bytes(place_of_parts(k_.size)));
  }
  /// The kernel of pass p, and of the next where they are one: that is `end`.
  void emit_part(emitted_step& out, int p, int end, bool last, int number) {
    emitted_kernel r;
    r.name = say("row_parts_", ops_name(k_), "_", number);
    r.grid[0] = static_cast<unsigned>((rows_ * splits_).value);
    r.block[0] = static_cast<unsigned>(team_);
    base_.clear();
    for (int a = 0; a < w_.accesses(); ++a)
      base_.push_back(operand_of(a).position ? say(operand_of(a).offset) : pointer_name(a));
    text t;
    t.raw(prologue());
    head(t, r.name, team_,
         say(splits_, " blocks a row, ", team_ * width() * parts_, " elements each in turn."));
    declare_shared(t);
    t.line("const int t = int(threadIdx.x);");
    t.line("const int row = int(blockIdx.x) / ", splits_, ", split = int(blockIdx.x) % ", splits_,
           ";");
    t.line("const ", position_, " begin = ", wide_ ? "int64(split)" : "split", " * ",
           team_ * width() * parts_, ";");
    if (!peeled_) t.line("const ", position_, " end = ", length_, ";");
    move_bases(t, w_.kept, coordinates(t, w_.kept, "row", "r"), "_row");
    define_head(t);
    if (peeled_) t.line("const ", position_, " end = ", length_, " + head;");
    for (int q = 0; q < p; ++q) {
      row_values(t, q);
      if (runs(q)) q = gather_parts(t, q);
    }
    row_values(t, p);
    // Names of a phase that is finished in this kernel appear twice: in the block's own part, and
    // in the row's.
    if (reduces_at(p)) {
      t.open_block();
      if (end > p) {
        online_pass(t, p, false);
      } else {
        pass(t, p);
        combine(t, p, false);
      }
      t.open("if (t == 0)");
      for (int i = 0; i < k_.size; ++i)
        if (ends_at(i, p) || ends_at(i, end))
          t.line("*(", parts_of(i), " + row * ", splits_, " + split) = ", value(i), "_part;");
      t.close();
      t.close();
    } else {
      pass(t, p);
    }
    if (last) {
      if (reduces_at(p)) {
        t.line("if (!last_to_come((unsigned*)workspace + row, ", splits_, ")) return;");
        gather_parts(t, p);
      } else if (stores_rows()) {
        t.line("if (split != 0) return;");
      }
      row_values(t, end + 1);
      if (stores_rows()) {
        t.open("if (t == 0)");
        store_row(t);
        t.close();
      }
    }
    t.close();
    t.raw(epilogue());
    finish_kernel(r, t.str(), wide_);
    out.kernels.push_back(std::move(r));
  }

  number rows_ = 1;
  int teams_ = 1, lead_ = -1;
  bool keeps_ = false;
};

}  // namespace weft::detail::cuda
