// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cuda/form.hpp>

#include <bit>
#include <charconv>
#include <cmath>
#include <concepts>

// CUDA source as text: lines, types, literals, spellings of ops.
namespace weft::detail::cuda {

/// What a line is made of: text, an integer, or a number, which is a literal or a mark that becomes
/// the name of a parameter when the kernel is finished. It refers to what it was made from: for
/// arguments, not for keeping.
class word {
 public:
  word(std::string_view s) : text_(s) {}
  word(const char* s) : text_(s) {}
  word(const std::string& s) : text_(s) {}
  word(const number& n) : number_(&n) {}
  template <std::integral N>
  word(N n) : integer_(static_cast<std::int64_t>(n)), is_integer_(true) {}
  void append_to(std::string& s) const {
    if (is_integer_)
      s += std::to_string(integer_);
    else if (!number_)
      s += text_;
    else if (number_->is_dynamic())
      s += "\1" + number_->name + "=" + std::to_string(number_->value) + "\2";
    else
      s += std::to_string(number_->value);
  }

 private:
  std::string_view text_;
  const number* number_ = nullptr;
  std::int64_t integer_ = 0;
  bool is_integer_ = false;
};
// One function for all lines: what a line costs to compile is an array.
[[gnu::noinline]] inline void append_words(std::string& s, const word* words, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) words[i].append_to(s);
}
[[gnu::noinline]] inline std::string joined(const word* words, std::size_t count) {
  std::string s;
  append_words(s, words, count);
  return s;
}
/// Joins words: `say("a", 3)` is "a3".
template <class... W>
std::string say(const W&... w) {
  const word words[] = {word(w)...};
  return joined(words, sizeof...(W));
}

/// Marks of a kernel's text: where its numbers are told in words, and where they are parameters.
constexpr char numbers_told = '\3', numbers_listed = '\4';

/// Ends a kernel: numbers that are no literals become its parameters n0, n1, ..., in the order in
/// which the text says them, behind the pointers.
inline void finish_kernel(emitted_kernel& k, const std::string& marked, bool wide) {
  std::vector<std::string> names;
  std::string s, told, listed;
  for (std::size_t i = 0; i < marked.size(); ++i) {
    if (marked[i] != '\1') {
      s += marked[i];
      continue;
    }
    const std::size_t equals = marked.find('=', i), end = marked.find('\2', i);
    const std::string name = marked.substr(i + 1, equals - i - 1);
    const auto found = std::find(names.begin(), names.end(), name);
    const auto at = static_cast<std::size_t>(found - names.begin());
    if (found == names.end()) {
      names.push_back(name);
      k.numbers.push_back(std::stoll(marked.substr(equals + 1, end - equals - 1)));
      const bool fits = k.numbers.back() <= std::numeric_limits<std::int32_t>::max() &&
                        k.numbers.back() >= std::numeric_limits<std::int32_t>::min();
      told += "// n" + std::to_string(at) + ": " + name + "\n";
      listed += std::string(wide || !fits ? "int64" : "int") + " n" + std::to_string(at) + ", ";
    }
    s += "n" + std::to_string(at);
    i = end;
  }
  for (const char c : s)
    if (c == numbers_told)
      k.source += told;
    else if (c == numbers_listed)
      k.source += listed;
    else
      k.source += c;
}

/// Indented lines.
class text {
 public:
  template <class... W>
  void line(const W&... w) {
    const word words[] = {word(w)...};
    add_line(words, sizeof...(W), "\n");
  }
  template <class... W>
  void open(const W&... w) {
    const word words[] = {word(w)...};
    add_line(words, sizeof...(W), " {\n");
    ++depth_;
  }
  void open_block() {
    line("{");
    ++depth_;
  }
  void close() {
    --depth_;
    line("}");
  }
  template <class... W>
  void open_unrolled(const std::string& name, int count) {
    line("#pragma unroll");
    open("for (int ", name, " = 0; ", name, " < ", count, "; ++", name, ")");
  }
  void raw(const std::string& s) { out_ += s; }
  const std::string& str() const { return out_; }

 private:
  [[gnu::noinline]] void add_line(const word* words, std::size_t count, const char* end) {
    out_.append(static_cast<std::size_t>(2 * depth_), ' ');
    append_words(out_, words, count);
    out_ += end;
  }

  std::string out_;
  int depth_ = 0;
};

inline bool is_half(dtype t) {
  return is_floating(t) && size_of(t) == 2;
}
/// A dtype in memory.
inline std::string memory_type(dtype t) {
  switch (t) {
    case dtype::boolean:
      return "bool";
    case dtype::float32:
      return "float";
    case dtype::float64:
      return "double";
    default:
      return std::string(name(t));  // uint8, int32, ..., float16, bfloat16: as in the prelude
  }
}
/// A dtype in arithmetic: half types are computed in float.
inline std::string value_type(dtype t) {
  return is_half(t) ? "float" : memory_type(t);
}

