// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cuda/emit_text.hpp>

// What a kernel is written of: parameters, addresses, values by their ops' names.
namespace weft::detail::cuda {

/// What every form of kernel has: parameters, addresses, statements of nodes.
class value_writer {
 public:
  value_writer(const work& w, bool wide)
      : w_(w), k_(w.k), position_(wide ? "int64" : "int"), wide_(wide) {
    coarse_ = is_coarse();
    for (int a = 0; a < w.accesses(); ++a) {
      base_.push_back(pointer_name(a));
      if (operand_of(a).position) base_.back() = say(operand_of(a).offset);
    }
  }

 protected:
  const operand& operand_of(int a) const { return w_.operands[static_cast<std::size_t>(a)]; }
  std::string pointer_name(int a) const {
    return a < k_.loads ? say("x", a) : say("y", a - k_.loads);
  }
  bool is_load(int i) const { return k_.nodes[i].load >= 0; }
  bool is_constant(int i) const { return !is_load(i) && k_.nodes[i].op == id_of<constant_>; }
  bool whole(int a) const { return vectors_.whole[static_cast<std::size_t>(a)]; }
  int width() const { return vectors_.width; }

  /// The function's head: the shapes in a comment, then its parameters.
  void head(text& t, const std::string& name, const std::string& bounds,
            const std::string& what) const {
    t.line("// ", what);
    for (const auto& [label, q] :
         {std::pair{"rows", &w_.kept}, std::pair{"summed rows", &w_.summed},
          std::pair{"elements", &w_.elements}})
      if (q->size() > 0) t.line("// ", label, ": ", extents_text(*q));
    for (int a = 0; a < w_.accesses(); ++a) {
      const operand& o = operand_of(a);
      if (o.number) continue;
      std::string by;
      for (const loop_set* q : {&w_.kept, &w_.summed, &w_.elements})
        for (int l = 0; l < q->size(); ++l) by += (by.empty() ? "" : ", ") + say(q->at(l, a));
      t.line("// ", pointer_name(a), ": ", o.position ? "positions of " : "",
             std::string(weft::name(o.type)), " {", by, "}");
    }
    t.raw({numbers_told});
    t.line("extern \"C\" __global__ void __launch_bounds__(", bounds, ") ", name, "(");
    for (int a = 0; a < w_.accesses(); ++a)
      if (!operand_of(a).position)
        t.line("    ", a < k_.loads ? "const " : "", memory_type(operand_of(a).type), "* ",
               pointer_name(a), ",");
    t.open("    ", std::string{numbers_listed}, "void* workspace, int* fault)");
    if (w_.stops_at_fault) t.line("if (*fault != 0) return;");
  }
  void head(text& t, const std::string& name, int threads, const std::string& what) const {
    head(t, name, say(threads), what);
  }
  static std::string extents_text(const loop_set& q) {
    std::string s;
    for (const number& e : q.extent) s += (s.empty() ? "" : " x ") + say(e);
    return s;
  }
  static std::string prologue() {
    return "#include <weft/cuda/prelude.hpp>\n\nnamespace weft::device {\n\n";
  }
  static std::string epilogue() { return "\n}  // namespace weft::device\n"; }

  // Places

