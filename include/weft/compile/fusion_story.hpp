// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/graph/print.hpp>
#include <weft/plan/make_plan.hpp>
#include <weft/plan/text.hpp>

#include <string>
#include <vector>

// What the planner decided about a graph and why, in words. The planner itself is asked, once more.
namespace weft::detail {

class fusion_story {
 public:
  graph g;  ///< optimised
  fusion_notes notes;
  plan p;

  explicit fusion_story(graph optimised) : g(std::move(optimised)) {
    p = make_plan(g, target::cpu, &notes);
    for (std::size_t t = p.steps.size(); t-- > 0;) {
      const int group = notes.group_of[at(p.steps[t].node)];
      if (group < 0) continue;
      if (at(group) >= step_of_group_.size()) step_of_group_.resize(at(group) + 1, -1);
      step_of_group_[at(group)] = static_cast<int>(t);
    }
  }

  /// The launch that computes a node; -1 where none does.
  int launch_of(int i) const {
    const int group = notes.group_of[at(i)];
    return group < 0 ? -1 : launch_of_group(group);
  }
  std::string launch(int t) const {
    if (t < 0) return "no launch";
    const step& s = p.steps[at(t)];
    std::string name = s.kind == step_kind::kernel ? "" : step_name(s.kind);
    if (s.kernel >= 0) name += (name.empty() ? "" : " + ") + kernel_name(p.kernels[at(s.kernel)]);
    return "launch " + std::to_string(t) + " (" + name + ")";
  }
  /// "%5 tanh", and where it was written.
  std::string node_text(int i, bool place = true) const {
    std::string s = "%" + std::to_string(i) + " " + std::string(info(g.nodes[at(i)].op).name);
    const location& l = g.where[at(i)];
    if (!place || l.line == 0 || l.file[0] == 0) return s;
    const std::string file = l.file;
    return s + " (" + file.substr(file.find_last_of('/') + 1) + ":" + std::to_string(l.line) + ")";
  }
  std::string shape_text(const shape_of& s) const {
    std::string r = "(";
    for (int i = 0; i < s.rank; ++i) r += (i ? ", " : "") + extent_text(s.d[i], p.extents.data());
    return r + ")";
  }

  /// One sentence or two: why two nodes are not computed by one kernel, or that they are.
  std::string why_not(int a, int b) const {
    if (a == b) return node_text(a) + " is one node.";
    for (int i : {a, b}) {
      const std::string s = not_computed(i);
      if (!s.empty()) return s;
    }
    const int source_a = notes.source_of[at(a)], source_b = notes.source_of[at(b)];
    const bool swapped = group_before(source_b) < group_before(source_a);
    const int first = swapped ? source_b : source_a, last = swapped ? source_a : source_b;
    if (notes.group_of[at(first)] == notes.group_of[at(last)])
      return "They are: " + launch(launch_of(first)) + " computes both " + node_text(first) +
             " and " + node_text(last) + ".";
    const std::string apart = node_text(first) + " is in " + launch(launch_of(first)) + ", " +
                              node_text(last) + " in " + launch(launch_of(last)) + ": ";
    return apart + first_reason(first, last) + merge_reason(first, last) + ".";
  }

  /// The refusals that left a graph in more than one launch, one a group, in the order of launches.
  std::vector<std::string> cuts() const {
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
      const int group = notes.group_of[i];
      if (group < 0 || notes.source_of[i] != static_cast<int>(i)) continue;
      for (const fusion_notes::refusal& r : notes.nodes) {
        if (r.what != static_cast<int>(i) || notes.placed_in[i] <= r.group) continue;
        const int there = launch_of_group(merged(r.group));
        if (there < 0 || there == launch_of_group(group)) continue;
        lines.push_back(node_text(r.what) + " is not in " + launch(there) + ": " + reason(r));
      }
    }
    return lines;
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  int launch_of_group(int group) const {
    return at(group) < step_of_group_.size() ? step_of_group_[at(group)] : -1;
  }
  int group_before(int i) const { return notes.placed_in[at(i)]; }
  /// The group that took the members of a group.
  int merged(int group) const {
    for (std::size_t i = 0; i < notes.placed_in.size(); ++i)
      if (notes.placed_in[i] == group) return notes.group_of[i];
    return group;
  }
  bool in_graph(int i) const { return i >= 0 && i < g.size(); }

  std::string not_computed(int i) const {
    const node& n = g.nodes[at(i)];
    const op_kind kind = info(n.op).kind;
    if (n.op == id_of<constant_>)
      return node_text(i) + " is a constant: kernels hold it as a literal.";
    if (kind == op_kind::leaf)
      return node_text(i) + " is computed by no kernel: those that need it read it.";
    const int source = notes.source_of[at(i)];
    if (source != i && in_graph(source) && info(g.nodes[at(source)].op).kind == op_kind::leaf)
      return node_text(i) + " is a view: kernels read " + node_text(source, false) +
             " through it, and none computes it.";
    if (notes.inlined[at(source)])
      return node_text(i) + " is one number, computed anew in every kernel that needs it.";
    if (notes.again[at(source)])
      return node_text(i) +
             " is computed again in every kernel that reads it, since that moves fewer bytes than "
             "keeping it.";
    if (launch_of(source) < 0)
      return node_text(i) + " needs no launch: its parts are written where they lie in it.";
    return "";
  }

