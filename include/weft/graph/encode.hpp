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

/// Words that go straight into an array, which may turn out too small: then only their number is
/// right.
class fixed_words {
 public:
  constexpr fixed_words(index_t* to, std::size_t room) : to_(to), room_(room) {}
  constexpr std::size_t size() const { return size_; }
  constexpr void reserve(std::size_t) {}
  constexpr void push_back(index_t v) {
    if (size_ < room_) to_[size_] = v;
    ++size_;
  }
  constexpr index_t& operator[](std::size_t i) { return i < room_ ? to_[i] : lost_; }
  constexpr index_t* room_for(std::size_t more) {
    if (size_ + more <= room_) return to_ + size_;
    spill_.assign(more, 0);
    return spill_.first;
  }
  constexpr void written_to(const index_t* end) {
    if (spill_.empty()) {
      size_ = static_cast<std::size_t>(end - to_);
    } else {
      for (const index_t* w = spill_.first; w != end; ++w) push_back(*w);
      spill_.clear();
    }
  }

 private:
  index_t* to_;
  std::size_t room_, size_ = 0;
  sequence<index_t> spill_;
  index_t lost_ = 0;
};

/// Words is a sequence of words, or fixed_words.
template <class Words>
constexpr void encode_graph(const graph& g, Words& w) {
  w.reserve(w.size() + g.nodes.size() * 4 + g.extents.size() * 3 + g.guards.size() * 3 +
            g.outputs.size() + 8);
  for (std::size_t n : {g.nodes.size(), g.extents.size(), g.guards.size(), g.outputs.size(),
                        static_cast<std::size_t>(g.arguments)})
    w.push_back(static_cast<index_t>(n));
  index_t* to = nullptr;
  const int size = g.size();
  for (int k = 0; k < size; ++k) {
    if (k % 64 == 0) {
      if (k > 0) w.written_to(to);
      to = w.room_for(64 * (2 + 2 * max_rank));
    }
    const node& n = g.nodes.first[k];
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
    for (int i = 0, rank = n.shape.rank; i < rank; ++i) *to++ = n.shape.d[i];
  }
  if (size > 0) w.written_to(to);
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
template <class Words>
constexpr void encode_capture(const graph& g, Words& w) {
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
  for (index_t t : g.texts) w.push_back(t);
  encode_graph(g, w);
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
  g.nodes.reserve(static_cast<std::size_t>(nodes));
  g.where.resize(static_cast<std::size_t>(nodes));
  const index_t* from = w;
  for (index_t i = 0; i < nodes; ++i) {
    const index_t word = from[0], others = from[1];
    const int rank = static_cast<int>(word >> 12 & 15);
    const int attributes = static_cast<int>(word >> 16 & 15);
    node n{static_cast<op_id>(word & 255),
           static_cast<dtype>(word >> 8 & 15),
           {static_cast<int>(word >> 20) - 1, static_cast<int>(others & 0xffffffff) - 1,
            static_cast<int>(others >> 32) - 1},
           {rank, {}},
           {}};
    from += 2;
    for (int k = 0; k < attributes; ++k) n.at.v[k] = *from++;
    for (int k = 0; k < rank; ++k) n.shape.d[k] = *from++;
    g.nodes.push_back(n);
  }
  w = from;
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
