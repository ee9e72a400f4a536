// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/grad/vjp.hpp>

namespace weft::detail {

/// The tangent of a node from those of its operands (id -1 for none).
constexpr symbol push_forward(builder& b, int i, const symbol* t) {
  const node n = b.at(i);
  const symbol y{&b, i};
  const op_info& f = info(n.op);
  auto zero_of = [&](int x) { return symbol{&b, x}.number(0).broadcast_to(symbol{&b, x}); };
  if (n.op == id_of<where_>)
    return where(symbol{&b, n.in[0]}, t[1].id() >= 0 ? t[1] : zero_of(n.in[1]),
                 t[2].id() >= 0 ? t[2] : zero_of(n.in[2]));
  if (n.op == id_of<custom_> && b.rules[static_cast<std::size_t>(n.at.v[0])].count == 0)
    return {};  // gradients stop here
  if (f.kind == op_kind::identity) return t[0];
  if (f.kind == op_kind::pointwise && n.op != id_of<cast_>) {
    symbol total{};
    for (int k = 0; k < f.arity; ++k) {
      if (t[k].id() < 0) continue;
      symbol out[3]{};
      pull_back(b, t[k], i, out);
      if (out[k].id() < 0) continue;
      total = total.id() < 0 ? out[k] : total + out[k];
    }
    return total;
  }
  if (n.op == id_of<reduce_max_> || n.op == id_of<reduce_min_>) {
    const symbol hit = symbol{&b, n.in[0]} == y;
    const symbol count = hit.as(y.type()).reduced_like(y);
    return where(hit, t[0] / count, 0).reduced_like(y);
  }
  if (n.op == id_of<arg_max_> || n.op == id_of<arg_min_>) return {};
  if (n.op == id_of<cast_> && !is_floating(n.type)) return {};
  // What remains is linear in each operand: the same op on tangents.
  symbol total{};
  const bool one_call = n.op == id_of<concat_>;  // linear in both operands at once
  for (int k = 0; k < f.arity; ++k) {
    if (t[k].id() < 0) continue;
    node m = n;
    for (int j = 0; j < f.arity; ++j)
      if (one_call || j == k) m.in[j] = t[j].id() >= 0 ? t[j].id() : zero_of(n.in[j]).id();
    const symbol part{&b, b.add(m)};
    total = total.id() < 0 ? part : total + part;
    if (one_call) break;
  }
  return total;
}

/// The tangents of a control node's results from those of its operands, id -1 for none. In
/// grad/control_forward.hpp.
constexpr sequence<symbol> push_forward_control(builder& b, int control,
                                                const sequence<symbol>& tangents);

/// The tangents of roots when the nodes wrt have the given tangents; id -1 for a root that does not
/// depend on them.
constexpr sequence<symbol> forward(builder& b, const sequence<int>& roots, const sequence<int>& wrt,
                                   const sequence<symbol>& tangents) {
  int last = -1;
  for (int r : roots) last = r > last ? r : last;
  sequence<symbol> t(static_cast<std::size_t>(last) + 1, symbol{});
  for (std::size_t k = 0; k < wrt.size(); ++k)
    if (wrt[k] <= last) t[static_cast<std::size_t>(wrt[k])] = tangents[k];
  const location before = b.here();
  for (int i = 0; i <= last; ++i) {
    if (t[static_cast<std::size_t>(i)].id() >= 0) continue;
    const node n = b.at(i);
    if (info(n.op).kind == op_kind::control) {
      if (!is_control(n.op)) continue;
      sequence<symbol> in;
      bool any = false;
      for (int x : operands_of(b.g.nodes.data(), n)) {
        in.push_back(t[static_cast<std::size_t>(x)]);
        any = any || in.back().id() >= 0;
      }
      if (!any) continue;
      b.here(b.g.where[static_cast<std::size_t>(i)]);
      const sequence<symbol> out = push_forward_control(b, i, in);
      for (int r = i + 1; r <= last; ++r) {
        const node& m = b.at(r);
        if (m.op == id_of<result_> && m.in[0] == i &&
            static_cast<std::size_t>(m.at.v[0]) < out.size())
          t[static_cast<std::size_t>(r)] = out[static_cast<std::size_t>(m.at.v[0])];
      }
      continue;
    }
    symbol in[3]{};
    bool any = false;
    for (int k = 0; k < 3; ++k) {
      const int x = n.in[k];
      if (x >= 0) in[k] = t[static_cast<std::size_t>(x)];
      any = any || in[k].id() >= 0;
    }
    if (!any) continue;
    b.here(b.g.where[static_cast<std::size_t>(i)]);
    t[static_cast<std::size_t>(i)] = push_forward(b, i, in);
  }
  b.here(before);
  sequence<symbol> result;
  for (int r : roots) result.push_back(t[static_cast<std::size_t>(r)]);
  return result;
}
constexpr symbol forward(symbol root, const sequence<int>& wrt, const sequence<symbol>& tangents) {
  return forward(root.builder(), {root.id()}, wrt, tangents)[0];
}

}  // namespace weft::detail

#include <weft/grad/control_forward.hpp>
