// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cuda/emit_body.hpp>

#include <bit>

namespace weft::detail::cuda {

/// A kernel that works row by row: a team of threads walks a row once for each phase.
///
/// On the chip: a thread holds `parts` vectors of every load, packed as they are in memory, so that
/// later phases read registers. Where a row does not fit, each phase reads it again (from L2, one
/// hopes), `parts` vectors at a time.
class pass_writer : protected kernel_writer {
 protected:
  using kernel_writer::kernel_writer;

  const loop_set& elements() const { return w_.elements; }
  bool ends_at(int i, int p) const {
    return is_reduction(k_.nodes[i].op) && k_.nodes[i].phase == p + 1;
  }
  bool reduces_at(int p) const {
    for (int i = 0; i < k_.size; ++i)
      if (ends_at(i, p)) return true;
    return false;
  }
  bool runs(int p) const {
    for (int s = 0; s < k_.store_count; ++s)
      if (k_.stores[s].kind != store_kind::row && k_.stores[s].phase == p) return true;
    return reduces_at(p);
  }
  /// Float sums of a looped pass end in double, an iteration's elements at a time.
  bool wide_total(int i) const {
    return looped_ && k_.nodes[i].op == id_of<reduce_sum_> && value_of_type(i) == "float";
  }
  std::string value_of_type(int i) const { return value_type(k_.nodes[i].type); }
  std::string total_type_of(int i) const { return wide_total(i) ? "double" : value_of_type(i); }

  /// The accesses that pass p loads from memory.
  std::vector<int> loads_of(int p) const {
    const auto need = needs(k_, p);
    std::vector<int> r;
    for (int i = 0; i < k_.size; ++i) {
      const kernel_node& n = k_.nodes[i];
      if (!need.computed[i] || n.load < 0 || n.at == level::row || !in_registers(n.load)) continue;
      bool before = false;
      for (int q = 0; q < p && !looped_; ++q)
        before = before || (runs(q) && needs(k_, q).computed[i]);
      if (!before) r.push_back(n.load);
    }
    return r;
  }
  /// How often passes read an element from registers that were filled in an earlier one.
  int passes_reading(int a) const {
    int n = 0;
    for (int p = 0; p < k_.phases; ++p) {
      const auto need = needs(k_, p);
      for (int i = 0; i < k_.size; ++i)
        n += k_.nodes[i].load == a && k_.nodes[i].at == level::element && need.computed[i];
    }
    return n;
  }

  /// Whether every pass reads the row from memory, or from L2 where it is still there.
  bool reads_again() const { return looped_ && !split_ && !shared_row_; }
  bool was_read(int a) const override { return looped_ && !is_shared(a) && passes_reading(a) > 1; }
  /// Where a row is read again, what is not makes room for it: stores, and each load's last pass.
  bool streams(int a) const override {
    if (a < k_.loads && was_read(a))
      return reads_again() && w_.is_large(a) && pass_ >= last_reading(a);
    bool again = false;
    for (int b = 0; a >= k_.loads && reads_again() && b < k_.loads; ++b)
      again = again || (in_registers(b) && elements().inner_stride(b) != 0 && w_.is_large(b) &&
                        passes_reading(b) > 1);
    return kernel_writer::streams(a) || (again && w_.is_large(a));
  }
  int last_reading(int a) const {
    int last = 0;
    for (int p = 0; p < k_.phases; ++p)
      for (int x : loads_of(p))
        if (x == a) last = p;
    return last;
  }

  /// Whether an access is loaded where it is used, not ahead: one pass reads it, and registers are
  /// short.
  bool is_late(int a) const { return late_ && passes_reading(a) == 1; }

