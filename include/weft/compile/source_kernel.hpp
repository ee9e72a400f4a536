// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/compile/source_text.hpp>

// A kernel value as the C++ loops it stands for. What runs them is cpu/nest.hpp.
namespace weft::detail {

/// The loops around a kernel's innermost one, as a step has them.
struct nest_shape {
  int rows = 1, segments = 0;
  int summed = 0;  ///< the last rows: those that columns are accumulated over
  bool operator==(const nest_shape&) const = default;
};

template <class List>
struct op_spellings;
template <class... Op>
struct op_spellings<type_list<Op...>> {
  template <class X>
  static constexpr std::string_view of() {
    if constexpr (requires { X::cuda; })
      return X::cuda;
    else
      return X::name;
  }
  static constexpr std::string_view value[sizeof...(Op)]{of<Op>()...};
};

/// How an op is written in C++, with $0, $1, $2 for its operands: its own definition's spelling, in
/// the words of compile/source_prelude.hpp and <cmath>.
inline std::string op_spelling(const kernel_node& n, dtype operand) {
  std::string s(op_spellings<primitives>::value[n.op]);
  if (n.op == id_of<cast_>) {
    const bool checked = is_floating(operand) && !is_floating(n.type) && n.type != dtype::boolean;
    return std::string(checked ? "cast<" : "static_cast<") + cpp_type(n.type) + ">($0)";
  }
  if (n.op == id_of<mul_zero_>) return "mul_zero($0, $1)";
  if (n.op == id_of<rsqrt_>) return "rsqrt($0)";
  if (n.op == id_of<remainder_>) return "floor_remainder($0, $1)";  // not ::remainder
  if (n.op == id_of<divide_> && is_floating(n.type)) return "$0 / $1";
  for (std::string_view f : {"exp", "expm1", "log", "log1p", "sin", "cos", "tanh", "sqrt", "erf",
                             "erfc", "floor", "fma"})
    if (s.starts_with(std::string(f) + "(")) return "std::" + s;
  // C++ computes narrow integers in int.
  if (n.type == dtype::uint8 && s.find('(') == std::string::npos)
    return "static_cast<std::uint8_t>(" + s + ")";
  return s;
}

class kernel_printer {
 public:
  kernel_printer(const kernel& k, nest_shape shape) : k_(k), shape_(shape) {
    for (int r = 0; r < shape.rows; ++r) add_loop("r", "rows", r, shape.rows);
    for (int s = 0; s < shape.segments; ++s) add_loop("s", "segments", s, shape.segments);
    add_loop("i", "inner", 0, 1);
  }

  std::string text(const std::string& name) {
    header(name);
    for (int i = 0; i < k_.size; ++i)
      if (k_.nodes[i].kept)
        line(std::string("std::vector<") + cpp_type(k_.nodes[i].type) + "> kept" +
             std::to_string(i) + "(" + row_extent() + ");");
    row_values(0, true);
    const int outer = shape_.rows - (has_columns() ? shape_.summed : 0);
    for (int r = 0; r < outer; ++r) open_loop(r);
    open_columns();
    for (int r = outer; r < shape_.rows; ++r) open_loop(r);
    row();
    for (int r = outer; r < shape_.rows; ++r) close();
    close_columns(outer);
    for (int r = 0; r < outer; ++r) close();
    out_ += "}\n";
    return std::move(out_);
  }

 private:
  struct loop {
    std::string index, extent;
  };
  void add_loop(const char* index, const char* extent, int i, int of) {
    const std::string suffix = of > 1 ? std::to_string(i) : "";
    loops_.push_back({index + suffix, extent + suffix});
  }

