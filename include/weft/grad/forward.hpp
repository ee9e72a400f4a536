// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/grad/vjp.hpp>
#include <weft/graph/bodies.hpp>

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
  // What remains is linear in each operand: the same op on tangents. sum_to reads only the shape of
  // its second.
  symbol total{};
  const int operands = n.op == id_of<sum_to_> ? 1 : f.arity;
  const bool one_call = n.op == id_of<concat_>;  // linear in both operands at once
  for (int k = 0; k < operands; ++k) {
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
  const sequence<succession> by = b.successor;  // a result may come from a later node by now
  const int count = by.empty() ? last + 1 : b.g.size();
  sequence<symbol> t(static_cast<std::size_t>(count), symbol{});
  for (std::size_t k = 0; k < wrt.size(); ++k)
    if (wrt[k] < count) t[static_cast<std::size_t>(wrt[k])] = tangents[k];
  struct given {
    int control;
    sequence<symbol> tangents;
  };
  sequence<given> controls;
  const auto visit = [&](int i) {
    if (t[static_cast<std::size_t>(i)].id() >= 0) return;
    const node n = current(b, by, i);
    if (n.op == id_of<result_>) {
      for (const given& c : controls)
        if (c.control == n.in[0] && static_cast<std::size_t>(n.at.v[0]) < c.tangents.size())
          t[static_cast<std::size_t>(i)] = c.tangents[static_cast<std::size_t>(n.at.v[0])];
      return;
    }
    symbol in[3]{};
    sequence<symbol> operands;
    bool any = false;
    if (is_control(n.op)) {
      if (followed(by, i) != i) return;
      for (int x : operands_of(b.g.nodes.data(), n)) {
        operands.push_back(t[static_cast<std::size_t>(x)]);
        any = any || operands.back().id() >= 0;
      }
    } else if (n.op != id_of<link_>) {
      for (int k = 0; k < 3; ++k) {
        const int x = n.in[k];
        if (x >= 0) in[k] = t[static_cast<std::size_t>(x)];
        any = any || in[k].id() >= 0;
      }
    }
    if (!any) return;
    b.here(b.g.where[static_cast<std::size_t>(i)]);
    if (is_control(n.op))
      controls.push_back({i, push_forward_control(b, i, operands)});
    else
      t[static_cast<std::size_t>(i)] = push_forward(b, i, in);
  };
  const location before = b.here();
  if (b.records.empty()) {
    for (int i = 0; i <= last; ++i) visit(i);
  } else {  // nodes of bodies lie among these, and are none of this function's
    sequence<char> seen(static_cast<std::size_t>(count), 0);
    for (int w : wrt)
      if (w < count) seen.first[w] = 1;
    for (int r : roots) {
      sequence<int> work{r};
      while (!work.empty()) {
        const int k = work.back();
        const std::size_t before_operands = work.size();
        if (!seen.first[k])
          for (int x : current(b, by, k).in)
            if (x >= 0 && !seen.first[x]) work.push_back(x);
        if (work.size() != before_operands) continue;
        if (!seen.first[k]) visit(k);
        seen.first[k] = 1;
        work.pop_back();
      }
    }
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