  /// Whether a looped row keeps an access in shared memory: the first pass that reads it leaves it
  /// there, each thread what it will read again itself.
  bool is_shared(int a) const {
    return shared_row_ && in_registers(a) && elements().inner_stride(a) != 0 &&
           passes_reading(a) > 1;
  }
  std::size_t shared_bytes(int accesses) const {
    std::size_t n = 0;
    for (int a = 0; a < accesses; ++a)
      if (is_shared(a))
        n += (static_cast<std::size_t>(length_.value) *
                  static_cast<std::size_t>(operand_of(a).size()) +
              15) /
             16 * 16;
    return n;
  }
  void declare_row_memory(text& t) const {
    if (!shared_row_) return;
    t.line("WEFT_DYNAMIC_SHARED(row_memory);");
    for (int a = 0; a < k_.loads; ++a)
      if (is_shared(a)) {
        const std::string m = memory_type(operand_of(a).type);
        t.line(m, "* const ", pointer_name(a), "_kept = (", m, "*)(row_memory + ",
               shared_bytes(a) / 16, ");");
      }
  }
  bool read_before(int a, int p) const {
    for (int q = 0; q < p; ++q) {
      if (!runs(q)) continue;
      const auto need = needs(k_, q);
      for (int i = 0; i < k_.size; ++i)
        if (k_.nodes[i].load == a && k_.nodes[i].at == level::element && need.computed[i])
          return true;
    }
    return false;
  }
  /// Loads part p of an access in pass `pass`: from memory, or from where an earlier pass left it.
  void load_in_pass(text& t, int a, int pass, const std::vector<std::string>& at) const {
    const std::string to = registers(a) + "[p]", kept = pointer_name(a) + "_kept";
    const bool one = width() == 1;
    if (!is_shared(a)) return load_part(t, a, elements(), at, "p");
    if (read_before(a, pass)) {
      t.line(to, " = ", one ? kept + "[e]" : say("load<", width(), ">(", kept, " + e)"), ";");
      return;
    }
    load_part(t, a, elements(), at, "p");
    if (one)
      t.line(kept, "[e] = ", to, ";");
    else
      t.line("store(", kept, " + e, ", to, ");");
  }

  /// Whether a row may be shorter than what its team takes.
  bool is_short() const {
    return length_.is_dynamic() || length_ != index_t{team_} * width() * parts_;
  }
  bool guarded() const { return split_ || peeled_ || is_short(); }
  /// The elements that a schedule is made for: of rows whose length is dynamic a power of two that
  /// holds what is expected. Longer ones are read again in each pass.
  index_t most_elements() const {
    if (!length_.is_dynamic()) return length_.value;
    return static_cast<index_t>(
        std::bit_ceil(static_cast<std::uint64_t>(std::max<index_t>(length_.expected(), 32))));
  }
  bool is_longer() const { return length_.value > most_elements(); }
  void open_part(text& t) const {
    t.open_unrolled("p", parts_);
    t.line("const ", position_, " e = ", looped_ ? "first + " : "", "(p * ", team_, " + t) * ",
           width(), peeled_ ? " - head" : "", ";");
    if (looped_ || guarded())
      t.open("if (e ", peeled_ && looped_ ? "+ head < " : "< ", looped_ ? "end" : say(length_),
             ")");
    if (peeled_) t.line("const bool inside = e >= 0 && e + ", width(), " <= ", length_, ";");
  }
  std::string lane_inside() const override {
    return say(wide_ ? "uint64(e + k) < uint64(" : "uint32(e + k) < uint32(", length_, ")");
  }
  void close_part(text& t) const {
    if (looped_ || guarded()) t.close();
    t.close();
  }

  /// What registers a row needs throughout: those of loads, and of values that are kept.
  void declare_row(text& t) const {
    if (looped_) return;
    for (int p = 0; p < k_.phases; ++p)
      if (runs(p))
        for (int a : loads_of(p))
          if (!is_late(a) && !is_ahead(a)) declare_registers(t, a, elements(), parts_);
    for (int i = 0; i < k_.size; ++i)
      if (k_.nodes[i].kept)
        t.line(value_of_type(i), " ", value(i), "_kept[", parts_ * width(), "];");
  }

