// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cuda/emit_body.hpp>

namespace weft::detail::cuda {

/// Pointwise work: every thread takes `parts` vectors, a block's stride apart, loads all of them
/// before the first use, and stores them. 16 bytes an access; two vectors of floats in flight for
/// each operand are meant to reach the copy ceiling.
class pointwise_writer : kernel_writer {
 public:
  pointwise_writer(const work& w, bool wide, const card& c, const tuning& u)
      : kernel_writer(w, wide) {
    const loop_set& e = w.elements;
    vectors_ = make_vectors(w, e, {}, u.vector, true);
    count_ = e.count();
    const index_t vectors = (count_.expected() + width() - 1) / width();
    threads_ = u.threads ? u.threads : 256;
    const index_t full = index_t{c.multiprocessors} * 2048;  // threads that a card holds
    int loads = 0;
    for (int a = 0; a < k_.loads; ++a) loads += in_registers(a) && e.inner_stride(a) != 0;
    parts_ = u.items ? u.items : vectors < 2 * full ? 1 : loads <= 3 ? 2 : 1;
    if (width() == 1 && !u.items && vectors >= 8 * full) parts_ = 4;
  }

  void emit(emitted_step& out) {
    if (count_ == 0) return;
    emitted_kernel r;
    r.name = "pointwise_" + ops_name(k_);
    const index_t block = index_t{threads_} * width() * parts_;
    r.grid[0] = static_cast<unsigned>((count_.value + block - 1) / block);
    r.block[0] = static_cast<unsigned>(threads_);
    text t;
    t.raw(prologue());
    head(t, r.name, threads_, say("Each thread: ", parts_, " x ", width(), " elements."));
    row_values(t, 0);
    t.line("const ", position_, " first = ", wide_ ? "int64(blockIdx.x)" : "int(blockIdx.x)", " * ",
           block, ";");
    // A dynamic count of one loop has a rest, even where that is empty this time.
    const bool rest =
        count_.is_dynamic() && w_.elements.size() == 1 ? width() > 1 : !count_.divides_by(width());
    const bool exact = !count_.is_dynamic() && count_.divides_by(block);
    if (rest) t.open("if (first + ", block, " <= ", count_, ")");
    body(t, !exact && !rest);
    if (rest) {
      t.close();
      t.open("else");
      vectors_.width = 1;
      vectors_.whole.assign(vectors_.whole.size(), 0);
      t.open("for (", position_, " e = first + int(threadIdx.x); e < ", count_, "; e += ", threads_,
             ")");
      const std::vector<std::string> at = coordinates(t, w_.elements, "e", "c");
      for (int i = 0; i < k_.size; ++i)
        if (is_load(i) && loaded(i)) {
          declare_registers(t, k_.nodes[i].load, w_.elements, 1);
          load_part(t, k_.nodes[i].load, w_.elements, at, "0");
        }
      lanes(t, at, "0");
      t.close();
      t.close();
    }
    t.close();
    t.raw(epilogue());
    finish_kernel(r, t.str(), wide_);
    out.kernels.push_back(std::move(r));
  }

 private:
  bool loaded(int i) const {
    return k_.nodes[i].at == level::element && in_registers(k_.nodes[i].load);
  }
  void open_part(text& t, bool guarded) const {
    t.open_unrolled("p", parts_);
    t.line("const ", position_, " e = first + (p * ", threads_, " + int(threadIdx.x)) * ", width(),
           ";");
    if (guarded) t.open("if (e < ", count_, ")");
  }
  void body(text& t, bool guarded) const {
    bool any = false;
    for (int i = 0; i < k_.size; ++i)
      if (is_load(i) && loaded(i)) {
        any = true;
        declare_registers(t, k_.nodes[i].load, w_.elements, parts_);
      }
    if (any) {
      open_part(t, guarded);
      const std::vector<std::string> at = coordinates(t, w_.elements, "e", "c");
      for (int i = 0; i < k_.size; ++i)
        if (is_load(i) && loaded(i)) load_part(t, k_.nodes[i].load, w_.elements, at, "p");
      if (guarded) t.close();
      t.close();
    }
    open_part(t, guarded);
    const std::vector<std::string> at = coordinates(t, w_.elements, "e", "c");
    lanes(t, at, "p");
    if (guarded) t.close();
    t.close();
  }
  void lanes(text& t, const std::vector<std::string>& at, const std::string& part) const {
    for (int s = 0; s < k_.store_count; ++s)
      if (whole(k_.loads + s)) declare_store(t, s);
    for (int i = 0; i < k_.size; ++i)
      if (in_blocks(i)) define_words(t, i, w_.elements, at);
    open_lanes(t);
    for (int i = 0; i < k_.size; ++i) {
      if (k_.nodes[i].at == level::row) continue;
      if (is_load(i))
        define_load(t, i, w_.elements, at, part);
      else
        define(t, i, computed(i));
    }
    for (int s = 0; s < k_.store_count; ++s) store_lane(t, s, w_.elements, at);
    close_lanes(t);
    for (int s = 0; s < k_.store_count; ++s)
      if (whole(k_.loads + s)) store_whole(t, s, w_.elements, at);
  }

  number count_;
  int threads_ = 256, parts_ = 1;
};

}  // namespace weft::detail::cuda