  std::string rest_of(const std::string& flat, const number& e) const {
    return e.is_dynamic() ? say("rest(", position_, "(", flat, "), ", e, ")")
                          : say("rest<", e, ">(", flat, ")");
  }
  std::string quotient_of(const std::string& flat, const number& e) const {
    return e.is_dynamic() ? say("quotient(", position_, "(", flat, "), ", e, ")")
                          : say("quotient<", e, ">(", flat, ")");
  }
  /// The coordinates of place `flat` in a set of loops, as names or expressions.
  std::vector<std::string> coordinates(text& t, const loop_set& q, const std::string& flat,
                                       const std::string& prefix) const {
    if (q.size() == 0) return {};
    if (q.size() == 1) return {flat};
    std::vector<std::string> r(static_cast<std::size_t>(q.size()));
    std::string rest = flat;
    for (int l = q.size(); l-- > 0;) {
      const std::string c = say(prefix, l);
      const number& e = q.extent[static_cast<std::size_t>(l)];
      if (l == 0) {
        r[0] = rest;
        break;
      }
      t.line("const ", position_, " ", c, " = ", rest_of(rest, e), ";");
      r[static_cast<std::size_t>(l)] = c;
      if (l > 1) {
        t.line("const ", position_, " ", c, "_up = ", quotient_of(rest, e), ";");
        rest = c + "_up";
      } else {
        t.line("const ", position_, " ", prefix, "0 = ", quotient_of(rest, e), ";");
        rest = prefix + "0";
      }
    }
    return r;
  }
  /// Where an access is at some coordinates; empty for 0.
  std::string offset(const loop_set& q, int a, const std::vector<std::string>& at) const {
    std::string s;
    for (int l = 0; l < q.size(); ++l) {
      const number& by = q.at(l, a);
      if (by == 0) continue;
      s += s.empty() ? "" : " + ";
      s += by == 1        ? at[static_cast<std::size_t>(l)]
           : by.value < 0 ? say(at[static_cast<std::size_t>(l)], " * (", by, ")")
                          : say(at[static_cast<std::size_t>(l)], " * ", by);
    }
    return s;
  }
  static std::string plus(const std::string& base, const std::string& by) {
    return by.empty() ? base : base + " + " + by;
  }
  /// Defines pointers moved to a row: x0_row. Positions become numbers.
  void move_bases(text& t, const loop_set& q, const std::vector<std::string>& at,
                  const std::string& suffix, bool stores = true) {
    for (int a = 0; a < (stores ? w_.accesses() : k_.loads); ++a) {
      const operand& o = operand_of(a);
      const std::string by = offset(q, a, at);
      if (o.number || by.empty()) continue;
      const std::string to = pointer_name(a) + suffix;
      if (o.position)
        t.line("const int64 ", to, " = ", plus(base_[static_cast<std::size_t>(a)], by), ";");
      else
        t.line(a < k_.loads ? "const " : "", memory_type(o.type), "* const ", to, " = ",
               plus(base_[static_cast<std::size_t>(a)], by), ";");
      base_[static_cast<std::size_t>(a)] = to;
    }
  }

  // Values