  const shape_of& domain(int i) const {
    const node& n = g.nodes[at(i)];
    const op_kind k = info(n.op).kind;
    return k == op_kind::identity || k == op_kind::view || is_reduction(n.op)
               ? g.nodes[at(n.in[0])].shape
               : n.shape;
  }
  const shape_of& domain_of_group(int group) const {
    for (std::size_t i = 0; i < g.nodes.size(); ++i)
      if (notes.placed_in[i] == group) return domain(static_cast<int>(i));
    return g.nodes[0].shape;
  }

  /// Why a node, called `it`, was not let into a group.
  std::string reason(const fusion_notes::refusal& r, const std::string& it = "it") const {
    const std::string there = "launch " + std::to_string(launch_of_group(merged(r.group)));
    const std::string operand = in_graph(r.about) ? node_text(r.about, false) : "an operand";
    switch (r.why) {
      case cut::checkpoint:
        return it + " is computed again for the backward pass, after what the forward pass kept";
      case cut::takes_nothing:
        return there + " computes one thing alone, and nothing joins it";
      case cut::full:
        return there + " has as many values, loads or stores as a kernel may have";
      case cut::through_view:
        return it + " reads " + operand + ", a view that is not whole axes of what " + there +
               " computes, so that has to be in memory first";
      case cut::whole_first:
        return it + " reads " + operand + ", which is known when " + there +
               " has walked everything";
      case cut::axes_cross:
        return "the operands of " + it + " walk the axes of " + there + " in different orders";
      case cut::domain: {
        const std::string own = shape_text(domain(r.what)),
                          other = shape_text(domain_of_group(r.group));
        return own == other ? it + " walks the axes of " + there + " in another order"
                            : it + " loops over " + own + ", " + there + " over " + other;
      }
      case cut::product:
        return it +
               " reduces, and the tiles of a matrix product are not reduced where they are "
               "made";
      case cut::columns_differ:
        return it + " sums over other axes than the column sums of " + there;
      case cut::rows_differ:
        return it + " reduces over other axes than " + there + " does";
      default:
        return "the planner gave no reason";
    }
  }

  std::string first_reason(int first, int last) const {
    const int from = group_before(first), to = group_before(last);
    int cur = last;
    std::string chain;
    for (int steps = 0; steps < 64; ++steps) {
      for (const fusion_notes::refusal& r : notes.nodes)
        if (r.what == cur && r.group == from)
          return chain + reason(r, cur == last && chain.empty() ? "it" : node_text(cur, false));
      const node& n = g.nodes[at(cur)];
      const op_kind kind = info(n.op).kind;
      if (kind == op_kind::matmul)
        return chain +
               "a matrix product is a launch of its own, which takes in only what follows "
               "it element by element";
      if (kind == op_kind::other || kind == op_kind::control)
        return chain + std::string(info(n.op).name) + " is a launch of its own";
      // What put the node where it is: an operand in the same group, or one in a later group.
      int by = -1, latest = from;
      for (int x : n.in) {
        if (x < 0) continue;
        const int s = notes.source_of[at(x)], group = in_graph(s) ? group_before(s) : -1;
        if (group > latest) latest = group, by = s;
      }
      if (by < 0) break;
      chain += node_text(cur, false) + " needs " + node_text(by, false);
      if (group_before(by) != to) {
        return chain + ", which " + launch(launch_of(by)) + " computes, after " +
               launch(launch_of(first)) + "; and that is apart because " + first_reason(first, by);
      }
      chain += ", and ";
      cur = by;
    }
    return chain +
           "nothing that it reads is computed there, and the two read no large value in "
           "common";
  }

  std::string merge_reason(int first, int last) const {
    for (const fusion_notes::refusal& r : notes.groups) {
      if (r.what != group_before(first) || r.group != group_before(last)) continue;
      switch (r.why) {
        case cut::read_between:
          return in_graph(r.about) || r.about >= 0
                     ? "; the kernels were not merged, since " + launch(launch_of_group(r.about)) +
                           " runs between them and reads a value of the first"
                     : "";
        case cut::full:
          return "; the kernels were not merged: together they have too many values, loads or "
                 "stores";
        case cut::whole_first:
          return "; the kernels were not merged: the second reads a sum that is known when the "
                 "first has walked everything";
        default:
          return "";
      }
    }
    return "";
  }

  std::vector<int> step_of_group_;
};

}  // namespace weft::detail
