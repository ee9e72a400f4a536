// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cuda/emit_body.hpp>

namespace weft::detail::cuda {

/// Pointwise work where some load runs along another loop than the result does. Those loads go
/// through tiles in shared memory: read in vectors along their own loop, taken from the tile along
/// the result's. A tile of 64 x 64 (32 x 32 for 8 bytes) gives each of 256 threads four 16-byte
/// loads in flight; rows are padded by one element, so that both directions meet at most two-way
/// bank conflicts, which the memory hides.
class transposed_writer : kernel_writer {
 public:
  transposed_writer(const work& w, bool wide, const tuning& u) : kernel_writer(w, wide) {
    const loop_set& e = w.elements;
    inner_ = e.size() - 1;
    other_ = find_other(w);
    if (other_ < 0) return;
    vectors_ = make_vectors(w, e, {}, u.vector, false);
    int largest = 1;
    for (int a = 0; a < k_.loads; ++a)
      if (is_tiled(a)) largest = std::max(largest, operand_of(a).size());
    side_ = largest > 4 ? 32 : 64;
    std::size_t shared = 0;
    for (int a = 0; a < w.accesses(); ++a) {
      tiled_.push_back(0);
      if (a >= k_.loads || !is_tiled(a)) continue;
      const std::size_t bytes =
          static_cast<std::size_t>(side_ * (side_ + 1) * operand_of(a).size());
      if (shared + bytes > std::size_t{48} << 10) continue;
      shared += bytes;
      tiled_.back() = 1;
    }
    along_ = 16 / largest;
    for (; along_ > 1; along_ /= 2) {
      const number& extent = e.extent[static_cast<std::size_t>(other_)];
      if (extent.is_dynamic() && !extent.divides_by(along_)) along_ = 1;  // two classes
      bool fits = extent.divides_by(along_);
      for (int a = 0; fits && a < k_.loads; ++a) {
        if (!tiled_[static_cast<std::size_t>(a)]) continue;
        fits = operand_of(a).aligned;
        for (int l = 0; fits && l < e.size(); ++l)
          fits = l == other_ || e.at(l, a).divides_by(along_);
      }
      if (fits) break;
    }
    while (width() > side_) vectors_.width /= 2;
  }

  /// Whether there is a load for which tiles pay.
  static bool wanted(const work& w) {
    const loop_set& e = w.elements;
    const int j = find_other(w);
    return j >= 0 && e.inner_extent().expected() >= 8 &&
           e.extent[static_cast<std::size_t>(j)].expected() >= 8;
  }

  void emit(emitted_step& out) {
    const loop_set& e = w_.elements;
    if (e.count() == 0) return;
    const number ni = e.inner_extent(), nj = e.extent[static_cast<std::size_t>(other_)];
    const number ti = pieces(ni, side_), tj = pieces(nj, side_);
    loop_set rest;
    for (int l = 0; l < e.size(); ++l)
      if (l != inner_ && l != other_)
        rest.add(e.extent[static_cast<std::size_t>(l)], e.stride[static_cast<std::size_t>(l)]);
    emitted_kernel r;
    r.name = "transposed_" + ops_name(k_);
    r.grid[0] = static_cast<unsigned>((rest.count() * ti * tj).value);
    r.block[0] = 256;
    text t;
    t.raw(prologue());
    head(t, r.name, 256,
         say("Tiles of ", side_, " x ", side_, " elements; loops ", other_, " and ", inner_,
             " change places."));
    for (int a = 0; a < k_.loads; ++a)
      if (tiled_[static_cast<std::size_t>(a)])
        t.line("WEFT_SHARED ", memory_type(operand_of(a).type), " ", pointer_name(a), "_tile[",
               side_, "][", side_ + 1, "];");
    t.line("const int t = int(threadIdx.x), tile = int(blockIdx.x);");
    t.line("const ", position_, " first_i = ", position_, "(tile % ", ti, ") * ", side_,
           ", first_j = ", position_, "(tile / ", ti, " % ", tj, ") * ", side_, ";");
    if (rest.size() > 0) t.line("const ", position_, " outer = tile / ", ti * tj, ";");
    const std::vector<std::string> outer = coordinates(t, rest, "outer", "c");
    std::vector<std::string> at;
    std::size_t next = 0;
    for (int l = 0; l < e.size(); ++l)
      at.push_back(l == inner_ ? "i" : l == other_ ? "j" : outer[next++]);
    row_values(t, 0);
    load_tiles(t, at, ni, nj);
    load_others(t, at, ni, nj);
    t.line("__syncthreads();");
    compute(t, at, ni, nj);
    t.close();
    t.raw(epilogue());
    finish_kernel(r, t.str(), wide_);
    out.kernels.push_back(std::move(r));
  }