  void line(const std::string& s) {
    out_ += std::string(static_cast<std::size_t>(2 * depth_), ' ') + s + "\n";
  }
  void open_loop(int l) {
    const loop& x = loops_[static_cast<std::size_t>(l)];
    line("for (index_t " + x.index + " = 0; " + x.index + " < " + x.extent + "; ++" + x.index +
         ") {");
    ++depth_;
  }
  void close() {
    --depth_;
    line("}");
  }
  static std::string value(int i) { return "t" + std::to_string(i); }
  std::string operand(int i) const {
    const kernel_node& n = k_.nodes[i];
    return n.load < 0 && n.op == id_of<constant_> ? literal_text(n.type, n.bits) : value(i);
  }
  /// Indices of the rows, then of the segments and the innermost loop where they matter.
  std::string place(bool segments, bool inner) const {
    std::string s = "(";
    const int count = static_cast<int>(loops_.size());
    for (int l = 0; l < count; ++l) {
      if (l >= shape_.rows && !segments) break;
      if (l == count - 1 && !inner) break;
      s += (l ? ", " : "") + loops_[static_cast<std::size_t>(l)].index;
    }
    return s + ")";
  }
  std::string row_extent() const {
    std::string s;
    for (std::size_t l = static_cast<std::size_t>(shape_.rows); l < loops_.size(); ++l)
      s += (s.empty() ? "" : " * ") + loops_[l].extent;
    return s;
  }
  /// The place of the current element within its row.
  std::string flat() const {
    std::string s;
    for (std::size_t l = static_cast<std::size_t>(shape_.rows); l < loops_.size(); ++l) {
      if (s.find(' ') != std::string::npos) s = "(" + s + ")";
      s = s.empty() ? loops_[l].index : s + " * " + loops_[l].extent + " + " + loops_[l].index;
    }
    return s;
  }
  static const char* along(stride_kind s) {
    return s == stride_kind::unit   ? "contiguous along i"
           : s == stride_kind::none ? "the same along i"
                                    : "strided along i";
  }
  bool has_columns() const {
    for (int s = 0; s < k_.store_count; ++s)
      if (k_.stores[s].kind == store_kind::column) return true;
    return false;
  }
  static bool wide(op_id reduce, dtype t) {
    return reduce == id_of<reduce_sum_> && computed_in(t) == dtype::float32;
  }

  void header(const std::string& name) {
    out_ += "// " + name + ": " + kernel_name(k_) + "\n";
    bool sums = false, columns = false;
    for (int i = 0; i < k_.size; ++i)
      sums = sums || (k_.nodes[i].op == id_of<reduce_sum_> && is_floating(k_.nodes[i].type));
    for (int s = 0; s < k_.store_count; ++s) {
      const kernel_store& t = k_.stores[s];
      columns = columns || (t.kind == store_kind::column && wide(t.reduce, t.type));
    }
    if (sums)
      out_ +=
          "// A row's sum runs in vector lanes, which are added up every 1024 elements; float "
          "totals "
          "are double.\n";
    if (columns) out_ += "// Columns add up 256 rows at a time in float, these sums in double.\n";
    std::string indent = "void " + name + "(";
    std::vector<std::string> parameters, notes;
    std::string extents;
    for (const loop& l : loops_)
      extents += (extents.empty() ? "index_t " : ", index_t ") + l.extent;
    parameters.push_back(extents);
    notes.emplace_back();
    const std::string rank = std::to_string(loops_.size());
    for (int a = 0; a < k_.loads; ++a)
      for (int i = 0; i < k_.size; ++i) {
        if (k_.nodes[i].load != a) continue;
        const bool memory = k_.nodes[i].op != id_of<iota_>;
        const std::string x = " x" + std::to_string(a);
        if (memory)
          parameters.push_back(std::string("elements<const ") + cpp_type(k_.nodes[i].type) + ", " +
                               rank + ">" + x);
        else
          parameters.push_back("positions<" + rank + ">" + x);
        notes.emplace_back(k_.nodes[i].uniform            ? "one for all"
                           : k_.nodes[i].at == level::row ? "one for each row"
                                                          : along(k_.nodes[i].stride));
        break;
      }
    for (int s = 0; s < k_.store_count; ++s) {
      const kernel_store& t = k_.stores[s];
      parameters.push_back(std::string("elements<") + cpp_type(t.type) + ", " + rank + "> y" +
                           std::to_string(s));
      notes.emplace_back(t.kind == store_kind::row ? "one for each row" : along(t.stride));
    }
    std::size_t widest = 0;
    for (std::size_t i = 1; i < parameters.size(); ++i)
      widest = parameters[i].size() > widest ? parameters[i].size() : widest;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const std::string end = i + 1 < parameters.size() ? "," : ") {";
      out_ += (i ? std::string(indent.size(), ' ') : indent);
      out_ += notes[i].empty() ? parameters[i] + end
                               : padded(parameters[i] + end, widest + 3) + "  // " + notes[i];
      out_ += "\n";
    }
  }

