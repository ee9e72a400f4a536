// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/capture/bodies.hpp>
#include <weft/grad/forward.hpp>

// Forward mode through control flow: the same control node on values with tangents.
namespace weft::detail {

/// A tangent of what a body closes over is closed over, too.
constexpr sequence<symbol> push_forward_control(builder& b, int i,
                                                const sequence<symbol>& tangents) {
  const node n = b.at(i);
  const sequence<int> operands = operands_of(b.g.nodes.data(), n);
  if (n.op == id_of<host_>) {
    const host_function f = b.g.hosts[static_cast<std::size_t>(n.at.v[0])];
    if (f.identity) return {tangents[0]};
    if (n.at.v[2] == 0) return {};
    b.here({f.file, f.line, 0});
    b.fail(
        message{}
            .put("weft: jvp: the graph break \"")
            .put(f.why)
            .put("\" returns a tensor, and what C++ code computes has no forward-mode derivative"));
    return {};
  }
  const bool scan = n.op == id_of<scan_>, loop = n.op == id_of<while_>;
  const int first = scan ? 1 : n.op == id_of<cond_> ? -1 : 0;  // the parameter of operand 0
  const auto carries = static_cast<std::size_t>(n.op == id_of<cond_> ? 0 : n.at.v[2]);
  sequence<int> numbers;
  sequence<char> moves(operands.size(), 0);  // own operands that get a tangent operand
  // A loop that is computed again under checkpoint closes over values by other names.
  const std::size_t own_count = carries + static_cast<std::size_t>(scan ? n.at.v[3] : 0);
  sequence<int> renamed;
  std::size_t results = 0;
  sequence<int> place;  // by result: that of its tangent
  for (int k = 0; k < body_count(n.op); ++k) {
    const body_record f = b.records[static_cast<std::size_t>(n.at.v[k])];
    body_capture body(b, f);
    sequence<int> at;
    sequence<symbol> t;
    sequence<int> own[2], own_tangents[2];  // carries or arguments; slices
    for (std::size_t o = 0; o < operands.size(); ++o) {
      const int p = static_cast<int>(o) + first;
      if (p < 0) continue;
      const int parameter = f.parameters[static_cast<std::size_t>(p)];
      const bool carry = o < carries;
      const bool closed = n.op == id_of<cond_> ? parameter == operands[o] : o >= own_count;
      if (closed) {
        if (parameter != operands[o] && k == 0) renamed.push_back(static_cast<int>(o));
        if (tangents[o].id() >= 0) at.push_back(parameter), t.push_back(tangents[o]);
        continue;
      }
      const int part = scan && !carry ? 1 : 0;
      own[part].push_back(parameter);
      if (carry ? !is_floating(b.at(parameter).type) : tangents[o].id() < 0) continue;
      moves[o] = 1;
      const symbol like{&b, parameter};
      const int tangent = make_parameter(b, like.type(), like.shape());
      own_tangents[part].push_back(tangent);
      at.push_back(parameter);
      t.push_back({&b, tangent});
    }
    const sequence<symbol> made = forward(b, f.results, at, t);
    body_record& r = body.record;
    if (scan) r.parameters.push_back(f.parameters[0]);
    for (int part = 0; part < 2; ++part) {
      for (int p : own[part]) r.parameters.push_back(p);
      for (int p : own_tangents[part]) r.parameters.push_back(p);
    }
    for (int o : renamed) r.parameters.push_back(f.parameters[static_cast<std::size_t>(o + first)]);
    const bool test = loop && k == 0;
    r.results = f.results;
    if (!test) {
      sequence<int> lead, rest;
      place.assign(f.results.size(), -1);
      results = f.results.size();
      r.results.clear();
      for (int pass = 0; pass < 2; ++pass) {  // carries, then the others
        const std::size_t from = pass ? carries : 0, to = pass ? results : carries;
        for (std::size_t j = from; j < to; ++j) r.results.push_back(f.results[j]);
        for (std::size_t j = from; j < to; ++j) {
          const symbol y{&b, f.results[j]};
          if (!is_floating(y.type())) continue;
          place[j] = static_cast<int>(r.results.size());
          r.results.push_back(made[j].id() >= 0 ? made[j].id() : zeros_like(y).id());
        }
      }
    }
    r.effect = f.effect;
    numbers.push_back(body.finish());
  }
  sequence<int> x, moved;
  std::size_t all_carries = carries, all_slices = 0;
  if (n.op == id_of<cond_>) x.push_back(operands[0]);
  auto put = [&](std::size_t from, std::size_t to) {
    for (std::size_t o = from; o < to; ++o) x.push_back(operands[o]);
    for (std::size_t o = from; o < to; ++o) {
      if (!moves[o]) continue;
      x.push_back(tangents[o].id() >= 0 ? tangents[o].id() : zeros_like({&b, operands[o]}).id());
      (o < carries ? all_carries : all_slices) += 1;
    }
  };
  if (n.op == id_of<cond_>) {
    const body_record& f = b.records[static_cast<std::size_t>(n.at.v[0])];
    std::size_t own = 1;
    while (own < operands.size() && f.parameters[own - 1] != operands[own]) ++own;
    put(1, own);
  } else {
    put(0, carries);
    if (scan) {
      const auto slices = static_cast<std::size_t>(n.at.v[3]);
      put(carries, carries + slices);
      all_slices += slices;
    }
  }
  for (int o : renamed) x.push_back(operands[static_cast<std::size_t>(o)]);
  close_bodies(b, numbers, x, n.op == id_of<cond_>);
  attributes at = n.at;
  for (std::size_t k = 0; k < numbers.size(); ++k) at.v[k] = numbers[k];
  if (scan || loop) at.v[2] = static_cast<index_t>(all_carries);
  if (scan) at.v[3] = static_cast<index_t>(all_slices);
  const int control = make_control(b, n.op, at, x, n.in[1]);
  succeed(b.successor, i,
          {control, static_cast<int>(carries), static_cast<int>(all_carries - carries)});
  sequence<symbol> out(results, symbol{});
  const body_record& last = b.records[static_cast<std::size_t>(numbers.back())];
  for (std::size_t j = 0; j < results; ++j) {
    if (place[j] < 0) continue;
    const symbol y{&b, last.results[static_cast<std::size_t>(place[j])]};
    shape_of s = y.shape();
    if (scan && j >= carries) {
      for (int d = s.rank++; d > 0; --d) s.d[d] = s.d[d - 1];
      s.d[0] = n.at.v[1];
    }
    out[j] = {&b, make_result(b, control, place[j], y.type(), s)};
  }
  return out;
}

}  // namespace weft::detail
