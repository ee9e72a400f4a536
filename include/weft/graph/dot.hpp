// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/graph/print.hpp>

namespace weft::detail {

/// Text between double quotes in Graphviz's language.
inline std::string in_quotes(std::string_view text) {
  std::string s = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') s += '\\';
    if (c == '\n')
      s += "\\n";
    else
      s += c;
  }
  return s + "\"";
}

/// A graph in Graphviz's language: `dot -Tsvg` draws it. Leaves are ellipses, views are dashed,
/// reductions and products are filled; outputs have a double border.
inline std::string to_dot(const graph& g) {
  std::string s = "digraph weft {\n  node [shape=box, fontname=\"monospace\"];\n";
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const node& n = g.nodes[i];
    bool output = false;
    for (int o : g.outputs) output = output || o == static_cast<int>(i);
    std::string label(info(n.op).name);
    label += attribute_text(n) + "\n" + value_text(n);
    s += "  n" + std::to_string(i) + " [label=" + in_quotes(label);
    switch (info(n.op).kind) {
      case op_kind::leaf:
        s += ", shape=ellipse";
        break;
      case op_kind::view:
      case op_kind::identity:
        s += ", style=dashed";
        break;
      case op_kind::reduction:
      case op_kind::matmul:
        s += ", style=filled";
        break;
      default:
        break;
    }
    s += output ? ", peripheries=2];\n" : "];\n";
    int count = 0;
    for (int x : n.in) count += x >= 0;
    for (int k = 0; k < count; ++k) {
      s += "  n" + std::to_string(n.in[k]) + " -> n" + std::to_string(i);
      s += count > 1 ? " [label=" + std::to_string(k) + "];\n" : ";\n";
    }
  }
  return s + "}\n";
}

}  // namespace weft::detail