  /// Pass p over a row: accumulators `sum_5_part`, not yet combined by the team.
  void pass(text& t, int p) {
    t.line("// pass ", p + 1, " of ", k_.phases, ": ", purpose(p));
    open_totals(t, p);
    if (looped_) open_turns(t);
    if (looped_) open_sums(t, p);
    std::vector<int> loads, late;
    for (int a : loads_of(p))
      if (!is_ahead(a)) (is_late(a) ? late : loads).push_back(a);
    load_parts(t, p, loads);
    work_on_parts(t, p, late);
    if (looped_) close_sums(t, p);
    if (looped_) t.close();
  }
  std::string purpose(int p) const {
    std::string what;
    for (int i = 0; i < k_.size; ++i)
      if (ends_at(i, p))
        what += (what.empty() ? "" : ", ") + reduce_word(k_.nodes[i].op) + " of " +
                value(k_.nodes[i].in[0]);
    for (int s = 0; s < k_.store_count; ++s)
      if (k_.stores[s].kind != store_kind::row && k_.stores[s].phase == p)
        what += (what.empty() ? "" : ", ") +
                say(k_.stores[s].kind == store_kind::column ? "columns of y" : "y", s);
    return what;
  }
  void open_totals(text& t, int p) const {
    for (int i = 0; i < k_.size; ++i)
      if (ends_at(i, p))
        t.line(total_type_of(i), " ", value(i),
               "_part = ", neutral(k_.nodes[i].op, total_type_of(i)), ";");
  }
  /// The loop over a row that is not on the chip.
  void open_turns(text& t) const {
    const std::string turn = say(team_ * width() * parts_);
    t.open("for (", position_, " first = ", split_ ? "begin" : "0",
           "; first < end; first += ", split_ ? say(splits_, " * ", turn) : turn, ")");
  }
  /// What a turn sums in float.
  void open_sums(text& t, int p) const {
    for (int i = 0; i < k_.size; ++i)
      if (ends_at(i, p) && wide_total(i)) t.line("float ", value(i), "_now = 0.0f;");
  }
  void close_sums(text& t, int p) const {
    for (int i = 0; i < k_.size; ++i)
      if (ends_at(i, p) && wide_total(i)) t.line(value(i), "_part += ", value(i), "_now;");
  }
  void load_parts(text& t, int p, const std::vector<int>& loads) {
    pass_ = p;
    if (looped_)
      for (int a : loads) declare_registers(t, a, elements(), parts_);
    if (loads.empty()) return;
    open_part(t);
    const std::vector<std::string> at = coordinates(t, elements(), "e", "c");
    for (int a : loads) load_in_pass(t, a, p, at);
    close_part(t);
  }
  /// What pass p does with the parts of a row that are in registers; it loads the `late` ones.
  void work_on_parts(text& t, int p, const std::vector<int>& late) {
    const auto need = needs(k_, p);
    open_part(t);
    const std::vector<std::string> at = coordinates(t, elements(), "e", "c");
    for (int a : late) {
      declare_registers(t, a, elements(), 1);
      load_part(t, a, elements(), at, "0");
    }
    for (int s = 0; s < k_.store_count; ++s)
      if (stores_at(s, p, store_kind::element) && whole(k_.loads + s)) declare_store(t, s);
    before_lanes(t, p);
    for (int i = 0; i < k_.size; ++i)
      if (need.computed[i] && in_blocks(i)) define_words(t, i, elements(), at);
    if (peeled_) t.open("if (inside)");
    // A row's one vector with the place that is asked for is worked on apart from all others.
    int asked = -1;
    for (int i = 0; i < k_.size; ++i)
      if (need.computed[i] && compared_place(i) >= 0)
        asked = asked < 0 || asked == compared_place(i) ? compared_place(i) : k_.size;
    if (width() > 1 && asked >= 0 && asked < k_.size) {
      t.open("if (", wide_ ? "uint64(" : "uint32(", value(asked), "_p - e) < ", width(), ")");
      lanes(t, p, at);
      t.close();
      t.open("else");
      cold_ = true;
      lanes(t, p, at);
      cold_ = false;
      t.close();
    } else {
      lanes(t, p, at);
    }
    for (int s = 0; s < k_.store_count; ++s)
      if (stores_at(s, p, store_kind::element) && whole(k_.loads + s)) {
        if (!store_guard_.empty()) t.open("if (", store_guard_, ")");
        store_whole(t, s, elements(), at);
        if (!store_guard_.empty()) t.close();
      }
    if (peeled_) {
      t.close();
      t.open("else");
      const std::vector<char> whole = vectors_.whole;
      vectors_.whole.assign(whole.size(), 0);
      edge_ = true;
      lanes(t, p, at);
      edge_ = false;
      vectors_.whole = whole;
      t.close();
    }
    after_lanes(t, p);
    close_part(t);
  }
  /// One statement a node of the pass, one store a lane.
  void lanes(text& t, int p, const std::vector<std::string>& at) {
    const auto need = needs(k_, p);
    open_lanes(t);
    if (edge_) t.open("if (", lane_inside(), ")");
    for (int i = 0; i < k_.size; ++i) {
      const kernel_node& n = k_.nodes[i];
      if (need.computed[i]) {
        if (is_load(i))
          define_load(t, i, elements(), at, is_late(n.load) ? "0" : "p");
        else
          define(t, i, computed(i));
        if (n.kept && n.phase == p) t.line(value(i), "_kept[", lane_place(), "] = ", value(i), ";");
      } else if (need.reread[i]) {
        define(t, i, say(value(i), "_kept[", lane_place(), "]"));
      }
      if (!ends_at(i, p) || (cold_ && n.op == id_of<reduce_sum_> && is_zero_when_cold(n.in[0])))
        continue;
      const std::string to = value(i) + (wide_total(i) ? "_now" : "_part");
      const std::string x = value(n.in[0]);
      t.line(to, " = ", combined(n.op, to, x), ";");
    }
    for (int s = 0; s < k_.store_count; ++s) {
      if (stores_at(s, p, store_kind::element)) {
        if (whole(k_.loads + s) || store_guard_.empty()) {
          store_lane(t, s, elements(), at);
        } else {
          t.open("if (", store_guard_, ")");
          store_lane(t, s, elements(), at);
          t.close();
        }
      }
      if (stores_at(s, p, store_kind::column)) accumulate_column(t, s);
    }
    if (edge_) t.close();
    close_lanes(t);
  }
  std::string lane_place() const { return width() > 1 ? say("p * ", width(), " + k") : "p"; }

