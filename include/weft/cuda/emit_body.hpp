// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cuda/emit_values.hpp>

// The body of a kernel as statements: one for each node, named after its op.
namespace weft::detail::cuda {

/// The body of a kernel as statements: one for each node, named after its op.
class kernel_writer : protected value_writer {
 protected:
  using value_writer::value_writer;

  // Elements: loads into registers, then one statement a node

  void declare_registers(text& t, int a, const loop_set& q, int parts,
                         const std::string& suffix = {}) const {
    const std::string m = memory_type(operand_of(a).type);
    const bool one = width() == 1 || q.inner_stride(a) == 0;
    t.line(one ? m : say("vec<", m, ", ", width(), ">"), " ", registers(a), suffix, "[", parts,
           "];");
  }
  /// Loads part p of an access at the coordinates of its first element.
  void load_part(text& t, int a, const loop_set& q, const std::vector<std::string>& at,
                 const std::string& part, const std::string& suffix = {}) const {
    const std::string from = plus(base_[static_cast<std::size_t>(a)], offset(q, a, at));
    const std::string to = registers(a) + suffix + "[" + part + "]";
    const number by = q.inner_stride(a);
    if (width() == 1 || by == 0) {
      t.line(to, " = ", from.find(' ') == std::string::npos ? "*" + from : "*(" + from + ")", ";");
    } else if (peeled_) {
      if (whole(a)) {
        t.line("if (inside) ", to, " = load<", width(), ">(", from, ");");
        t.open("else");
      }
      t.line("#pragma unroll");
      t.line("for (int k = 0; k < ", width(), "; ++k) if (", lane_inside(), ") ", to, "[k] = (",
             from, ")[k * ", by, "];");
      if (whole(a)) t.close();
    } else if (whole(a)) {
      t.line(to,
             streams(a)    ? (was_read(a) ? " = load_last<" : " = load_once<")
             : w_.keeps(a) ? " = load_kept<"
                           : " = load<",
             width(), ">(", from, ");");
    } else {
      t.line("#pragma unroll");
      t.line("for (int k = 0; k < ", width(), "; ++k) ", to, "[k] = (", from, ")[k * ", by, "];");
    }
  }
  /// The statement that brings an element of a load into arithmetic.
  void define_load(text& t, int i, const loop_set& q, const std::vector<std::string>& at,
                   const std::string& part) const {
    const kernel_node& n = k_.nodes[i];
    const int a = n.load;
    const number by = q.inner_stride(a);
    if (operand_of(a).position) {
      std::string s = place(a, q, at);
      if (width() > 1 && by != 0) s += by == 1 ? std::string(" + k") : say(" + k * ", by);
      define(t, i, value_type(n.type) + "(" + s + ")");
      return;
    }
    define(t, i,
           "widened(" + registers(a) + "[" + part + "]" + (width() == 1 || by == 0 ? "" : "[k]") +
               ")");
  }
  /// Of a row that vectors do not fit: whether lane k is an element.
  virtual std::string lane_inside() const { return "true"; }

  /// Whether random words of a vector's lanes are made four at a time: they lie side by side, from
  /// a multiple of 4 on.
  bool in_blocks(int i) const {
    const kernel_node& n = k_.nodes[i];
    if (n.load >= 0 || n.op != id_of<random_word_> || n.at == level::row || width() % 4 != 0 ||
        peeled_)
      return false;
    const kernel_node& index = k_.nodes[n.in[2]];
    if (index.load < 0 || !operand_of(index.load).position) return false;
    if (k_.nodes[n.in[0]].at != level::row || k_.nodes[n.in[1]].at != level::row) return false;
    bool r = operand_of(index.load).offset.divides_by(4);
    for (const loop_set* q : {&w_.kept, &w_.summed, &w_.elements})
      for (int l = 0; l < q->size(); ++l)
        r = r && (q->at(l, index.load).divides_by(4) ||
                  (q == &w_.elements && l + 1 == q->size() && q->at(l, index.load) == 1));
    return r;
  }
  /// Before the lanes: the random words of all of them.
  void define_words(text& t, int i, const loop_set& q, const std::vector<std::string>& at) const {
    const kernel_node& n = k_.nodes[i];
    t.line("uint32 ", value(i), "_v[", width(), "];");
    // Where a place is an int, the compiler is told that the upper half is 0.
    const int a = k_.nodes[n.in[2]].load;
    const bool small = !wide_ && base_[static_cast<std::size_t>(a)] == "0";
    const std::string by = offset(q, a, at);
    t.line("random_words<", width(), ">(", value(n.in[0]), ", ", value(n.in[1]), ", uint64(",
           small ? "uint32(" + (by.empty() ? "0" : by) + ")" : place(a, q, at), "), ", value(i),
           "_v);");
  }
  /// The place that a position access stands for, without its lane.
  std::string place(int a, const loop_set& q, const std::vector<std::string>& at) const {
    const std::string& base = base_[static_cast<std::size_t>(a)];
    const std::string by = offset(q, a, at);
    return base == "0" ? by.empty() ? "0" : "int64(" + by + ")" : plus("int64(" + base + ")", by);
  }
  /// The random word behind node i if that is `uniform >= p` with one p for all elements, else -1:
  /// u is exactly (word >> 8) / 2^24, so that words compare as the numbers do.
  int uniform_word(int i) const {
    const auto op = [&](int j) { return k_.nodes[j].load < 0 ? k_.nodes[j].op : op_id(-1); };
    if (op(i) != id_of<greater_equal_> || k_.nodes[i].at != level::element) return -1;
    const int u = k_.nodes[i].in[0], p = k_.nodes[i].in[1];
    if (k_.nodes[u].type != dtype::float32 || op(u) != id_of<multiply_>) return -1;
    if (k_.nodes[p].at != level::row && !is_constant(p)) return -1;
    const int whole = k_.nodes[u].in[0];
    double scale = 0;
    if (!known(k_.nodes[u].in[1], scale) || scale != 0x1p-24 || op(whole) != id_of<cast_>)
      return -1;
    const int shifted = k_.nodes[whole].in[0];
    if (op(shifted) != id_of<shift_right_> || k_.nodes[shifted].type != dtype::uint32) return -1;
    const kernel_node& eight = k_.nodes[k_.nodes[shifted].in[1]];
    if (!is_constant(k_.nodes[shifted].in[1]) || eight.bits != 8) return -1;
    return k_.nodes[shifted].in[0];
  }
  /// What an op's value is, in its lane.
  std::string computed(int i) const {
    if (in_blocks(i)) return value(i) + "_v[k]";
    if (const int word = uniform_word(i); word >= 0)
      return "(" + value(word) + " >> 8) >= least_word(" + value(k_.nodes[i].in[1]) + ")";
    if (const int row = compared_place(i); row >= 0 && cold_) return "false";
    if (const int row = compared_place(i); row >= 0)
      return say(width() > 1 ? "e + k == " : "e == ", value(row), "_p");
    return applied(i);
  }

