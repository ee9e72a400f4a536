// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/graph/text.hpp>

#include <bit>
#include <source_location>
#include <utility>

namespace weft {
class symbol;
}

namespace weft::detail {

class builder;

/// The gradient of a custom node, as its definition gives it: fills out[i] for each input, id -1
/// for none.
struct custom_rule {
  void (*apply)(builder&, symbol g, const int* inputs, int result, symbol* out) = nullptr;
  int inputs[8]{};
  int count = 0;
};

/// A control node that stands in for another: it has all results of that one, and more; those from
/// `first` on are `shift` places further back.
struct succession {
  int by = -1, first = 0, shift = 0;
};

/// A body while it is captured, as nodes of the program's builder: those that are its arguments,
/// its results, those made for it (from one, up to another, and so on), what stands in for control
/// nodes in it, and its last call of the host.
struct body_record {
  sequence<int> parameters, results, made;
  sequence<succession> successor;
  int effect = -1;
};

/// How a program is captured.
struct capture_mode {
  bool general =
      false;  ///< keep a broadcast where dynamic extents meet, instead of assuming that they agree

  constexpr capture_mode() = default;
  constexpr capture_mode(bool keep_broadcasts) : general(keep_broadcasts) {}
};

/// A requirement that says nothing of itself.
struct unexplained {
  static constexpr int text(builder&) { return 0; }
};

/// Makes graphs: hash-conses nodes, keeps the equations between extents, records the first error.
class builder {
 public:
  graph g;
  sequence<custom_rule> rules;
  sequence<body_record> records;   ///< bodies, as attributes of control nodes number them
  sequence<succession> successor;  ///< by control node, of the program or body at work
  int open_bodies = 0;             ///< that are being captured
  int effect = -1;                 ///< the last call of the host, here or in a body
  bool general = false;            ///< see capture_mode

  /// Room costs constant evaluation nothing.
  constexpr builder() : table_(32, -1) { make_room(std::is_constant_evaluated() ? 4096 : 256); }
  constexpr explicit builder(const capture_mode& mode) : builder() { general = mode.general; }

  constexpr const node& at(int i) const { return g.nodes.first[i]; }
  constexpr location here() const { return here_; }
  constexpr void here(const location& l) { here_ = l; }

  /// The number of a node that equals n, made if there is none.
  constexpr int add(const node& n) {
    const int id = g.size();
    const std::uint32_t space = static_cast<std::uint32_t>(table_.size()), mask = space - 1;
    if (2 * static_cast<std::uint32_t>(id) >= space) {
      grow();
      return add(n);
    }
    std::uint32_t k = hash(n) & mask;
    int* slots = table_.first;
    const node* nodes = g.nodes.first;
    while (slots[k] != -1) {
      if (nodes[slots[k]] == n) return slots[k];
      k = (k + 1) & mask;
    }
    slots[k] = id;
    g.nodes.push_back(n);
    g.where.push_back(here_);
    return id;
  }

  // Extents

  constexpr index_t extent(extent_kind kind, index_t a, index_t b) {
    const extent_expr* known = g.extents.first;
    const int size = static_cast<int>(g.extents.size());
    int& last = found_[(static_cast<std::uint64_t>(a) + 3 * static_cast<std::uint64_t>(b)) % 16];
    int i = last;
    if (i >= size || known[i].a != a || known[i].b != b || known[i].kind != kind)
      for (i = 0; i < size; ++i)
        if (known[i].a == a && known[i].b == b && known[i].kind == kind) break;
    last = i;
    if (i < size) return find(symbol_extent(i));
    g.extents.push_back({kind, a, b});
    same_as_.push_back(symbol_extent(i));
    return symbol_extent(i);
  }