 private:
  /// The loop along which loads run that do not run along the innermost one.
  static int find_other(const work& w) {
    const loop_set& e = w.elements;
    int best = -1;
    for (int l = 0; l + 1 < e.size(); ++l)
      for (int a = 0; a < w.k.loads; ++a) {
        const operand& o = w.operands[static_cast<std::size_t>(a)];
        const number by = e.inner_stride(a);
        if (!o.position && !o.number && e.at(l, a) == 1 && by != 0 && by != 1) best = l;
      }
    return best;
  }
  bool is_tiled(int a) const {
    const number by = w_.elements.inner_stride(a);
    return in_registers(a) && w_.elements.at(other_, a) == 1 && by != 0 && by != 1;
  }
  std::string guard(const number& ni, const number& nj) const {
    std::string s;
    auto ends = [&](const number& n) { return n.is_dynamic() || !n.divides_by(side_); };
    if (ends(ni)) s = say("i < ", ni);
    if (ends(nj)) s += (s.empty() ? "" : " && ") + say("j < ", nj);
    return s;
  }
  /// Opens a loop over this thread's vectors of a tile; `fast` is the coordinate that vectors run
  /// along.
  void open_tile(text& t, const char* fast, const char* slow, int vector, const number& ni,
                 const number& nj) const {
    const int across = side_ / vector, down = std::max(1, 256 / across);
    t.open_unrolled("p", side_ / down);
    t.line("const int ", fast, "_in = t % ", across, " * ", vector, ", ", slow, "_in = t / ",
           across, " + p * ", down, ";");
    t.line("const ", position_, " i = first_i + i_in, j = first_j + j_in;");
    if (const std::string g = guard(ni, nj); !g.empty()) t.open("if (", g, ")");
  }
  void close_tile(text& t, const number& ni, const number& nj) const {
    if (!guard(ni, nj).empty()) t.close();
    t.close();
  }
  void load_tiles(text& t, const std::vector<std::string>& at, const number& ni,
                  const number& nj) const {
    open_tile(t, "j", "i", along_, ni, nj);
    for (int a = 0; a < k_.loads; ++a) {
      if (!tiled_[static_cast<std::size_t>(a)]) continue;
      const std::string from = plus(base_[static_cast<std::size_t>(a)], offset(w_.elements, a, at));
      if (along_ == 1) {
        t.line(pointer_name(a), "_tile[j_in][i_in] = *(", from, ");");
        continue;
      }
      t.line("const vec<", memory_type(operand_of(a).type), ", ", along_, "> ", registers(a),
             " = load<", along_, ">(", from, ");");
      t.line("#pragma unroll");
      t.line("for (int k = 0; k < ", along_, "; ++k) ", pointer_name(a),
             "_tile[j_in + k][i_in] = ", registers(a), "[k];");
    }
    close_tile(t, ni, nj);
  }
  int parts() const {
    const int across = side_ / width();
    return side_ / std::max(1, 256 / across);
  }
  bool straight(int i) const {
    return is_load(i) && k_.nodes[i].at == level::element && in_registers(k_.nodes[i].load) &&
           !tiled_[static_cast<std::size_t>(k_.nodes[i].load)];
  }
  void load_others(text& t, const std::vector<std::string>& at, const number& ni,
                   const number& nj) const {
    bool any = false;
    for (int i = 0; i < k_.size; ++i)
      if (straight(i)) {
        any = true;
        declare_registers(t, k_.nodes[i].load, w_.elements, parts());
      }
    if (!any) return;
    open_tile(t, "i", "j", width(), ni, nj);
    for (int i = 0; i < k_.size; ++i)
      if (straight(i)) load_part(t, k_.nodes[i].load, w_.elements, at, "p");
    close_tile(t, ni, nj);
  }
  void compute(text& t, const std::vector<std::string>& at, const number& ni,
               const number& nj) const {
    open_tile(t, "i", "j", width(), ni, nj);
    for (int s = 0; s < k_.store_count; ++s)
      if (whole(k_.loads + s)) declare_store(t, s);
    for (int i = 0; i < k_.size; ++i)
      if (in_blocks(i)) define_words(t, i, w_.elements, at);
    open_lanes(t);
    for (int i = 0; i < k_.size; ++i) {
      const kernel_node& n = k_.nodes[i];
      if (n.at == level::row) continue;
      if (is_load(i) && tiled_[static_cast<std::size_t>(n.load)])
        define(t, i,
               say("widened(", pointer_name(n.load), "_tile[j_in][i_in", width() > 1 ? " + k" : "",
                   "])"));
      else if (is_load(i))
        define_load(t, i, w_.elements, at, "p");
      else
        define(t, i, computed(i));
    }
    for (int s = 0; s < k_.store_count; ++s) store_lane(t, s, w_.elements, at);
    close_lanes(t);
    for (int s = 0; s < k_.store_count; ++s)
      if (whole(k_.loads + s)) store_whole(t, s, w_.elements, at);
    close_tile(t, ni, nj);
  }

  int inner_ = 0, other_ = -1, side_ = 64, along_ = 1;
  std::vector<char> tiled_;
};

}  // namespace weft::detail::cuda