  /// Whether an access passes the caches by.
  virtual bool streams(int a) const { return w_.streams_by(a); }
  /// Whether more than one pass reads a load's elements from memory.
  virtual bool was_read(int) const { return false; }

  /// Whether a sum's element i is 0 wherever a comparison of places fails.
  bool is_zero_when_cold(int i) const {
    const kernel_node& n = k_.nodes[i];
    return n.load < 0 && n.op == id_of<where_> && compared_place(n.in[0]) >= 0 &&
           is_constant(n.in[2]) && k_.nodes[n.in[2]].bits == 0;
  }
  bool cold_ = false;  ///< lanes are written for a vector in which no comparison of places holds

  bool stores_at(int s, int phase, store_kind kind) const {
    return k_.stores[s].kind == kind && k_.stores[s].phase == phase;
  }
  void open_lanes(text& t) const {
    if (width() > 1) t.open_unrolled("k", width());
  }
  void close_lanes(text& t) const {
    if (width() > 1) t.close();
  }
  /// The registers of a whole vector's store. Values of 16 bits wait as floats, to be rounded in
  /// pairs.
  void declare_store(text& t, int s) const {
    const dtype type = k_.stores[s].type;
    const std::string to = registers(k_.loads + s);
    if (is_half(type))
      t.line("float ", to, "[", width(), "];");
    else
      t.line("vec<", memory_type(type), ", ", width(), "> ", to, ";");
  }
  /// One element's store: into the registers of a whole vector, or to memory.
  void store_lane(text& t, int s, const loop_set& q, const std::vector<std::string>& at) const {
    const int a = k_.loads + s;
    const std::string v =
        "stored<" + memory_type(k_.stores[s].type) + ">(" + value(k_.stores[s].node) + ")";
    if (whole(a)) {
      t.line(registers(a), "[k] = ", is_half(k_.stores[s].type) ? value(k_.stores[s].node) : v,
             ";");
      return;
    }
    const std::string to = plus(base_[static_cast<std::size_t>(a)], offset(q, a, at));
    const number by = q.inner_stride(a);
    t.line("(", to, ")[", width() > 1 && by != 0 ? say("k * ", by) : std::string("0"), "] = ", v,
           ";");
  }
  void store_whole(text& t, int s, const loop_set& q, const std::vector<std::string>& at) const {
    const int a = k_.loads + s;
    const dtype type = k_.stores[s].type;
    const std::string from =
        is_half(type) ? say("packed<", memory_type(type), ", ", width(), ">(", registers(a), ")")
                      : registers(a);
    t.line(streams(a) ? "store_once(" : "store(",
           plus(base_[static_cast<std::size_t>(a)], offset(q, a, at)), ", ", from, ");");
  }
  bool stores_rows() const {
    for (int s = 0; s < k_.store_count; ++s)
      if (k_.stores[s].kind == store_kind::row) return true;
    return false;
  }
  void store_row(text& t) const {
    for (int s = 0; s < k_.store_count; ++s)
      if (k_.stores[s].kind == store_kind::row)
        t.line("*", paren(base_[static_cast<std::size_t>(k_.loads + s)]), " = stored<",
               memory_type(k_.stores[s].type), ">(", value(k_.stores[s].node), ");");
  }
  static std::string paren(const std::string& s) {
    return s.find(' ') == std::string::npos ? s : "(" + s + ")";
  }
};

}  // namespace weft::detail::cuda
