// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/array/extents.hpp>
#include <weft/graph/graph.hpp>

#include <bit>
#include <charconv>
#include <string>

// Graphs as text, for dumps, golden files and people. The same graph gives the same text
// everywhere.
namespace weft::detail {

using weft::to_text;  // of shapes, which a graph's would hide from headers that come later

/// An extent: a number, or a symbol as ?0.
inline std::string extent_text(index_t e) {
  return is_symbol(e) ? "?" + std::to_string(symbol_number(e)) : std::to_string(e);
}

/// "float32(?0, 128)".
inline std::string value_text(const node& n) {
  std::string s(name(n.type));
  s += "(";
  for (int i = 0; i < n.shape.rank; ++i) s += (i ? ", " : "") + extent_text(n.shape.d[i]);
  return s + ")";
}

/// What a symbol stands for: "argument 0, axis 1", "?0 * ?1".
inline std::string extent_meaning(const extent_expr& e) {
  const std::string a = extent_text(e.a), b = extent_text(e.b);
  switch (e.kind) {
    case extent_kind::argument:
      return "extent of argument " + a + " along axis " + b;
    case extent_kind::stride:
      return "stride of argument " + a + " along axis " + b;
    case extent_kind::product:
      return a + " * " + b;
    case extent_kind::sum:
      return a + " + " + b;
    case extent_kind::quotient:
      return a + " / " + b;
    case extent_kind::ceiling:
      return a + " / " + b + " rounded up";
    case extent_kind::broadcast:
      return b + " == 1 ? " + a + " : " + b;
    case extent_kind::unless_one:
      return a + " == 1 ? 0 : " + b;
    case extent_kind::least:
      return "min(" + a + ", " + b + ")";
    case extent_kind::excess:
      return "max(" + a + " - " + b + ", 0)";
    case extent_kind::data:
      return e.b < 0 ? "number of host call " + a : "extent of host call " + a + " along axis " + b;
    case extent_kind::number:
      return "argument " + a;
  }
  return "?";
}

/// The shortest text that reads back as the same number.
inline std::string number_text(const node& n) {
  const auto bits = static_cast<std::uint64_t>(n.at.v[0]);
  if (n.type == dtype::boolean) return bits ? "true" : "false";
  if (is_integer(n.type))
    return is_signed(n.type) ? std::to_string(n.at.v[0]) : std::to_string(bits);
  char digits[64];
  const double v = std::bit_cast<double>(bits);
  const auto end = computed_in(n.type) == dtype::float32
                       ? std::to_chars(digits, digits + sizeof digits, static_cast<float>(v))
                       : std::to_chars(digits, digits + sizeof digits, v);
  return {digits, end.ptr};
}

inline std::string list_text(const index_t* v, int count) {
  std::string s = "<";
  for (int i = 0; i < count; ++i) s += (i ? ", " : "") + std::to_string(v[i]);
  return s + ">";
}

/// The attributes of a node, as the op means them; empty where it has none.
inline std::string attribute_text(const node& n) {
  const index_t* v = n.at.v;
  if (n.op == id_of<constant_>) return " " + number_text(n);
  if (n.op == id_of<argument_>) return " " + std::to_string(v[0]) + (v[1] ? " strided" : "");
  if (n.op == id_of<extent_>) return " " + extent_text(v[0]);
  if (n.op == id_of<fresh_>) return "#" + std::to_string(v[0]);
  if (n.op == id_of<parameter_> || n.op == id_of<result_>) return " " + std::to_string(v[0]);
  if (n.op == id_of<cond_>)
    return "<then body " + std::to_string(v[0]) + ", else body " + std::to_string(v[1]) + ">";
  if (n.op == id_of<scan_>)
    return "<body " + std::to_string(v[0]) + ", " + extent_text(v[1]) + " steps, " +
           std::to_string(v[2]) + " carried, " + std::to_string(v[3]) + " sliced" +
           (v[4] ? ", from the last>" : ">");
  if (n.op == id_of<while_>)
    return "<condition body " + std::to_string(v[0]) + ", body " + std::to_string(v[1]) + ">";
  if (n.op == id_of<host_>) return "<function " + std::to_string(v[0]) + ">";
  if (n.op == id_of<permute_>) return list_text(v, n.shape.rank);
  if (n.op == id_of<slice_> || n.op == id_of<pad_>)
    return "<axis " + std::to_string(v[0]) + ", start " + extent_text(v[1]) + ", step " +
           extent_text(v[2]) + ">";
  if (info(n.op).kind == op_kind::reduction) {
    index_t axes[max_rank]{};
    int count = 0;
    for (int i = 0; i < max_rank; ++i)
      if (v[0] >> i & 1) axes[count++] = i;
    return list_text(axes, count);
  }
  if (n.op == id_of<cast_>) return "";  // the result's dtype says it
  int used = 0;
  for (int i = 0; i < max_rank; ++i)
    if (v[i] != 0) used = i + 1;
  if (used == 0 &&
      (n.op == id_of<concat_> || n.op == id_of<gather_> || n.op == id_of<scatter_add_> ||
       n.op == id_of<arg_max_> || n.op == id_of<arg_min_> || n.op == id_of<iota_>))
    used = 1;  // an axis, be it 0
  return used ? list_text(v, used) : "";
}

/// "multiply %0 %2": a node without its number, dtype and place.
inline std::string node_text(const node& n) {
  std::string s(info(n.op).name);
  s += attribute_text(n);
  for (int x : n.in)
    if (x >= 0) s += " %" + std::to_string(x);
  return s;
}

/// The file's name without its folders, which differ from machine to machine, and the line.
inline std::string place_text(const location& at) {
  if (at.line == 0) return "";
  const std::string_view file = at.file;
  const std::size_t cut = file.find_last_of('/');
  return std::string(cut == std::string_view::npos ? file : file.substr(cut + 1)) + ":" +
         std::to_string(at.line);
}

inline std::string guard_text(const guard& g) {
  const std::string a = extent_text(g.a), b = extent_text(g.b);
  std::string s;
  switch (g.kind) {
    case guard_kind::equal:
      s = a + " == " + b;
      break;
    case guard_kind::broadcast:
      s = a + " broadcasts with " + b;
      break;
    case guard_kind::divides:
      s = b + " divides " + a;
      break;
    case guard_kind::not_empty:
      s = a + " > 0 unless " + b + " == 0";
      break;
  }
  const std::string at = place_text(g.where);
  return s + "   // " + std::string(info(g.op).name) + (at.empty() ? "" : ", " + at);
}

inline void put_nodes(std::string& s, const graph& g, const std::string& indent) {
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    s += indent + "%" + std::to_string(i) + " = " + node_text(g.nodes[i]) + " : " +
         value_text(g.nodes[i]);
    const std::string at = i < g.where.size() ? place_text(g.where[i]) : "";
    s += at.empty() ? "\n" : "   // " + at + "\n";
  }
  s += indent + "return";
  for (int o : g.outputs) s += " %" + std::to_string(o);
  s += "\n";
  for (std::size_t k = 0; k < g.bodies.size(); ++k) {
    s += indent + "body " + std::to_string(k) + ":\n";
    put_nodes(s, g.bodies[k], indent + "  ");
  }
}

/// A graph as text: what its extents stand for, what must hold of them, then a node a line:
/// `%3 = multiply %0 %2 : float32(?0, 128)   // model.cpp:12`.
inline std::string to_text(const graph& g) {
  std::string s = "graph of " + std::to_string(g.arguments) +
                  (g.arguments == 1 ? " argument\n" : " arguments\n");
  if (!g.error.empty()) s += "error: " + std::string(g.error.view()) + "\n";
  for (std::size_t i = 0; i < g.extents.size(); ++i)
    s += "?" + std::to_string(i) + " = " + extent_meaning(g.extents[i]) + "\n";
  for (const guard& c : g.guards) s += "guard " + guard_text(c) + "\n";
  put_nodes(s, g, "");
  return s;
}

}  // namespace weft::detail