  // Columns: where an element's contribution goes.
  virtual void accumulate_column(text&, int) const {}
  virtual void before_lanes(text&, int) const {}
  virtual void after_lanes(text&, int) const {}

  /// Combines the accumulators of pass p across the team; `from_parts` of them are ready as
  /// `NAME_part`. Every thread then has `NAME`.
  void combine(text& t, int p, bool last = true) {
    const int lanes = team_ < 32 ? team_ : 32;
    bool any = false;
    for (int i = 0; i < k_.size; ++i) {
      if (!ends_at(i, p)) continue;
      any = true;
      if (lanes > 1)
        t.line(value(i), "_part = warp_", reduce_word(k_.nodes[i].op), "<", lanes, ">(", value(i),
               "_part);");
    }
    if (!any) return;
    if (team_ > 32) {
      ++barriers_;
      for (int i = 0; i < k_.size; ++i)
        if (ends_at(i, p))
          t.line("if (t % 32 == 0) ", value(i), "_shared[t / 32] = ", value(i), "_part;");
      t.line("__syncthreads();");
    }
    for (int i = 0; i < k_.size; ++i) {
      if (!ends_at(i, p)) continue;
      std::string x = value(i) + "_part";
      if (team_ > 32)
        x = say("all_", reduce_word(k_.nodes[i].op), "<", team_ / 32, ">(", value(i), "_shared)");
      if (last)
        define(t, i, wide_total(i) ? "float(" + x + ")" : x);
      else
        t.line(value(i), "_part = ", x, ";");
    }
  }
  void declare_shared(text& t) const {
    if (team_ <= 32) return;
    for (int i = 0; i < k_.size; ++i)
      if (is_reduction(k_.nodes[i].op))
        t.line("WEFT_SHARED ", total_type_of(i), " ", value(i), "_shared[", team_ / 32, "];");
  }

  number length_;      ///< elements of a row
  number splits_ = 1;  ///< blocks of a row
  int team_ = 32, parts_ = 1;
  bool looped_ = false, split_ = false, late_ = false, shared_row_ = false;
  bool edge_ = false;        ///< lanes are written for a vector that is not inside its row
  int barriers_ = 0;         ///< of a row
  int pass_ = 0;             ///< whose loads are written
  std::string store_guard_;  ///< where some teams of a warp have no row
};

}  // namespace weft::detail::cuda
