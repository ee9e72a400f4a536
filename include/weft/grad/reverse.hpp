// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/grad/join_parts.hpp>
#include <weft/grad/vjp.hpp>

#include <algorithm>

namespace weft::detail {

/// The cotangents of a control node's operands from those of its results, id -1 for none. In
/// grad/control.hpp.
constexpr sequence<symbol> pull_back_control(builder& b, int control,
                                             const sequence<symbol>& cotangents,
                                             const sequence<char>& active);

/// Reverse-mode differentiation of nodes with respect to others, as new nodes of the same graph.
class reverse_pass {
 public:
  constexpr reverse_pass(builder& b, const sequence<int>& roots, const sequence<int>& wrt)
      : b_(b), by_(b.successor) {
    int root = -1;
    for (int r : roots) root = r > root ? r : root;
    if (!b.successor.empty()) root = b.g.size() - 1;  // a result may come from a later node by now
    const std::size_t size = static_cast<std::size_t>(root + 1);
    adjoint_.assign(size, -1);
    rank_.assign(size, -1);
    active_.assign(size, 0);
    wrt_.assign(size, 0);
    char* active = active_.data();
    for (int w : wrt)
      if (w <= root) active[w] = wrt_.data()[w] = 1;
    for (bool more = true; more;) {
      more = false;
      for (int i = 0; i <= root; ++i) {
        if (active[i]) continue;
        const node& n = input(i);
        const int x = n.in[0], y = n.in[1], z = n.in[2];
        active[i] = (x >= 0 && active[x]) || (y >= 0 && active[y]) || (z >= 0 && active[z]);
        more = more || (active[i] && !by_.empty());
      }
    }
    for (int r : roots)
      if (active[r]) rank_from(r);
  }

  /// Seeds with id -1 are no cotangents.
  constexpr sequence<symbol> run(const sequence<int>& roots, const sequence<symbol>& seeds,
                                 const sequence<int>& wrt) {
    const int root = static_cast<int>(adjoint_.size()) - 1;
    for (std::size_t k = 0; k < roots.size(); ++k)
      if (seeds[k].id() >= 0) accumulate(roots[k], seeds[k]);
    const location before = b_.here();
    const builder::scope keep(b_, {});  // places come from the nodes that are differentiated
    for (std::size_t k = order_.size(); k-- > 0;) {
      const int i = order_[k];
      if (adjoint_.first[i] < 0 || is_wrt(i)) continue;
      location here = b_.g.where.first[i];
      here.checkpoint = 0;
      b_.here(here);
      visit(i, {&b_, adjoint_.first[i]}, -1);
    }
    b_.here(before);
    sequence<symbol> result;
    for (int w : wrt) {
      if (w <= root && adjoint_.first[w] >= 0)
        result.push_back({&b_, adjoint_.first[w]});
      else
        result.push_back(symbol{&b_, w}.number(0).broadcast_to(symbol{&b_, w}));
    }
    return result;
  }

 private:
  /// A branch of a where: the pointwise nodes between it and its sources, which receive cotangents
  /// of their own, masked by the condition where they leave.
  struct region {
    int parent = -1;
    int condition = -1;
    bool when = true;
    sequence<int> members;  ///< by rank, in increasing order
    sequence<int> adjoint;  ///< by place in members
  };

  /// Valid until the next call, and until a node is made.
  constexpr const node& input(int i) {
    if (by_.empty()) return b_.g.nodes.first[i];
    return input_ = current(b_, by_, i);
  }
  static constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }
  constexpr bool is_wrt(int i) const { return wrt_.first[i]; }

  /// Orders the active nodes below root, operands first and in operand order: cotangents then add
  /// in an order that follows from the graph alone, not from the order in which a compiler
  /// evaluated arguments.
  constexpr void rank_from(int root) {
    sequence<int> work{root};
    while (!work.empty()) {
      const int i = work.back();
      bool waits = false;
      if (rank_.first[i] < 0 && !is_wrt(i)) {
        const node& n = input(i);
        for (int k = 3; k-- > 0;) {
          const int x = n.in[k];
          if (x < 0 || !active_.first[x] || rank_.first[x] >= 0) continue;
          work.push_back(x);
          waits = true;
        }
      }
      if (waits) continue;
      work.pop_back();
      if (rank_.first[i] >= 0) continue;
      rank_.first[i] = static_cast<int>(order_.size());
      order_.push_back(i);
    }
  }

