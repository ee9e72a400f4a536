// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cuda/emit_body.hpp>

// Steps that are no loop nests: gather, scatter_add, argmax, argmin.
namespace weft::detail::cuda {

/// What these steps share: three accesses, loops over the axes in front of the indexed one, over
/// those of the indices, over those behind it.
class index_writer {
 public:
  index_writer(const plan& p, int step_number, const extent_values& extents,
               std::uint64_t unaligned)
      : s_(p.steps[static_cast<std::size_t>(step_number)]) {
    for (int d = 0; d < max_loops; ++d) extent_[d] = extents.of(s_.extent[d]);
    for (int a = 0; a < s_.access_count; ++a) {
      const access& x = p.accesses[static_cast<std::size_t>(s_.first_access + a)];
      offset_[a] = extents.of(x.offset);
      position_[a] = x.buffer < 0;
      for (int d = 0; d < max_loops; ++d) stride_[a][d] = extents.of(x.stride[d]);
    }
    type_ = memory_type(s_.type);
    aligned_ = !(unaligned & 5);  // operand and result
  }

  void emit(emitted_step& out) {
    switch (s_.kind) {
      case step_kind::gather:
        return gather(out);
      case step_kind::scatter_add:
        return scatter(out);
      default:
        return extremum(out, s_.kind == step_kind::arg_max);
    }
  }

 private:
  static std::string at(const std::string& base, const std::string& by) {
    return by.empty() ? base + "[0]" : base + "[" + by + "]";
  }
  static std::string rest_of(const std::string& flat, const number& e) {
    return e.is_dynamic() ? say("rest(int64(", flat, "), ", e, ")")
                          : say("rest<int64(", e, ")>(", flat, ")");
  }
  static std::string quotient_of(const std::string& flat, const number& e) {
    return e.is_dynamic() ? say("quotient(int64(", flat, "), ", e, ")")
                          : say("quotient<int64(", e, ")>(", flat, ")");
  }
  /// Offsets of `accesses` at the flat place `e` of a set of loops, through int64 coordinates.
  static std::vector<std::string> offsets(text& t, const loop_set& q, const std::string& flat,
                                          const std::string& prefix, int accesses) {
    std::vector<std::string> at(static_cast<std::size_t>(q.size()), flat);
    std::string rest = flat;
    for (int l = q.size(); l-- > 1;) {
      const std::string c = say(prefix, l);
      const number& e = q.extent[static_cast<std::size_t>(l)];
      t.line("const int64 ", c, " = ", rest_of(rest, e), ", ", c, "_up = ", quotient_of(rest, e),
             ";");
      at[static_cast<std::size_t>(l)] = c;
      rest = c + "_up";
    }
    if (q.size() > 0) at[0] = rest;
    std::vector<std::string> r;
    for (int a = 0; a < accesses; ++a) {
      std::string s;
      for (int l = 0; l < q.size(); ++l)
        if (q.at(l, a) != 0)
          s += (s.empty() ? "" : " + ") + at[static_cast<std::size_t>(l)] +
               (q.at(l, a) == 1 ? "" : say(" * (", q.at(l, a), ")"));
      r.push_back(s.empty() ? "0" : s);
    }
    return r;
  }
  emitted_kernel opened(text& t, const std::string& name, const number& threads_of_grid, int block,
                        const std::string& what) const {
    emitted_kernel r;
    r.name = name;
    r.grid[0] =
        static_cast<unsigned>(std::max<index_t>(1, (threads_of_grid.value + block - 1) / block));
    r.block[0] = static_cast<unsigned>(block);
    t.raw("#include <weft/cuda/prelude.hpp>\n\nnamespace weft::device {\n\n");
    t.line("// ", what);
    t.raw({numbers_told});
    t.line("extern \"C\" __global__ void __launch_bounds__(", block, ") ", name, "(");
    const bool indexed = s_.kind == step_kind::gather || s_.kind == step_kind::scatter_add;
    if (!position_[0]) t.line("    const ", type_, "* x0,");
    if (indexed && !position_[1]) t.line("    const ", memory_type(s_.index_type), "* x1,");
    t.line("    ", indexed ? type_ : "int64", "* y0,");
    t.open("    ", std::string{numbers_listed}, "void* workspace, int* fault)");
    t.line("const int64 e = int64(blockIdx.x) * ", block, " + threadIdx.x;");
    return r;
  }
  static void closed(text& t, emitted_kernel& r, emitted_step& out) {
    t.close();
    t.raw("\n}  // namespace weft::device\n");
    finish_kernel(r, t.str(), true);
    out.kernels.push_back(std::move(r));
  }
  int before() const { return s_.axis; }
  int behind() const { return s_.rank - 1 - s_.axis; }
  /// An element of the operand, which may be positions; as it is in memory, or in arithmetic.
  std::string element(const std::string& by, bool wide = true) const {
    if (position_[0]) return say(value_type(s_.type), "(", offset_[0], " + ", by, ")");
    return wide ? "widened(x0[" + by + "])" : "x0[" + by + "]";
  }
  /// The place that the index at an offset names.
  std::string place(const std::string& by) const {
    const bool from_end = is_signed(s_.index_type) && !s_.labels;
    const std::string index =
        position_[1] ? say("int64(", offset_[1], " + ", by, ")") : "x1[" + by + "]";
    return say("place_of<", from_end ? "true" : "false", ">(", index, ", ", extent_[max_loops - 1],
               ", fault, ", s_.labels ? -1 : s_.axis, ")");
  }