  /// Whether all floats of a kernel come from 16 bits and go there, but for numbers of a row: then
  /// functions that are right to 2^-16 do, and a row's reciprocal stands for many divisions.
  bool is_coarse() const {
    bool halves = false;
    for (int i = 0; i < k_.size; ++i) {
      const kernel_node& n = k_.nodes[i];
      if (n.load < 0 || n.at == level::row || !is_floating(operand_of(n.load).type)) continue;
      if (!is_half(operand_of(n.load).type)) return false;
    }
    for (int s = 0; s < k_.store_count; ++s) {
      const dtype t = k_.stores[s].type;
      if (is_floating(t) && !is_half(t)) return false;
      halves = halves || is_half(t);
    }
    return halves;
  }
  /// A number that node i always is.
  bool known(int i, double& v) const {
    const kernel_node& n = k_.nodes[i];
    const bool literal =
        n.load >= 0 && operand_of(n.load).number && !operand_of(n.load).literal.is_dynamic();
    if (literal) v = static_cast<double>(operand_of(n.load).literal.value);
    if (is_constant(i)) v = std::bit_cast<double>(n.bits);
    return literal || is_constant(i);
  }
  std::string coarse_division(int by) const {
    double v = 0;
    if (known(by, v)) {
      if (!(std::abs(v) > 0x1p-100 && std::abs(v) < 0x1p+100)) return "divide($0, $1)";
      return "$0 * " + floating_text(static_cast<float>(1 / v), "f");
    }
    return k_.nodes[by].at == level::row ? "coarse_divide($0, $1_d)" : "coarse_divide($0, $1)";
  }
  /// Whether a row's value divides elements by its reciprocal, `NAME_d`.
  bool is_coarse_divisor(int i) const {
    double v = 0;
    if (!coarse_ || k_.nodes[i].at != level::row || known(i, v)) return false;
    for (int j = 0; j < k_.size; ++j) {
      const kernel_node& n = k_.nodes[j];
      if (n.load < 0 && n.op == id_of<divide_> && n.in[1] == i && n.at == level::element &&
          value_type(n.type) == "float")
        return true;
    }
    return false;
  }
  /// Whether node i is an element less the greatest of its row.
  bool is_below_max(int i) const {
    const kernel_node& n = k_.nodes[i];
    if (n.load >= 0 || n.op != id_of<subtract_>) return false;
    const kernel_node& max = k_.nodes[n.in[1]];
    return max.load < 0 && max.op == id_of<reduce_max_> && max.in[0] == n.in[0];
  }
  /// A coarser spelling of an op, where that does.
  std::string spelled(int i) const {
    const kernel_node& n = k_.nodes[i];
    if (coarse_ && n.at == level::element && value_type(n.type) == "float") {
      if (n.op == id_of<exp_>)
        return is_below_max(n.in[0]) ? "coarse_exp_below($0)" : "coarse_exp($0)";
      if (n.op == id_of<sigmoid_>) return "coarse_sigmoid($0)";
      if (n.op == id_of<divide_>) return coarse_division(n.in[1]);
    }
    return spelling(n, k_.nodes[n.in[0]].type);
  }
  std::string value(int i) const {
    const kernel_node& n = k_.nodes[i];
    if (n.load >= 0) {
      const operand& o = operand_of(n.load);
      return o.number && !o.literal.is_dynamic() ? number_literal(n.type, o.literal)
                                                 : say("in", n.load);
    }
    if (n.op == id_of<constant_>) return literal(n.type, n.bits);
    return say(info(n.op).name, "_", i);
  }
  /// An op applied to its operands' names.
  std::string applied(int i) const {
    const kernel_node& n = k_.nodes[i];
    const std::string s = spelled(i);
    std::string r;
    for (std::size_t c = 0; c < s.size(); ++c)
      if (s[c] == '$')
        r += value(n.in[s[++c] - '0']);
      else
        r += s[c];
    return r;
  }
  void define(text& t, int i, const std::string& what) const {
    t.line("const ", value_type(k_.nodes[i].type), " ", value(i), " = ", what, ";");
  }
  /// Row values of a phase: loads, then what follows from them and from finished reductions.
  void row_values(text& t, int phase) const {
    for (int i = 0; i < k_.size; ++i) {
      const kernel_node& n = k_.nodes[i];
      if (n.at != level::row || n.phase != phase || is_constant(i)) continue;
      row_value(t, i);
      for (int j = 0; j < k_.size; ++j)
        if (compared_place(j) == i) {
          t.line("const ", position_, " ", value(i), "_p = place_in<", position_, ">(", value(i),
                 ");");
          break;
        }
      if (is_coarse_divisor(i))
        t.line("const divisor ", value(i), "_d = divisor_of(", value(i), ");");
    }
  }
  void row_value(text& t, int i) const {
    const kernel_node& n = k_.nodes[i];
    if (is_reduction(n.op)) return;
    if (n.load < 0) {
      define(t, i, applied(i));
      return;
    }
    const operand& o = operand_of(n.load);
    if (o.number) {
      if (o.literal.is_dynamic()) define(t, i, number_literal(n.type, o.literal));
      return;
    }
    const std::string& base = base_[static_cast<std::size_t>(n.load)];
    if (is_ahead(n.load))
      define(t, i, "widened(" + registers(n.load) + ")");
    else if (o.position)
      define(t, i, value_type(n.type) + "(" + base + ")");
    else
      define(t, i,
             "widened(*" + (base.find(' ') == std::string::npos ? base : "(" + base + ")") + ")");
  }
  /// The row's value with which node i compares the place in the row, or -1: a label, say. Such a
  /// comparison needs no 64 bits.
  int compared_place(int i) const {
    const kernel_node& n = k_.nodes[i];
    if (n.load >= 0 || n.op != id_of<equal_> || w_.elements.size() != 1 || w_.columns) return -1;
    for (int side = 0; side < 2; ++side) {
      const kernel_node &at = k_.nodes[n.in[side]], &row = k_.nodes[n.in[1 - side]];
      if (at.load < 0 || row.at != level::row || is_constant(n.in[1 - side])) continue;
      const operand& o = operand_of(at.load);
      const bool number = row.load >= 0 && operand_of(row.load).number;
      if (o.position && is_integer(o.type) && o.offset == 0 && !number &&
          w_.elements.inner_stride(at.load) == 1 && !w_.kept.moves(at.load))
        return n.in[1 - side];
    }
    return -1;
  }

  bool is_ahead(int a) const { return !ahead_.empty() && ahead_[static_cast<std::size_t>(a)]; }
  bool in_registers(int a) const { return !operand_of(a).position && !operand_of(a).number; }
  std::string registers(int a) const { return pointer_name(a) + "_v"; }

  const work& w_;
  kernel k_;
  std::string position_;
  bool wide_, coarse_ = false;
  vector_form vectors_;
  /// Vectors are aligned where rows are not: they begin `head` elements before a row, and its first
  /// and last ones, which are not `inside` it, are walked lane by lane.
  bool peeled_ = false;
  std::vector<std::string> base_;
  std::vector<char> ahead_;  ///< by access: read while the row before is worked on
};

}  // namespace weft::detail::cuda