  /// The representative of an extent under the equations seen so far.
  constexpr index_t find(index_t e) const {
    while (e <= first_symbol) {
      const index_t next = same_as_.first[first_symbol - e];
      if (next == e) break;
      e = next;
    }
    return e;
  }
  constexpr shape_of find(shape_of s) const {
    for (int i = 0; i < s.rank; ++i)
      if (s.d[i] <= first_symbol) s.d[i] = find(s.d[i]);
    return s;
  }

  constexpr index_t multiply(index_t a, index_t b) {
    if (a == 0 || b == 0) return 0;
    if (a == 1) return b;
    if (b == 1) return a;
    if (!is_symbol(a) && !is_symbol(b)) return a * b;
    return extent(extent_kind::product, a < b ? b : a, a < b ? a : b);
  }
  constexpr index_t sum(index_t a, index_t b) {
    if (a == 0) return b;
    if (b == 0) return a;
    if (!is_symbol(a) && !is_symbol(b)) return a + b;
    return extent(extent_kind::sum, a < b ? b : a, a < b ? a : b);
  }
  /// a / b where it is known or guarded to be exact: factors of a product cancel.
  constexpr index_t quotient(index_t a, index_t b) {
    if (b == 1) return a;
    if (a == b) return 1;
    if (!is_symbol(a) && !is_symbol(b)) return b ? a / b : 0;
    if (is_symbol(a)) {
      const extent_expr& e = g.extents[static_cast<std::size_t>(symbol_number(a))];
      if (e.kind == extent_kind::product && find(e.a) == b) return find(e.b);
      if (e.kind == extent_kind::product && find(e.b) == b) return find(e.a);
    }
    return extent(extent_kind::quotient, a, b);
  }
  constexpr index_t ceiling(index_t a, index_t b) {
    if (b == 1) return a;
    if (!is_symbol(a) && !is_symbol(b)) return b ? (a + b - 1) / b : 0;
    return extent(extent_kind::ceiling, a, b);
  }
  constexpr index_t least(index_t a, index_t b) {
    if (a == b || a == 0 || b == 0) return a == 0 ? a : b;
    if (!is_symbol(a) && !is_symbol(b)) return a < b ? a : b;
    constexpr index_t all = static_cast<index_t>(~std::uint64_t{} >> 1);  // an open end
    if (a == all || b == all) return a == all ? b : a;
    return extent(extent_kind::least, a < b ? b : a, a < b ? a : b);
  }
  constexpr index_t excess(index_t a, index_t b) {
    if (b == 0) return a;
    if (a == b) return 0;
    if (!is_symbol(a) && !is_symbol(b)) return a > b ? a - b : 0;
    return extent(extent_kind::excess, a, b);
  }
  constexpr index_t count(const shape_of& s) {
    index_t n = 1;
    for (int i = s.rank; i-- > 0;) n = multiply(n, find(s.d[i]));
    return n;
  }

  // Requirements on extents. A guard checks at the call what is not known. `why`, a complaint, says
  // what is wrong where one does not hold.

  constexpr void require(guard_kind kind, index_t a, index_t b, op_id op, auto&& why) {
    g.guards.push_back({kind, a, b, op, why.text(*this), here_});
  }

  /// That a and b are equal. False if they are known to differ.
  template <class Why = unexplained>
  constexpr bool require_equal(index_t a, index_t b, op_id op, Why&& why = {}) {
    a = find(a), b = find(b);
    if (a == b) return true;
    if (!is_symbol(a) && !is_symbol(b)) return false;
    require(guard_kind::equal, a, b, op, why);
    unify(a, b);
    return true;
  }
  template <class Why = unexplained>
  constexpr bool require_equal(const shape_of& a, const shape_of& b, op_id op, Why&& why = {}) {
    bool same = a.rank == b.rank;
    for (int i = 0; same && i < a.rank; ++i) same = require_equal(a.d[i], b.d[i], op, why);
    return same;
  }