  /// A thread an element, or a vector of them where those lie beside each other.
  void gather(emitted_step& out) {
    const int b = before(), n = s_.index_rank;
    loop_set q;
    for (int d = 0; d < b; ++d) q.add(extent_[d], {stride_[0][d], 0, stride_[2][d]});
    for (int d = 0; d < n; ++d) q.add(extent_[b + d], {0, stride_[1][d], stride_[2][b + d]});
    for (int d = 0; d < behind(); ++d)
      q.add(extent_[b + n + d], {stride_[0][b + 1 + d], 0, stride_[2][b + n + d]});
    q.normalise();
    if (q.count() == 0) return;
    int width = std::max(1, 16 / size_of(s_.type));
    const number by = stride_[0][b];
    if (position_[0] || !aligned_ || q.inner_stride(0) != 1 || q.inner_stride(2) != 1 ||
        q.inner_stride(1) != 0)
      width = 1;
    auto fits = [&](int w) {
      bool r = q.inner_extent().divides_by(w) && by.divides_by(w) && offset_[0].divides_by(w) &&
               offset_[2].divides_by(w);
      for (int l = 0; l + 1 < q.size(); ++l)
        r = r && q.at(l, 0).divides_by(w) && q.at(l, 2).divides_by(w);
      return r;
    };
    while (width > 1 && !fits(width)) width = q.inner_extent().is_dynamic() ? 1 : width / 2;
    const number total = pieces(q.count(), width);
    text t;
    emitted_kernel r = opened(t, "gather", total, 256, say(width, " elements a thread."));
    t.line("if (e >= ", total, ") return;");
    if (width > 1) t.line("const int64 first = e * ", width, ";");
    const auto o = offsets(t, q, width > 1 ? "first" : "e", "c", 3);
    t.line("const int64 place = ", place(o[1]), ";");
    if (width > 1)
      t.line("store(y0 + (", o[2], "), load<", width, ">(x0 + (", o[0], " + place * ", by, ")));");
    else {
      const std::string from = say(o[0], " + place * (", by, ")");
      t.line("y0[", o[2], "] = ",
             position_[0] ? "stored<" + type_ + ">(" + element(from) + ")" : element(from, false),
             ";");
    }
    closed(t, r, out);
  }

  // scatter_add in the order of the indices, whatever the blocks do: each place of the axis has a
  // list of the indices that name it. Lists are counted with atomics, laid out by a scan, filled in
  // any order and then put in order by rank (a list of n costs n^2 reads, spread over n threads).