  constexpr int sum_of(int a, symbol g) const {
    if (a < 0) return g.id();
    if (const int joined = joined_parts(b_, a, g.id()); joined >= 0) return joined;
    symbol x[]{{&b_, a}, g};
    return pointwise(b_, id_of<add_>, x, 2).id();
  }
  constexpr void accumulate(int i, symbol g) {
    if (active_.first[i]) adjoint_.first[i] = sum_of(adjoint_.first[i], g);
  }

  constexpr symbol masked(int condition, bool when, symbol g) const {
    const symbol c{&b_, condition};
    return when ? where(c, g, 0) : where(c, 0, g);
  }

  /// Adds a cotangent to node i as seen from a region: to its member, or masked to whoever is
  /// outside.
  constexpr void deliver(int frame, int i, symbol g) {
    if (!active_.first[i]) return;
    while (frame >= 0) {
      region& r = regions_.first[frame];
      const auto found = std::lower_bound(r.members.begin(), r.members.end(), rank_.first[i]);
      if (found != r.members.end() && *found == rank_.first[i]) {
        int& a = r.adjoint.first[static_cast<int>(found - r.members.begin())];
        a = sum_of(a, g);
        return;
      }
      g = masked(r.condition, r.when, g);
      frame = r.parent;
    }
    accumulate(i, g);
  }

  /// The node to read forward values from: i itself, or within a checkpointed call a copy that is
  /// computed again from what entered the call.
  constexpr int again(int i) {
    const int call = b_.g.where.first[i].checkpoint;
    if (call == 0) return i;
    if (copy_.empty()) copy_.assign(adjoint_.size(), -1);
    sequence<int> work{i};
    while (!work.empty()) {
      const int k = work.back();
      node n = input(k);
      bool waits = false;
      if (is_control(n.op)) n.in[1] = -1;  // what is computed again comes after nothing
      const auto copy = [&](int& x) {
        const int made = copy_within(x, call);
        waits = waits || made < 0;
        if (made < 0) work.push_back(x);
        x = made;
      };
      for (int& x : n.in)
        if (x >= 0) copy(x);
      // A rule of its own is about the copies, too: derivatives of this one go through them.
      custom_rule rule;
      if (n.op == id_of<custom_>) {
        rule = b_.rules.first[static_cast<int>(n.at.v[0])];
        for (int r = 0; r < rule.count; ++r) copy(rule.inputs[r]);
      }
      if (waits) continue;
      if (rule.count > 0) {
        n.at.v[0] = static_cast<index_t>(b_.rules.size());
        b_.rules.push_back(rule);
      }
      silence(n);
      copy_.first[k] = b_.add(n);
      work.pop_back();
    }
    return copy_.first[i];
  }
  /// What bodies do beside their results is not done again.
  constexpr void silence(node& n) {
    for (int k = 0; k < body_count(n.op); ++k) {
      body_record r = b_.records.first[static_cast<int>(n.at.v[k])];
      if (r.effect < 0) continue;
      r.effect = -1;
      b_.records.push_back(r);
      n.at.v[k] = static_cast<index_t>(b_.records.size()) - 1;
    }
  }
  /// Node x as a checkpointed call reads it again: a copy, -1 if there is none yet; what entered
  /// the call behind a barrier.
  constexpr int copy_within(int x, int call) {
    const node& n = b_.g.nodes.first[x];
    if (b_.g.where.first[x].checkpoint == call || op_table[n.op].kind == op_kind::control)
      return copy_.first[x];
    if (n.op == id_of<constant_> || n.op == id_of<extent_> || n.op == id_of<iota_>) return x;
    return make_node<barrier_>(b_, n.type, n.shape, {{call}}, symbol{&b_, x}).id();
  }

  /// A result passes its cotangent to its control node, which waits for the others.
  constexpr void visit_control(const node& n, int i, int source, symbol g, int frame) {
    if (n.op == id_of<result_>) {
      adjoint_.first[n.in[0]] = g.id();
      return;
    }
    const sequence<int> operands = operands_of(b_.g.nodes.data(), n);
    sequence<symbol> cotangents;
    for (int r : order_) {
      const node m = input(r);
      if (m.op != id_of<result_> || m.in[0] != i || adjoint_.first[r] < 0) continue;
      const std::size_t k = index(static_cast<int>(m.at.v[0]));
      if (cotangents.size() <= k) cotangents.resize(k + 1, symbol{});
      cotangents[k] = {&b_, sum_of(cotangents[k].id(), {&b_, adjoint_.first[r]})};
    }
    sequence<char> active;
    for (int x : operands) active.push_back(active_.first[x]);
    const sequence<symbol> out = pull_back_control(b_, source, cotangents, active);
    for (std::size_t k = 0; k < out.size(); ++k)
      if (out[k].id() >= 0) deliver(frame, operands[k], out[k]);
  }