  // A row

  void row() {
    for (int p = 0; p < k_.phases; ++p) {
      row_values(p);
      if (runs(p)) pass(p);
    }
    row_values(k_.phases);
    for (int s = 0; s < k_.store_count; ++s)
      if (k_.stores[s].kind == store_kind::row)
        line("y" + std::to_string(s) + place(false, false) + " = " +
             stored(k_.stores[s].type, operand(k_.stores[s].node)) + ";");
  }

  bool reduces(int p) const {
    for (int i = 0; i < k_.size; ++i)
      if (is_reduction(k_.nodes[i].op) && k_.nodes[i].phase == p + 1) return true;
    return false;
  }
  bool runs(int p) const {
    for (int s = 0; s < k_.store_count; ++s)
      if (k_.stores[s].kind != store_kind::row && k_.stores[s].phase == p) return true;
    return reduces(p);
  }

  /// Values known before pass p; the uniform ones are the same for all rows, and computed once.
  void row_values(int p, bool uniform = false) {
    for (int i = 0; i < k_.size; ++i) {
      const kernel_node& n = k_.nodes[i];
      if (n.at != level::row || n.phase != p || n.uniform != uniform) continue;
      if (n.load >= 0)
        define(i, load(n));
      else if (n.op == id_of<constant_>)
        continue;
      else if (!is_reduction(n.op))
        define(i, work(n));
      else if (wide(n.op, n.type))
        define(i, "static_cast<float>(sum" + std::to_string(i) + ")");
    }
  }
  /// A value as memory of a dtype takes it: 16-bit types round.
  static std::string stored(dtype t, const std::string& x) {
    return computed_in(t) == t ? x : std::string("static_cast<") + cpp_type(t) + ">(" + x + ")";
  }
  void define(int i, const std::string& what) {
    line(std::string("const ") + cpp_type(computed_in(k_.nodes[i].type)) + " " + value(i) + " = " +
         what + ";");
  }
  std::string load(const kernel_node& n) const {
    const bool element = n.at == level::element;
    const std::string x =
        "x" + std::to_string(n.load) +
        (n.uniform ? "()" : place(element, element && n.stride != stride_kind::none));
    return n.op == id_of<iota_> ? std::string("static_cast<") + cpp_type(n.type) + ">(" + x + ")"
                                : x;
  }
  std::string work(const kernel_node& n) const {
    const std::string s = op_spelling(n, k_.nodes[n.in[0]].type);
    std::string r;
    for (std::size_t c = 0; c < s.size(); ++c) {
      if (s[c] != '$') {
        r += s[c];
        continue;
      }
      std::string x = operand(n.in[s[++c] - '0']);
      if (x[0] == '-' && !r.empty() && r.back() == '-') x = "(" + x + ")";
      r += x;
    }
    return r;
  }