  void scatter(emitted_step& out) {
    const int b = before(), n = s_.index_rank;
    loop_set to, index;  // accesses: operand, indices, result
    for (int d = 0; d < b; ++d) to.add(extent_[d], {stride_[0][d], 0, stride_[2][d]});
    for (int d = 0; d < behind(); ++d)
      to.add(extent_[b + n + d], {stride_[0][b + n + d], 0, stride_[2][b + 1 + d]});
    for (int d = 0; d < n; ++d) index.add(extent_[b + d], {stride_[0][b + d], stride_[1][d], 0});
    to.normalise();
    index.normalise();
    const number places = extent_[max_loops - 1], indices = index.count();
    const number total = to.count() * places;
    if (total == 0) return;
    if (indices.expected() <= 64 || (total * indices).expected() <= index_t{1} << 24)
      return scatter_directly(out, to, index, places);
    // Counters: one for each place. Then starts, slots, lists, ordered lists.
    auto rounded = [](const number& ints) { return pieces(ints * 4, 256) * 256; };
    const number counts = rounded(places), starts = counts, slots = starts + rounded(places + 1),
                 lists = slots + rounded(indices), ordered = lists + rounded(indices);
    auto bytes = [](const number& n) { return static_cast<std::size_t>(n.value); };
    out.counters = std::max(out.counters, bytes(counts));
    out.workspace = std::max(out.workspace, bytes(ordered + rounded(indices)));
    auto at = [](const number& place) {
      return say("(unsigned*)((char*)workspace + ", place, ")");
    };
    auto names = [&](text& t) {
      t.line("unsigned* const counts = (unsigned*)workspace;");
      t.line("unsigned* const starts = ", at(starts), ";");
      t.line("unsigned* const slots = ", at(slots), ";");
      t.line("unsigned* const lists = ", at(lists), ";");
      t.line("unsigned* const ordered = ", at(ordered), ";");
    };
    {
      text t;
      emitted_kernel r = opened(t, "scatter_count", indices, 256, "How many indices name a place.");
      names(t);
      t.line("if (e >= ", indices, ") return;");
      t.line("slots[e] = atomicAdd(counts + ", place(offsets(t, index, "e", "i", 3)[1]), ", 1u);");
      closed(t, r, out);
    }
    {
      text t;
      emitted_kernel r = opened(t, "scatter_scan", 1024, 1024, "Where lists begin.");
      const number each = pieces(places, 1024);
      names(t);
      t.line("WEFT_SHARED unsigned sums[1024];");
      t.line("const int first = int(e) * ", each, ";");
      t.line("unsigned sum = 0;");
      t.line("for (int i = first; i < first + ", each, " && i < ", places,
             "; ++i) sum += counts[i];");
      t.line("sums[e] = sum;");
      t.line("__syncthreads();");
      t.open("for (int d = 1; d < 1024; d *= 2)");
      t.line("const unsigned x = e >= d ? sums[e - d] : 0;");
      t.line("__syncthreads();");
      t.line("sums[e] += x;");
      t.line("__syncthreads();");
      t.close();
      t.line("unsigned start = e > 0 ? sums[e - 1] : 0;");
      t.open("for (int i = first; i < first + ", each, " && i < ", places, "; ++i)");
      t.line("starts[i] = start;");
      t.line("start += counts[i];");
      t.line("counts[i] = 0;");
      t.close();
      t.line("if (e == 1023) starts[", places, "] = sums[1023];");
      closed(t, r, out);
    }
    for (const bool rank : {false, true}) {
      text t;
      emitted_kernel r =
          opened(t, rank ? "scatter_order" : "scatter_fill", indices, 256,
                 rank ? "Lists in the order of the indices." : "Lists, in any order.");
      names(t);
      t.line("if (e >= ", indices, ") return;");
      t.line("const int64 place = ", place(offsets(t, index, "e", "i", 3)[1]), ";");
      if (rank) {
        t.line("const unsigned begin = starts[place], end = starts[place + 1];");
        t.line("unsigned rank = begin;");
        t.line("for (unsigned i = begin; i < end; ++i) rank += lists[i] < unsigned(e);");
        t.line("ordered[rank] = unsigned(e);");
      } else {
        t.line("lists[starts[place] + slots[e]] = unsigned(e);");
      }
      closed(t, r, out);
    }
    const int width = sum_width(to, index);
    text t;
    emitted_kernel r = opened(t, "scatter_sum", pieces(total, width), 256,
                              say("Every place sums its list; ", width, " elements a thread."));
    names(t);
    t.line("if (e >= ", pieces(total, width), ") return;");
    sum_places(t, to, index, places, true, width);
    closed(t, r, out);
  }
  /// Elements of the result that lie side by side in the operand too.
  int sum_width(const loop_set& to, const loop_set& index) const {
    if (position_[0] || !aligned_ || to.size() == 0 || to.inner_stride(0) != 1 ||
        to.inner_stride(2) != 1)
      return 1;
    int width = std::max(1, 16 / size_of(s_.type));
    auto fits = [&](int w) {
      bool r = to.inner_extent().divides_by(w) && stride_[2][before()].divides_by(w) &&
               offset_[0].divides_by(w) && offset_[2].divides_by(w);
      for (int l = 0; l + 1 < to.size(); ++l)
        r = r && to.at(l, 0).divides_by(w) && to.at(l, 2).divides_by(w);
      for (int l = 0; l < index.size(); ++l) r = r && index.at(l, 0).divides_by(w);
      return r;
    };
    while (width > 1 && !fits(width)) width = to.inner_extent().is_dynamic() ? 1 : width / 2;
    return width;
  }
  /// The kernel's end: e is an element of the result, or a vector of them, the innermost loop of
  /// `to` running fastest.
  void sum_places(text& t, const loop_set& to, const loop_set& index, const number& places,
                  bool listed, int width) const {
    // Places lie between the axes in front and behind; any order of elements is right, this one
    // lets threads side by side read elements side by side.
    const number inner = to.inner_extent(), vectors = pieces(inner, width);
    t.line("const int64 low = ", rest_of("e", vectors), " * ", width,
           ", up = ", quotient_of("e", vectors), ";");
    t.line("const int64 place = ", rest_of("up", places), ";");
    t.line("const int64 outer = ", quotient_of("up", places), " * ", inner, " + low;");
    const auto o = offsets(t, to, "outer", "c", 3);
    const std::string v = value_type(s_.type), sum = v == "float" ? "double" : v;
    t.line(sum, " sum[", width, "];");
    const std::string lanes = say("for (int k = 0; k < ", width, "; ++k) ");
    t.line("#pragma unroll");
    t.line(lanes, "sum[k] = ", sum, "(0);");
    if (listed) {
      t.open("for (unsigned i = starts[place]; i < starts[place + 1]; ++i)");
      t.line("const int64 j = ordered[i];");
    } else {
      t.open("for (int64 j = 0; j < ", index.count(), "; ++j)");
    }
    const auto i = offsets(t, index, "j", "i", 3);
    if (!listed) t.line("if (", this->place(i[1]), " != place) continue;");
    const std::string from = o[0] + " + " + i[0];
    auto added = [&](const std::string& x) {
      return s_.type == dtype::boolean ? "sum[k] || " + x : "add(sum[k], " + sum + "(" + x + "))";
    };
    if (width > 1) {
      t.line("const vec<", type_, ", ", width, "> x = load<", width, ">(x0 + (", from, "));");
      t.line("#pragma unroll");
      t.line(lanes, "sum[k] = ", added("widened(x[k])"), ";");
    } else {
      t.line("const int k = 0;");
      t.line("sum[k] = ", added(element(from)), ";");
    }
    t.close();
    const std::string place_in = say(o[2], " + place * (", stride_[2][before()], ")");
    if (width > 1) {
      t.line("vec<", type_, ", ", width, "> y;");
      t.line("#pragma unroll");
      t.line(lanes, "y[k] = stored<", type_, ">(", v, "(sum[k]));");
      t.line("store(y0 + (", place_in, "), y);");
    } else {
      t.line("y0[", place_in, "] = stored<", type_, ">(", v, "(sum[0]));");
    }
  }
  void scatter_directly(emitted_step& out, const loop_set& to, const loop_set& index,
                        const number& places) const {
    const number total = to.count() * places;
    text t;
    emitted_kernel r =
        opened(t, "scatter_add", total, 256, "Every element of the result looks at all indices.");
    t.line("if (e >= ", total, ") return;");
    sum_places(t, to, index, places, false, 1);
    closed(t, r, out);
  }