  /// The extent that a and b broadcast to; -1 if they cannot.
  template <class Why = unexplained>
  constexpr index_t join(index_t a, index_t b, op_id op, Why&& why = {}) {
    a = find(a), b = find(b);
    if (a == b || b == 1) return a;
    if (a == 1) return b;
    if (!is_symbol(a) && !is_symbol(b)) return -1;
    require(guard_kind::broadcast, a, b, op, why);
    if (general) {
      if (!is_symbol(a)) return a;
      if (!is_symbol(b)) return b;
      return extent(extent_kind::broadcast, a < b ? b : a, a < b ? a : b);
    }
    unify(a, b);
    return find(a);
  }

  /// The shape that a and b broadcast to, aligned right. False if they do not.
  template <class Why = unexplained>
  constexpr bool join(const shape_of& a, const shape_of& b, shape_of& out, op_id op,
                      Why&& why = {}) {
    shape_of r;
    r.rank = a.rank > b.rank ? a.rank : b.rank;
    for (int i = 0; i < r.rank; ++i) {
      const int ia = i - (r.rank - a.rank), ib = i - (r.rank - b.rank);
      r.d[i] = join(ia < 0 ? 1 : a.d[ia], ib < 0 ? 1 : b.d[ib], op, why);
      if (r.d[i] == -1) return false;
    }
    out = r;
    return true;
  }

  /// Keeps a text for guards, 8 characters a word behind its size.
  constexpr int keep(message m) {
    put_location(m, here_);
    g.texts.push_back(m.size);
    const int at = static_cast<int>(g.texts.size());
    for (int i = 0; i < m.size; i += 8) {
      std::uint64_t word = 0;
      for (int k = 0; k < 8 && i + k < m.size; ++k)
        word |= static_cast<std::uint64_t>(static_cast<unsigned char>(m.text[i + k])) << 8 * k;
      g.texts.push_back(static_cast<index_t>(word));
    }
    return at;
  }

  // Errors: the first one is kept; capture goes on with a poisoned value and the program reports at
  // its end.

  constexpr bool failed() const { return !g.error.empty(); }
  constexpr void fail(const message& m) {
    if (failed()) return;
    g.error = closed(m);
    put_location(g.error, here_);
    g.error_at = here_;
  }

  /// While one is alive, nodes carry the place where the outermost one was made: the user's line,
  /// not a layer's.
  class scope {
   public:
    constexpr scope(builder& b, std::source_location where) : b_(b), outermost_(b.depth_++ == 0) {
      if (outermost_ && where.line() != 0)
        b.here_ = {where.file_name(), where.line(), b.here_.checkpoint};
    }
    constexpr ~scope() { --b_.depth_; }
    scope(const scope&) = delete;
    scope& operator=(const scope&) = delete;

   private:
    builder& b_;
    bool outermost_;
  };

  /// Takes over a finished graph: nodes are kept as they are; `append` makes more.
  constexpr void adopt(graph&& from) {
    g = std::move(from);
    adopt_extents();
  }
  /// Makes a node that equals none there is.
  constexpr int append(const node& n) {
    g.nodes.push_back(n);
    g.where.push_back(here_);
    return g.size() - 1;
  }

  /// Makes room for so many nodes while there are none.
  constexpr void expect(std::size_t nodes) {
    std::size_t space = 128;
    while (2 * nodes >= space) space *= 2;
    table_.assign(space, -1);
    make_room(nodes);
  }

  constexpr void adopt_extents() {
    for (int& i : found_) i = 0;
    same_as_.clear();
    for (std::size_t i = 0; i < g.extents.size(); ++i)
      same_as_.push_back(symbol_extent(static_cast<int>(i)));
  }
  /// Says that extents follow from what a call of the host returns.
  constexpr void extents_follow_from(int call) { g.nodes.first[call].at.v[3] = 1; }
  /// The graph with every extent replaced by its representative: what capture hands to the passes.
  constexpr graph finished() {
    const bool control = !records.empty() || effect >= 0;
    if (!control) place_extents();
    for (extent_expr& e : g.extents)
      if (!is_leaf(e.kind)) e.a = find(e.a), e.b = find(e.b);
    if (control) return with_bodies();  // g++ 12 destroys it too early in a conditional expression
    return std::move(g);
  }