  void pass(int p) {
    const auto need = needs(k_, p);
    std::string what;
    for (int i = 0; i < k_.size; ++i) {
      const kernel_node& n = k_.nodes[i];
      if (!is_reduction(n.op) || n.phase != p + 1) continue;
      what += (what.empty() ? "" : ", ") + std::string(info(n.op).name) + " of " + operand(n.in[0]);
    }
    for (int s = 0; s < k_.store_count; ++s)
      if (k_.stores[s].kind != store_kind::row && k_.stores[s].phase == p)
        what += (what.empty() ? "" : ", ") +
                std::string(k_.stores[s].kind == store_kind::column ? "columns of y" : "y") +
                std::to_string(s);
    if (k_.phases > 1 || reduces(p))
      line("// pass " + std::to_string(p + 1) + " of " + std::to_string(k_.phases) + ": " + what);
    for (int i = 0; i < k_.size; ++i) {
      const kernel_node& n = k_.nodes[i];
      if (!is_reduction(n.op) || n.phase != p + 1) continue;
      if (wide(n.op, n.type))
        line("double sum" + std::to_string(i) + " = 0;");
      else
        line(std::string(cpp_type(n.type)) + " " + value(i) + " = " + neutral(n.op, n.type) + ";");
    }
    for (int l = shape_.rows; l < static_cast<int>(loops_.size()); ++l) open_loop(l);
    for (int i = 0; i < k_.size; ++i) {
      const kernel_node& n = k_.nodes[i];
      const std::string kept = "kept" + std::to_string(i) + "[" + flat() + "]";
      if (need.computed[i]) {
        define(i, n.load >= 0 ? load(n) : work(n));
        if (n.kept && n.phase == p) line(kept + " = " + value(i) + ";");
      } else if (need.reread[i]) {
        define(i, kept);
      }
      if (!is_reduction(n.op) || n.phase != p + 1) continue;
      const std::string x = operand(n.in[0]);
      if (wide(n.op, n.type))
        line("sum" + std::to_string(i) + " += " + x + ";");
      else
        line(accumulate(value(i), n.op, x));
    }
    for (int s = 0; s < k_.store_count; ++s) {
      const kernel_store& t = k_.stores[s];
      if (t.phase != p) continue;
      const std::string x = operand(t.node);
      if (t.kind == store_kind::element)
        line("y" + std::to_string(s) + place(true, t.stride != stride_kind::none) + " = " +
             stored(t.type, x) + ";");
      else if (t.kind == store_kind::column)
        line(accumulate("column" + std::to_string(s) + "[i]", t.reduce, x));
    }
    for (int l = shape_.rows; l < static_cast<int>(loops_.size()); ++l) close();
  }

  static std::string accumulate(const std::string& to, op_id reduce, const std::string& x) {
    if (reduce == id_of<reduce_sum_>) return to + " += " + x + ";";
    const char* f = reduce == id_of<reduce_max_> ? "maximum(" : "minimum(";
    return to + " = " + f + to + ", " + x + ");";
  }
  static std::string neutral(op_id reduce, dtype t) {
    if (reduce == id_of<reduce_sum_>) return "0";
    const std::string limits = std::string("std::numeric_limits<") + cpp_type(t) + ">::";
    const bool most = reduce == id_of<reduce_max_>;
    if (is_floating(t)) return (most ? "-" : "") + limits + "infinity()";
    return limits + (most ? "lowest()" : "max()");
  }

  // Columns

  void open_columns() {
    for (int s = 0; s < k_.store_count; ++s) {
      const kernel_store& t = k_.stores[s];
      if (t.kind != store_kind::column) continue;
      const dtype lane = computed_in(t.type);
      const char* type = wide(t.reduce, lane) ? "double" : cpp_type(lane);
      line(std::string("std::vector<") + type + "> column" + std::to_string(s) + "(inner, " +
           neutral(t.reduce, lane) + ");");
    }
  }
  void close_columns(int outer) {
    if (!has_columns()) return;
    line("for (index_t i = 0; i < inner; ++i) {");
    ++depth_;
    std::string place = "(";
    for (int l = 0; l < shape_.rows; ++l)
      place += l < outer ? loops_[static_cast<std::size_t>(l)].index + ", " : "0, ";
    for (int s = 0; s < k_.store_count; ++s) {
      const kernel_store& t = k_.stores[s];
      if (t.kind != store_kind::column) continue;
      const std::string sum = "column" + std::to_string(s) + "[i]";
      line("y" + std::to_string(s) + place + "i) = " +
           (t.type == dtype::float32 && wide(t.reduce, t.type) ? "static_cast<float>(" + sum + ")"
                                                               : stored(t.type, sum)) +
           ";");
    }
    close();
  }

  const kernel& k_;
  nest_shape shape_;
  std::vector<loop> loops_;
  int depth_ = 1;
  std::string out_;
};

/// The loops that a kernel stands for, with one loop of rows unless a step says otherwise.
inline std::string kernel_source(const kernel& k, int number) {
  nest_shape shape;
  for (int s = 0; s < k.store_count; ++s)
    if (k.stores[s].kind == store_kind::column) shape.summed = 1;
  return kernel_printer(k, shape).text("kernel_" + std::to_string(number));
}

}  // namespace weft::detail