template <class T>
std::string floating_text(T v, const char* suffix) {
  const std::string type = sizeof(T) == 4 ? "<float>()" : "<double>()";
  if (std::isnan(v)) return "not_a_number" + type;
  if (std::isinf(v)) return (v < 0 ? "(-infinity" : "infinity") + type + (v < 0 ? ")" : "");
  char digits[64];
  std::string s(digits, std::to_chars(digits, digits + sizeof digits, v).ptr);
  const double scaled = static_cast<double>(v) * 1024;
  std::string r;
  if (std::trunc(scaled) == scaled && std::abs(scaled) < 1e9) {
    if (s.find_first_of(".e") == std::string::npos) s += ".0";
    r = s + suffix;
  } else {
    r.assign(digits, std::to_chars(digits, digits + sizeof digits, v, std::chars_format::hex).ptr);
    r.insert(r[0] == '-' ? 1 : 0, "0x");
    r += std::string(suffix) + " /* " + s + " */";
  }
  return std::signbit(v) ? "(" + r + ")" : r;
}

/// The constant that a node's bits stand for; floats that are not short decimals in hex.
inline std::string literal(dtype t, index_t bits) {
  switch (t) {
    case dtype::boolean:
      return bits ? "true" : "false";
    case dtype::float64:
      return floating_text(std::bit_cast<double>(bits), "");
    case dtype::uint8:
      return say("uint8(", static_cast<unsigned>(static_cast<std::uint8_t>(bits)), ")");
    case dtype::uint32:
      return say(static_cast<std::uint32_t>(bits), "u");
    case dtype::uint64:
      return say("uint64(", static_cast<std::uint64_t>(bits), "ull)");
    case dtype::int32:
      if (static_cast<std::int32_t>(bits) == std::numeric_limits<std::int32_t>::min())
        return "limits<int32>::lowest()";
      return bits < 0 ? say("(", bits, ")") : say(bits);
    case dtype::int64:
      if (bits == std::numeric_limits<index_t>::min()) return "limits<int64>::lowest()";
      return say("int64(", bits, "ll)");
    default:
      return floating_text(static_cast<float>(std::bit_cast<double>(bits)), "f");
  }
}
/// An extent as a number of a dtype.
inline std::string number_literal(dtype t, const number& v) {
  if (v.is_dynamic()) return say(value_type(t), "(", v, ")");
  if (is_floating(t)) return literal(t, std::bit_cast<index_t>(static_cast<double>(v.value)));
  return literal(t, v.value);
}

template <class List>
struct cuda_spellings;
template <class... Op>
struct cuda_spellings<type_list<Op...>> {
  template <class X>
  static constexpr std::string_view of() {
    if constexpr (requires { std::string_view(X::cuda); })
      return X::cuda;
    else
      return {};
  }
  static constexpr std::string_view value[sizeof...(Op)]{of<Op>()...};
};

/// Whether an op has a CUDA form; one that has none is an error when the program is made.
inline bool has_cuda_form(op_id op) {
  const op_kind k = info(op).kind;
  return k != op_kind::pointwise || !cuda_spellings<primitives>::value[op].empty();
}

/// How an op is written, with $0, $1, $2 for its operands.
inline std::string spelling(const kernel_node& n, dtype operand) {
  if (n.op == id_of<cast_>) {
    if (is_half(n.type)) return "rounded<" + memory_type(n.type) + ">(cast<float>($0))";
    if (n.type == operand) return "$0";
    return "cast<" + memory_type(n.type) + ">($0)";
  }
  if (is_integer(n.type) && is_signed(n.type)) {
    if (n.op == id_of<add_>) return "add($0, $1)";
    if (n.op == id_of<subtract_>) return "subtract($0, $1)";
    if (n.op == id_of<multiply_>) return "multiply($0, $1)";
    if (n.op == id_of<negative_>) return "negative($0)";
  }
  const std::string_view s = cuda_spellings<primitives>::value[n.op];
  if (s.empty())
    throw device_error("weft: the op " + std::string(info(n.op).name) +
                       " has no CUDA form: run the program on the CPU, or give the op's "
                       "definition a `cuda` spelling (docs/add_an_op.md)");
  return std::string(s);
}

inline std::string reduce_word(op_id op) {
  return op == id_of<reduce_sum_> ? "sum" : op == id_of<reduce_max_> ? "max" : "min";
}
inline std::string neutral(op_id op, const std::string& type) {
  if (op == id_of<reduce_sum_>) return type + "(0)";
  return "limits<" + type + ">::" + (op == id_of<reduce_max_> ? "lowest()" : "highest()");
}
inline std::string combined(op_id op, const std::string& a, const std::string& b) {
  if (op == id_of<reduce_sum_>) return "add(" + a + ", " + b + ")";
  return (op == id_of<reduce_max_> ? "maximum(" : "minimum(") + a + ", " + b + ")";
}

/// Names the ops of a kernel in order; a long one keeps its ends.
inline std::string ops_name(const kernel& k) {
  std::vector<std::string> words;
  auto add = [&](std::string_view s) {
    if (words.empty() || words.back() != s) words.emplace_back(s);
  };
  for (int i = 0; i < k.size; ++i)
    if (k.nodes[i].load < 0 && k.nodes[i].op != id_of<constant_>) add(info(k.nodes[i].op).name);
  for (int s = 0; s < k.store_count; ++s)
    if (k.stores[s].kind == store_kind::column)
      add(std::string(info(k.stores[s].reduce).name) + "_columns");
  if (words.empty()) return k.loads ? "copy" : "fill";
  std::string r;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words.size() > 6 && i >= 4 && i + 1 < words.size()) continue;
    r += (i ? "_" : "") + words[i];
  }
  return r;
}

}  // namespace weft::detail::cuda
