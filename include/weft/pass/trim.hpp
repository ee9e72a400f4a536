// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/pass/rewrite.hpp>

namespace weft::detail {

/// What of a control node is needed: results by number, and arguments of its bodies.
struct needed_parts {
  sequence<char> results, arguments;
};

/// Marks the arguments that outputs of a body follow from; `of` says which outputs, null for all.
constexpr void mark_arguments(const graph& body, const sequence<char>* of, sequence<char>& to) {
  sequence<char> seen(body.nodes.size(), 0);
  sequence<int> work;
  for (std::size_t k = 0; k < body.outputs.size(); ++k)
    if (!of || of->first[k]) work.push_back(body.outputs.first[k]);
  if (body.effect >= 0) work.push_back(body.effect);
  while (!work.empty()) {
    const int i = work.back();
    work.pop_back();
    if (seen.first[i]) continue;
    seen.first[i] = 1;
    const node& n = body.nodes.first[i];
    if (n.op == id_of<argument_>) to.first[n.at.v[0]] = 1;
    for (int x : n.in)
      if (x >= 0) work.push_back(x);
  }
}

/// Results that nothing reads leave their bodies, states of loops that only their own next value
/// reads, and operands that no body reads any more.
class trimming {
 public:
  explicit constexpr trimming(const graph& g) : g_(g), parts_(g.nodes.size()) {
    for (int i = 0; i < g.size(); ++i)
      if (has_bodies(at(i).op)) parts_.first[i].results.assign(last_body(at(i)).outputs.size(), 0);
    for (const node& n : g.nodes)
      if (n.op == id_of<result_> && has_bodies(at(n.in[0]).op))
        parts_.first[n.in[0]].results.first[n.at.v[0]] = 1;
    for (int i = 0; i < g.size(); ++i)
      if (has_bodies(at(i).op)) find_needed(at(i), parts_.first[i]);
  }

  constexpr graph run() {
    return rewrite(g_, [this](builder& b, node n, int i) {
      if (n.op == id_of<result_> && has_bodies(b.at(n.in[0]).op))
        n.at.v[0] = place(parts_.first[at(i).in[0]].results, n.at.v[0]);
      if (has_bodies(n.op)) trim(b, n, i);
      return b.add(n);
    });
  }

 private:
  constexpr const node& at(int i) const { return g_.nodes.first[i]; }
  constexpr const graph& last_body(const node& n) const {
    return g_.bodies.first[n.at.v[n.op == id_of<while_> ? 1 : 0]];
  }
  /// The argument that operand 0 is.
  static constexpr int first_argument(const node& n) {
    return n.op == id_of<scan_> ? 1 : n.op == id_of<cond_> ? -1 : 0;
  }
  static constexpr index_t place(const sequence<char>& kept, index_t k) {
    index_t r = 0;
    for (index_t j = 0; j < k; ++j) r += kept.first[j];
    return r;
  }

  constexpr void find_needed(const node& n, needed_parts& p) const {
    const int first = first_argument(n);
    p.arguments.assign(static_cast<std::size_t>(last_body(n).arguments), 0);
    for (bool more = true; more;) {
      more = false;
      if (n.op == id_of<while_>) mark_arguments(g_.bodies.first[n.at.v[0]], nullptr, p.arguments);
      mark_arguments(last_body(n), &p.results, p.arguments);
      if (n.op == id_of<cond_>) mark_arguments(g_.bodies.first[n.at.v[1]], &p.results, p.arguments);
      if (n.op == id_of<cond_>) break;
      for (index_t k = 0; k < n.at.v[2]; ++k)  // a state that is read has to be kept up
        if (p.arguments.first[k + first] && !p.results.first[k]) p.results.first[k] = more = true;
    }
    if (n.op == id_of<scan_>) p.arguments.first[0] = 1;
    if (n.op == id_of<cond_>) return;
    for (index_t k = 0; k < n.at.v[2]; ++k)  // and one that is returned begins with its operand
      if (p.results.first[k]) p.arguments.first[k + first] = 1;
  }

  constexpr void trim(builder& b, node& n, int i) const {
    const needed_parts& p = parts_.first[i];
    const int first = first_argument(n);
    for (int k = 0; k < body_count(n.op); ++k) {
      graph& body = b.g.bodies.first[n.at.v[k]];
      for (node& m : body.nodes)
        if (m.op == id_of<argument_>) m.at.v[0] = place(p.arguments, m.at.v[0]);
      body.arguments = static_cast<int>(place(p.arguments, body.arguments));
      if (n.op == id_of<while_> && k == 0) continue;  // returns the condition
      sequence<int> outputs;
      for (std::size_t j = 0; j < body.outputs.size(); ++j)
        if (p.results.first[j]) outputs.push_back(body.outputs.first[j]);
      body.outputs = outputs;
    }
    const sequence<int> operands = operands_of(b.g.nodes.first, n);
    int last = -1;
    index_t carries = 0, slices = 0;
    for (std::size_t o = 0; o < operands.size(); ++o) {
      const int argument = static_cast<int>(o) + first;
      if (argument >= 0 && !p.arguments.first[argument]) continue;
      const auto k = static_cast<index_t>(o);
      if (n.op != id_of<cond_>) {
        carries += k < n.at.v[2];
        slices += n.op == id_of<scan_> && k >= n.at.v[2] && k < n.at.v[2] + n.at.v[3];
      }
      node link;
      link.op = id_of<link_>;
      link.type = b.at(operands[o]).type;
      link.shape = b.at(operands[o]).shape;
      link.in[0] = operands[o];
      link.in[1] = last;
      last = b.add(link);
    }
    n.in[0] = last;
    if (n.op != id_of<cond_>) n.at.v[2] = carries;
    if (n.op == id_of<scan_>) n.at.v[3] = slices;
  }

  const graph& g_;
  sequence<needed_parts> parts_;  ///< by control node
};

}  // namespace weft::detail
