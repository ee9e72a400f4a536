// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/plan/kernel.hpp>

namespace weft::detail {

/// Bytes of the narrowest lanes of a kernel, which fix its number of lanes: 4 or 8.
template <class K>
constexpr int lane_bytes(const K& k) {
  for (int i = 0; i < k.size; ++i) {
    const dtype t = k.nodes[i].type;
    if (t != dtype::boolean && size_of(t) < 8) return 4;
  }
  for (int i = 0; i < k.size; ++i)
    if (k.nodes[i].type != dtype::boolean) return 8;
  return 4;
}

/// Which element values pass p computes, bit by node: what its reductions and stores need, down to
/// kept values and loads.
template <int N>
struct phase_need {
  bool computed[static_cast<std::size_t>(N + 1)]{};
  bool reread[static_cast<std::size_t>(N + 1)]{};
};
template <int N = max_kernel_nodes, class K>
constexpr phase_need<N> needs(const K& k, int p) {
  phase_need<N> r;
  auto want = [&](int i) { r.computed[i] = true; };
  const kernel_node* nodes = k.size > 0 ? &k.nodes[0] : nullptr;
  for (int i = 0; i < k.size; ++i) {
    const kernel_node& n = nodes[i];
    if (is_reduction(n.op) && n.phase == p + 1) want(n.in[0]);
    if (n.kept && n.phase == p) want(i);
  }
  for (int s = 0; s < k.store_count; ++s)
    if (k.stores[s].kind != store_kind::row && k.stores[s].phase == p) want(k.stores[s].node);
  for (int i = k.size; i-- > 0;) {
    if (!r.computed[i]) continue;
    const kernel_node& n = nodes[i];
    if (n.at == level::row) {
      r.computed[i] = false;
      continue;
    }
    if (n.kept && n.phase < p) {
      r.computed[i] = false;
      r.reread[i] = true;
      continue;
    }
    const int arity = n.load >= 0 ? 0 : op_table[n.op].arity;
    for (int j = 0; j < arity; ++j) want(n.in[j]);
  }
  return r;
}

/// Gives every value its pass over the row, decides which ones are kept between passes, and which
/// lanes masks belong to.
constexpr void assign_phases(kernel& k) {
  const dtype wide = lane_bytes(k) == 4 ? dtype::float32 : dtype::float64;
  for (int i = 0; i < k.size; ++i) {
    kernel_node& n = k.nodes.first[i];
    const int arity = n.load >= 0 ? 0 : op_table[n.op].arity;
    int phase = 0;
    bool element = n.load >= 0 && n.at == level::element;
    bool uniform = n.load >= 0 ? n.uniform : !is_reduction(n.op);
    for (int j = 0; j < arity; ++j) {
      const kernel_node& x = k.nodes.first[n.in[j]];
      if (x.phase > phase) phase = x.phase;
      element = element || x.at == level::element;
      uniform = uniform && x.uniform;
    }
    if (is_reduction(n.op)) {
      n.at = level::row;
      ++phase;
    } else {
      n.at = element ? level::element : level::row;
    }
    n.phase = static_cast<std::uint8_t>(phase);
    n.uniform = uniform && n.at == level::row;
    if (n.type == dtype::boolean) {
      const bool compares = op_table[n.op].types == typing::compare;
      n.lane = wide;
      if (compares) {
        n.lane = k.nodes.first[n.in[0]].lane;
      } else if (arity > 0 && n.op != id_of<cast_>) {
        n.lane = k.nodes.first[n.in[arity - 1]].lane;
      }
    } else {
      n.lane = computed_in(n.type);
    }
  }
  int phases = 1;
  for (int s = 0; s < k.store_count; ++s) {
    const kernel_node& x = k.nodes.first[k.stores.first[s].node];
    k.stores.first[s].phase = x.phase;
    if (k.stores.first[s].kind != store_kind::row && x.phase + 1 > phases) phases = x.phase + 1;
  }
  for (int i = 0; i < k.size; ++i)
    if (is_reduction(k.nodes.first[i].op) && k.nodes.first[i].phase > phases)
      phases = k.nodes.first[i].phase;
  k.phases = phases;
  // An expensive value of an earlier pass that a later one needs is kept.
  for (bool changed = phases > 1; changed;) {
    changed = false;
    for (int p = 1; p < k.phases; ++p) {
      const auto need = needs(k, p);
      for (int i = 0; i < k.size; ++i) {
        kernel_node& n = k.nodes.first[i];
        if (!need.computed[i] || n.phase >= p || !is_expensive(n.op) || n.kept) continue;
        n.kept = true;
        changed = true;
      }
    }
  }
}

/// How many values a row keeps between passes.
template <class K>
constexpr int kept_count(const K& k) {
  int n = 0;
  for (int i = 0; i < k.size; ++i) n += k.nodes[i].kept;
  return n;
}

}  // namespace weft::detail
