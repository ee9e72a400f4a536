// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/graph/graph.hpp>

// A graph as words, without its places: what one stage of a program's compilation hands to the
// next. Each stage is a constant of its own, so that the compiler can free what it used.
namespace weft::detail {

/// A guard's kind, text, and place, if that is the number of an expression's step.
constexpr index_t packed_guard(const guard& q) {
  const index_t step = q.where.file[0] == 0 ? static_cast<index_t>(q.where.line) : 0;
  return static_cast<index_t>(q.kind) | static_cast<index_t>(q.text) << 8 | step << 40;
}
constexpr guard unpacked_guard(const index_t* w) {
  guard q;
  q.kind = static_cast<guard_kind>(w[0] & 255);
  q.text = static_cast<int>(w[0] >> 8 & 0xffffffff);
  q.where.line = static_cast<unsigned>(w[0] >> 40);
  q.a = w[1];
  q.b = w[2];
  return q;
}

constexpr void encode_graph(const graph& g, sequence<index_t>& w) {
  w.reserve(w.size() + g.nodes.size() * 4 + g.extents.size() * 3 + g.guards.size() * 3 +
            g.outputs.size() + 8);
  for (std::size_t n : {g.nodes.size(), g.extents.size(), g.guards.size(), g.outputs.size(),
                        static_cast<std::size_t>(g.arguments)})
    w.push_back(static_cast<index_t>(n));
  for (const node& n : g.nodes) {
    index_t* to = w.room_for(2 + 2 * max_rank);
    int attributes = max_rank;
    const index_t* v = n.at.v;
    if (v[2] == 0 && v[3] == 0 && v[4] == 0 && v[5] == 0)
      attributes = v[1] != 0 ? 2 : v[0] != 0 ? 1 : 0;
    while (attributes > 2 && v[attributes - 1] == 0) --attributes;
    *to++ = static_cast<index_t>(n.op) | static_cast<index_t>(n.type) << 8 |
            static_cast<index_t>(n.shape.rank) << 12 | static_cast<index_t>(attributes) << 16 |
            static_cast<index_t>(n.in[0] + 1) << 20;
    // Most nodes have two operands and no attributes: one word more.
    *to++ = static_cast<index_t>(n.in[1] + 1) | static_cast<index_t>(n.in[2] + 1) << 32;
    for (int i = 0; i < attributes; ++i) *to++ = v[i];
    for (int i = 0; i < n.shape.rank; ++i) *to++ = n.shape.d[i];
    w.written_to(to);
  }
  for (const extent_expr& e : g.extents) {
    w.push_back(static_cast<index_t>(e.kind));
    w.push_back(e.a);
    w.push_back(e.b);
  }
  for (const guard& q : g.guards) {
    w.push_back(packed_guard(q));
    w.push_back(q.a);
    w.push_back(q.b);
  }
  for (int o : g.outputs) w.push_back(o);
  w.push_back(g.effect);
  w.push_back(static_cast<index_t>(g.bodies.size()));
  for (const graph& body : g.bodies) encode_graph(body, w);
}
constexpr sequence<index_t> encoded_graph(const graph& g) {
  sequence<index_t> w;
  encode_graph(g, w);
  return w;
}

/// A captured graph, headed by what types and calls depend on: whether extents may broadcast at the
/// call, the outputs, and the texts of guards.
constexpr sequence<index_t> encoded_capture(const graph& g) {
  sequence<index_t> w;
  bool broadcasts = false;
  for (const guard& q : g.guards) broadcasts = broadcasts || q.kind == guard_kind::broadcast;
  const bool in_parts = has_data_extents(g);
  w.push_back(static_cast<index_t>(broadcasts && !in_parts) | static_cast<index_t>(in_parts) << 1 |
              static_cast<index_t>(g.hosts.size()) << 2);
  w.push_back(static_cast<index_t>(g.outputs.size()));
  w.push_back(static_cast<index_t>(g.texts.size()));
  for (int o : g.outputs) {
    const node& n = g.nodes.data()[o];
    w.push_back(static_cast<index_t>(n.type) | static_cast<index_t>(n.shape.rank) << 8);
    for (int i = 0; i < max_rank; ++i) w.push_back(i < n.shape.rank ? n.shape.d[i] : 0);
  }
  w.insert(w.end(), g.texts.begin(), g.texts.end());
  encode_graph(g, w);
  return w;
}
class capture_reader {
 public:
  explicit constexpr capture_reader(const index_t* words) : w_(words) {}
  constexpr bool broadcasts() const { return w_[0] & 1; }
  /// Whether extents follow from data, so that it runs in parts: see graph/cut.hpp.
  constexpr bool in_parts() const { return w_[0] >> 1 & 1; }
  constexpr int hosts() const { return static_cast<int>(w_[0] >> 2); }
  constexpr int outputs() const { return static_cast<int>(w_[1]); }
  /// Type, rank and extents of output j.
  constexpr node output(int j) const {
    const index_t* o = w_ + 3 + j * (1 + max_rank);
    node n;
    n.type = static_cast<dtype>(o[0] & 255);
    n.shape.rank = static_cast<int>(o[0] >> 8);
    for (int i = 0; i < n.shape.rank; ++i) n.shape.d[i] = o[1 + i];
    return n;
  }
  constexpr int text_words() const { return static_cast<int>(w_[2]); }
  constexpr const index_t* texts() const { return w_ + 3 + w_[1] * (1 + max_rank); }
  constexpr const index_t* graph_words() const { return texts() + w_[2]; }

 private:
  const index_t* w_;
};

/// Reads a graph and moves on behind it.
constexpr graph next_graph(const index_t*& w) {
  graph g;
  const index_t nodes = w[0], extents = w[1], guards = w[2], outputs = w[3];
  g.arguments = static_cast<int>(w[4]);
  w += 5;
  g.nodes.resize(static_cast<std::size_t>(nodes));
  g.where.resize(static_cast<std::size_t>(nodes));
  node* to = g.nodes.data();
  for (index_t i = 0; i < nodes; ++i) {
    node& n = to[i];
    const index_t word = *w++;
    n.op = static_cast<op_id>(word & 255);
    n.type = static_cast<dtype>(word >> 8 & 15);
    n.shape.rank = static_cast<int>(word >> 12 & 15);
    n.in[0] = static_cast<int>(word >> 20) - 1;
    const index_t others = *w++;
    n.in[1] = static_cast<int>(others & 0xffffffff) - 1;
    n.in[2] = static_cast<int>(others >> 32) - 1;
    const int attributes = static_cast<int>(word >> 16 & 15);
    for (int k = 0; k < attributes; ++k) n.at.v[k] = *w++;
    for (int k = 0; k < n.shape.rank; ++k) n.shape.d[k] = *w++;
  }
  for (index_t i = 0; i < extents; ++i, w += 3)
    g.extents.push_back({static_cast<extent_kind>(w[0]), w[1], w[2]});
  for (index_t i = 0; i < guards; ++i, w += 3) g.guards.push_back(unpacked_guard(w));
  for (index_t i = 0; i < outputs; ++i) g.outputs.push_back(static_cast<int>(*w++));
  g.effect = static_cast<int>(*w++);
  const index_t bodies = *w++;
  for (index_t i = 0; i < bodies; ++i) g.bodies.push_back(next_graph(w));
  return g;
}
constexpr graph decoded_graph(const index_t* w) {
  return next_graph(w);
}

}  // namespace weft::detail