  /// A warp an element of the result where its row lies in one piece, else a thread.
  void extremum(emitted_step& out, bool greatest) {
    loop_set q;
    for (int d = 0; d < s_.rank; ++d)
      if (d != s_.axis) q.add(extent_[d], {stride_[0][d], stride_[1][d]});
    q.normalise();
    const number total = q.count(), n = extent_[s_.axis], by = stride_[0][s_.axis];
    if (total == 0) return;
    const bool warp = n.expected() >= 32 && (by == 1 || total.expected() < 4096);
    const int lanes = warp ? 32 : 1;
    text t;
    emitted_kernel r = opened(t, greatest ? "argmax" : "argmin", total * lanes, 256,
                              warp ? "A warp a row." : "A thread a row.");
    t.line("const int64 row = e / ", lanes, ";");
    if (!warp || total.is_dynamic() || !total.divides_by(8))
      t.line("if (row >= ", total, ") return;");
    const auto o = offsets(t, q, "row", "c", 2);
    if (warp && n.is_dynamic())  // a short row's last element is looked at by several
      t.line("int64 place = threadIdx.x % 32 < ", n, " ? threadIdx.x % 32 : ", n, " - 1;");
    else
      t.line("int64 place = ", warp ? "threadIdx.x % 32" : "0", ";");
    t.line("auto best = ", element(say(o[0], " + place * (", by, ")")), ";");
    t.line("for (int64 i = place + ", lanes, "; i < ", n, "; i += ", lanes, ") take_better<",
           greatest ? "true" : "false", ">(best, place, ", element(say(o[0], " + i * (", by, ")")),
           ", i);");
    if (warp) {
      t.line("#pragma unroll");
      t.open("for (int m = 16; m > 0; m /= 2)");
      t.line("const auto other = shuffle_xor(best, m);");
      t.line("take_better<", greatest ? "true" : "false",
             ">(best, place, other, shuffle_xor(place, m));");
      t.close();
      t.line("if (threadIdx.x % 32 == 0) y0[", o[1], "] = place;");
    } else {
      t.line("y0[", o[1], "] = place;");
    }
    closed(t, r, out);
  }

  const step& s_;
  std::string type_;
  number extent_[max_loops], offset_[3], stride_[3][max_loops];
  bool position_[3]{}, aligned_ = true;
};

}  // namespace weft::detail::cuda