  constexpr void visit(int i, symbol g, int frame) {
    const node n = input(i);
    const int source = again(i);
    if (n.op == id_of<link_>) return;
    if (op_table[n.op].kind == op_kind::control) return visit_control(n, i, source, g, frame);
    if (n.op == id_of<where_>) {
      const int condition = b_.g.nodes.first[source].in[0];
      branch(n.in[1], condition, true, g, frame);
      branch(n.in[2], condition, false, g, frame);
      return;
    }
    if (n.op == id_of<custom_>) {
      const custom_rule rule = b_.rules.first[static_cast<int>(n.at.v[0])];
      symbol out[8]{};
      int inputs[8]{};
      for (int k = 0; k < rule.count; ++k) {
        const int x = rule.inputs[k];
        const bool inside =
            source != i && b_.g.where.first[x].checkpoint == b_.g.where.first[i].checkpoint;
        inputs[k] = inside ? again(x) : x;
      }
      rule.apply(b_, g, inputs, source, out);
      for (int k = 0; k < rule.count; ++k)
        if (out[k].id() >= 0) deliver(frame, rule.inputs[k], out[k]);
      return;
    }
    symbol out[3]{};
    pull_back(b_, g, source, out);
    for (int k = 0; k < 3; ++k)
      if (n.in[k] >= 0 && out[k].id() >= 0 && active_.first[n.in[k]])
        deliver(frame, n.in[k], out[k]);
  }

  /// Whether an op passes a cotangent of 0 on as 0 whatever its operands hold.
  constexpr bool keeps_zero(const node& n) const {
    if (n.op == id_of<add_> || n.op == id_of<subtract_> || n.op == id_of<negative_> ||
        n.op == id_of<cast_> || n.op == id_of<relu_> || op_table[n.op].singular)
      return true;
    if (n.op != id_of<multiply_>) return false;
    return known_number_of(b_, n.in[0]).known || known_number_of(b_, n.in[1]).known;
  }

  constexpr void branch(int p, int condition, bool when, symbol g, int frame) {
    if (!active_.first[p]) return;
    g = masked(condition, when, g);
    region r{frame, condition, when, {}, {}};
    bool needs_mask = false;
    sequence<int> work{p};
    while (!work.empty()) {
      const int i = work.back();
      work.pop_back();
      const node& n = b_.g.nodes.first[i];
      if (op_table[n.op].kind != op_kind::pointwise || !active_.first[i] || is_wrt(i)) continue;
      const auto place = std::lower_bound(r.members.begin(), r.members.end(), rank_.first[i]);
      if (place != r.members.end() && *place == rank_.first[i]) continue;
      r.members.insert(place, rank_.first[i]);
      needs_mask = needs_mask || !keeps_zero(n);
      for (int x : n.in)
        if (x >= 0) work.push_back(x);
    }
    if (!needs_mask) {
      deliver(frame, p, g);
      return;
    }
    r.adjoint.assign(r.members.size(), -1);
    regions_.push_back(r);
    const int self = static_cast<int>(regions_.size()) - 1;
    deliver(self, p, g);
    for (std::size_t k = r.members.size(); k-- > 0;) {
      const int a = regions_.first[self].adjoint[k];
      if (a >= 0) visit(order_.first[r.members[k]], {&b_, a}, self);
    }
    regions_.pop_back();
  }

  builder& b_;
  sequence<succession> by_;
  node input_;
  sequence<int> adjoint_;
  sequence<int> rank_, order_;
  sequence<int> copy_;  ///< by node of a checkpointed call: the one computed again
  sequence<char> active_, wrt_;
  sequence<region> regions_;
};

/// d(root)/d(wrt), contracted with seed: one symbol for each of wrt, zeros where root does not
/// depend on it.
constexpr sequence<symbol> reverse(symbol root, symbol seed, const sequence<int>& wrt) {
  const sequence<int> roots{root.id()};
  return reverse_pass(root.builder(), roots, wrt).run(roots, {seed}, wrt);
}

}  // namespace weft::detail

#include <weft/grad/control.hpp>
