// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/base/text.hpp>
#include <weft/plan/encode.hpp>

#include <string>
#include <string_view>
#include <vector>

// Words for what plans hold: shared by logs, traces, explain and source.
namespace weft::detail {

/// An extent as text: a number, or how it follows from the arguments' shapes ("a0[1] * 64").
inline std::string extent_text(index_t e, const extent_expr* table, bool inner = false) {
  if (!is_symbol(e)) return std::to_string(e);
  const extent_expr& x = table[symbol_number(e)];
  auto part = [&](index_t v) { return extent_text(v, table, true); };
  auto joined = [&](const char* by) {
    const std::string s = part(x.a) + by + part(x.b);
    return inner ? "(" + s + ")" : s;
  };
  switch (x.kind) {
    case extent_kind::argument:
      return "a" + std::to_string(x.a) + "[" + std::to_string(x.b) + "]";
    case extent_kind::stride:
      return "a" + std::to_string(x.a) + ".step[" + std::to_string(x.b) + "]";
    case extent_kind::product:
      return joined(" * ");
    case extent_kind::sum:
      return joined(" + ");
    case extent_kind::quotient:
      return joined(" / ");
    case extent_kind::ceiling:
      return "ceil(" + part(x.a) + " / " + part(x.b) + ")";
    case extent_kind::broadcast:
      return "broadcast(" + part(x.a) + ", " + part(x.b) + ")";
    case extent_kind::unless_one:
      return "(" + part(x.a) + " == 1 ? 0 : " + part(x.b) + ")";
    case extent_kind::least:
      return "min(" + part(x.a) + ", " + part(x.b) + ")";
    case extent_kind::excess:
      return "max(" + part(x.a) + " - " + part(x.b) + ", 0)";
    case extent_kind::data:
      return "host call " + std::to_string(x.a) + "[" + std::to_string(x.b) + "]";
    case extent_kind::number:
      return "a" + std::to_string(x.a);
  }
  return "?";
}

/// Whether a node of a kernel is work, not a load or a constant.
inline bool is_work(const kernel_node& n) {
  return n.load < 0 && n.op != id_of<constant_>;
}

/// A name made of a kernel's ops in order; a long one keeps its ends
/// ("max_subtract_exp_..._divide").
[[gnu::cold, gnu::noinline]] inline void add_kernel_name(line_text& to, const kernel& k) {
  op_id words[max_kernel_nodes + max_kernel_stores];
  int count = 0, ops = 0;  // columns come last
  auto add = [&](op_id op) {
    if (count == ops || words[count - 1] != op) words[count++] = op;
  };
  for (const kernel_node& n : k.nodes)
    if (is_work(n) && (ops == 0 || words[ops - 1] != n.op)) words[ops++] = n.op;
  count = ops;
  for (const kernel_store& s : k.stores)
    if (s.kind == store_kind::column) add(s.reduce);
  if (count == 0) to.add(k.loads ? "copy" : "fill");
  for (int i = 0; i < count; ++i) {
    const bool skipped = count > 6 && i >= 4 && i + 1 < count;
    if (skipped && i > 4) continue;
    const std::string_view name = skipped ? "..." : info(words[i]).name;
    to.add("%s%.*s%s", i ? "_" : "", static_cast<int>(name.size()), name.data(),
           i < ops || skipped ? "" : "_columns");
  }
}
inline std::string kernel_name(const kernel& k) {
  line_text t;
  add_kernel_name(t, k);
  return t.text;
}

inline const char* step_name(step_kind k) {
  switch (k) {
    case step_kind::kernel:
      return "kernel";
    case step_kind::product:
      return "matmul";
    case step_kind::gather:
      return "take";
    case step_kind::scatter_add:
      return "scatter_add";
    case step_kind::arg_max:
      return "argmax";
    case step_kind::arg_min:
      return "argmin";
    case step_kind::sum_to:
      return "sum_to";
    case step_kind::control:
      return "control";
  }
  return "?";
}

/// The number of a step's first access that is a store, and of its first load of memory.
inline int first_store(const step& s, const kernel* kernels) {
  switch (s.kind) {
    case step_kind::kernel:
      return kernels[s.kernel].loads;
    case step_kind::product:
      return s.kernel < 0 ? 3 : 3 + kernels[s.kernel].loads;
    case step_kind::gather:
    case step_kind::scatter_add:
      return 2;
    default:
      return 1;
  }
}

inline std::string padded(std::string s, std::size_t width, bool right = false) {
  if (s.size() < width) s.insert(right ? 0 : s.size(), width - s.size(), ' ');
  return s;
}

}  // namespace weft::detail