  /// While one is alive, nodes belong to a call of a checkpointed function: its outermost one.
  class checkpoint_scope {
   public:
    explicit constexpr checkpoint_scope(builder& b) : b_(b), outermost_(b.here_.checkpoint == 0) {
      if (outermost_) b.here_.checkpoint = ++b.checkpoints_;
    }
    constexpr ~checkpoint_scope() {
      if (outermost_) b_.here_.checkpoint = 0;
    }
    checkpoint_scope(const checkpoint_scope&) = delete;
    checkpoint_scope& operator=(const checkpoint_scope&) = delete;

   private:
    builder& b_;
    bool outermost_;
  };

  constexpr index_t next_unique() { return ++unique_; }

 private:
  constexpr graph with_bodies();  // in graph/bodies.hpp

  constexpr void place_extents() {
    for (node& n : g.nodes) {
      for (int i = 0; i < n.shape.rank; ++i)
        if (n.shape.d[i] <= first_symbol) n.shape.d[i] = find(n.shape.d[i]);
      if (n.op == id_of<extent_>) n.at.v[0] = find(n.at.v[0]);
    }
  }

  constexpr void make_room(std::size_t nodes) { g.nodes.reserve(nodes), g.where.reserve(nodes); }
  // Few operations: each one costs constant evaluation an allocation.
  static constexpr std::uint32_t hash(const node& n) {
    const index_t operands = n.op + 67l * n.in[0] + 8209l * n.in[1] + 1048583l * n.in[2];
    std::uint64_t h = static_cast<std::uint64_t>(operands) +
                      134217757u * (static_cast<std::uint64_t>(n.at.v[0]) +
                                    static_cast<std::uint64_t>(n.at.v[1]) * 31);
    if (n.shape.rank > 0) h += 17179869209u * static_cast<std::uint64_t>(n.shape.d[0]);
    return static_cast<std::uint32_t>(h * 0x9e3779b97f4a7c15u >> 32);
  }

  constexpr void grow() {
    table_.assign(table_.size() * 4, -1);
    const std::uint32_t mask = static_cast<std::uint32_t>(table_.size() - 1);
    int* slots = table_.first;
    for (int i = 0, size = g.size(); i < size; ++i) {
      std::uint32_t k = hash(g.nodes.first[i]) & mask;
      while (slots[k] != -1) k = (k + 1) & mask;
      slots[k] = i;
    }
  }

  /// Joins two classes of equal extents; a number, then the older symbol, represents them.
  constexpr void unify(index_t a, index_t b) {
    if (!is_symbol(a)) std::swap(a, b);
    if (is_symbol(b) && symbol_number(a) < symbol_number(b)) std::swap(a, b);
    same_as_[static_cast<std::size_t>(symbol_number(a))] = b;
  }

  sequence<int> table_;
  sequence<index_t> same_as_;
  int found_[16]{};  ///< extents, by what they were asked for last
  location here_{};
  int depth_ = 0, checkpoints_ = 0;
  index_t unique_ = 0;
};

/// What is wrong where extents do not meet a requirement, as a function that writes the message
/// (shapes by put_open_shape): an error of the capture, or kept for an error at the call, once for
/// all guards that an op asks for.
template <class Write>
class complaint {
 public:
  explicit constexpr complaint(Write write) : write_(write) {}
  constexpr void fail(builder& b) const { b.fail(write_()); }
  constexpr int text(builder& b) {
    if (text_ == 0) text_ = b.keep(write_());
    return text_;
  }

 private:
  Write write_;
  int text_ = 0;
};

}  // namespace weft::detail

#include <weft/graph/bodies.hpp>
