// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/graph/bodies.hpp>

// What every graph must satisfy, whichever pass made it.
namespace weft::detail {

/// A product of extents as a number times powers of symbols: equal ones have equal counts of
/// elements.
struct extent_product {
  index_t above = 1, below = 1;  ///< the number, as a fraction
  std::vector<index_t> symbols;
  std::vector<int> powers;

  constexpr void multiply(const graph& g, index_t e, int power = 1) {
    if (!is_symbol(e)) {
      (power > 0 ? above : below) *= e;
      return;
    }
    const extent_expr& x = g.extents[static_cast<std::size_t>(symbol_number(e))];
    if (x.kind == extent_kind::product || x.kind == extent_kind::quotient) {
      multiply(g, x.a, power);
      multiply(g, x.b, x.kind == extent_kind::product ? power : -power);
      return;
    }
    for (std::size_t i = 0; i < symbols.size(); ++i)
      if (symbols[i] == e) {
        powers[i] += power;
        return;
      }
    symbols.push_back(e);
    powers.push_back(power);
  }
  constexpr int power_of(index_t symbol) const {
    for (std::size_t i = 0; i < symbols.size(); ++i)
      if (symbols[i] == symbol) return powers[i];
    return 0;
  }
  constexpr bool operator==(const extent_product& o) const {
    if (above == 0 || o.above == 0) return above == o.above;
    if (above * o.below != o.above * below) return false;
    for (index_t s : symbols)
      if (power_of(s) != o.power_of(s)) return false;
    for (index_t s : o.symbols)
      if (power_of(s) != o.power_of(s)) return false;
    return true;
  }
};
constexpr extent_product product_of_extents(const graph& g, const shape_of& s) {
  extent_product p;
  for (int i = 0; i < s.rank; ++i) p.multiply(g, s.d[i]);
  return p;
}

/// Checks one node after another; stops at the first fault.
class graph_verifier {
 public:
  explicit constexpr graph_verifier(const graph& g, bool broadcasts = false)
      : g_(g), broadcasts_(broadcasts) {
    for (const guard& c : g.guards) broadcasts_ = broadcasts_ || c.kind == guard_kind::broadcast;
  }

  constexpr message run() {
    if (g_.where.size() != g_.nodes.size())
      return message{}.put("weft: graph: a place for each node is missing");
    for (std::size_t k = 0; k < g_.extents.size(); ++k) {
      const extent_expr& e = g_.extents[k];
      const bool leaf = is_leaf(e.kind);
      if (!leaf && (!known(e.a, k) || !known(e.b, k)))
        return message{}
            .put("weft: graph: an extent refers to a later one: ?")
            .put(static_cast<index_t>(k));
    }
    for (int i = 0; i < g_.size(); ++i) {
      const std::string_view fault = check(i);
      if (fault.empty()) continue;
      message m;
      m.put("weft: graph: %").put(i).put(" = ");
      m.put(at(i).op < primitives::size ? info(at(i).op).name : "?").put(": ").put(fault).put(": ");
      m.put(name(at(i).type));
      put_shape(m, at(i).shape);
      for (int x : at(i).in)
        if (x >= 0 && x < i) put_shape(m.put(" from ").put(name(at(x).type)), at(x).shape);
      return m;
    }
    for (int o : g_.outputs)
      if (o < 0 || o >= g_.size())
        return message{}.put("weft: graph: output %").put(o).put(" does not exist");
    for (const graph& body : g_.bodies) {
      if (body.extents.size() < g_.extents.size())
        return message{}.put("weft: graph: a body lacks extents of its graph");
      const message m = graph_verifier(body, broadcasts_).run();
      if (!m.empty()) return m;
    }
    return {};
  }

 private:
  constexpr const node& at(int i) const { return g_.nodes[static_cast<std::size_t>(i)]; }
  constexpr bool known(index_t e, std::size_t count) const {
    return is_symbol(e) ? symbol_number(e) < static_cast<int>(count) : e >= 0;
  }

  constexpr std::string_view check(int i) const {
    const node& n = at(i);
    if (n.op >= primitives::size) return "no such op";
    const op_info& f = info(n.op);
    for (int k = 0; k < 3; ++k) {
      const bool may_lack = f.kind == op_kind::control && k < 2;
      if (k < f.arity ? n.in[k] < 0 && !may_lack : n.in[k] != -1 && !may_lack)
        return "wrong number of operands";
      if (n.in[k] >= i) return "an operand comes later";
    }
    if (n.shape.rank < 0 || n.shape.rank > max_rank) return "too many axes";
    for (int k = 0; k < n.shape.rank; ++k)
      if (!known(n.shape.d[k], g_.extents.size())) return "an extent is unknown";
    const std::string_view types = check_types(n, f);
    if (!types.empty()) return types;
    switch (f.kind) {
      case op_kind::leaf:
        return check_leaf(n);
      case op_kind::identity:
        return at(n.in[0]).shape == n.shape ? "" : "the shape changes";
      case op_kind::pointwise:
        for (int k = 0; k < f.arity; ++k)
          if (!(at(n.in[k]).shape == n.shape)) return "operands need the shape of the result";
        return "";
      case op_kind::reduction:
        return check_reduction(n);
      case op_kind::view:
        return check_view(n);
      case op_kind::matmul:
        return check_product(n);
      case op_kind::other:
        return check_other(n);
      case op_kind::control:
        return check_control(n);
    }
    return "no such kind";
  }

  constexpr std::string_view check_types(const node& n, const op_info& f) const {
    if (f.arity == 0 || f.kind == op_kind::control) return "";
    const dtype first = at(n.in[0]).type, last = at(n.in[f.arity - 1]).type;
    if (f.kind == op_kind::pointwise && f.types != typing::special)
      for (int k = f.types == typing::select ? 1 : 0; k < f.arity; ++k)
        if (at(n.in[k]).type != last) return "operands of different dtypes";
    switch (f.types) {
      case typing::floating:
        return is_floating(last) && n.type == last ? "" : "needs floats";
      case typing::numeric:
        return last != dtype::boolean && n.type == last ? "" : "needs numbers";
      case typing::integral:
        return is_integer(last) && n.type == last ? "" : "needs integers";
      case typing::logical:
        return !is_floating(last) && n.type == last ? "" : "needs integers or bools";
      case typing::any:
        return n.type == last ? "" : "changes the dtype";
      case typing::compare:
        return n.type == dtype::boolean ? "" : "must give bool";
      case typing::boolean:
        return last == dtype::boolean && n.type == last ? "" : "needs bools";
      case typing::select:
        return first == dtype::boolean && n.type == last ? "" : "needs a bool condition";
      case typing::special:
        break;
    }
    if (n.op == id_of<cast_>)
      return n.at.v[0] == static_cast<index_t>(n.type) ? "" : "another dtype than it says";
    if (n.op == id_of<arg_max_> || n.op == id_of<arg_min_>)
      return n.type == dtype::int64 ? "" : "must give int64";
    if (f.kind == op_kind::pointwise) return "";
    if (n.op == id_of<gather_> || n.op == id_of<scatter_add_>) {
      if (!is_integer(last)) return "indices must be integers";
    } else if ((n.op == id_of<product_> || n.op == id_of<concat_>)&&first != last) {
      return "operands of different dtypes";
    }
    return n.type == first ? "" : "changes the dtype";
  }

  constexpr std::string_view check_leaf(const node& n) const {
    if (n.op == id_of<argument_> && (n.at.v[0] < 0 || n.at.v[0] >= g_.arguments))
      return "no such argument";
    if (n.op == id_of<extent_> && !known(n.at.v[0], g_.extents.size()))
      return "the extent is unknown";
    if (n.op == id_of<iota_> && n.at.v[0] >= n.shape.rank) return "no such axis";
    return "";
  }

  /// Extents agree everywhere but at one axis, whose own rule the caller checks.
  static constexpr bool same_beside(const shape_of& a, const shape_of& b, index_t axis) {
    if (a.rank != b.rank || axis < 0 || axis >= a.rank) return false;
    for (int k = 0; k < a.rank; ++k)
      if (k != axis && a.d[k] != b.d[k]) return false;
    return true;
  }

  constexpr std::string_view check_reduction(const node& n) const {
    const shape_of& x = at(n.in[0]).shape;
    if (x.rank != n.shape.rank || n.at.v[0] < 0 || n.at.v[0] >> x.rank) return "axes out of range";
    for (int k = 0; k < x.rank; ++k)
      if (n.shape.d[k] != ((n.at.v[0] >> k & 1) ? 1 : x.d[k]))
        return "reduced axes have extent 1, others stay";
    return "";
  }

  /// Whether every axis of `narrow` is 1, or that of `wide`, or, where extents may broadcast at the
  /// call, a symbol.
  constexpr bool broadcasts(const shape_of& narrow, const shape_of& wide) const {
    const int added = wide.rank - narrow.rank;
    if (added < 0) return false;
    for (int k = 0; k < narrow.rank; ++k) {
      const index_t a = narrow.d[k], b = wide.d[k + added];
      if (a != 1 && a != b && !(broadcasts_ && is_symbol(a))) return false;
    }
    return true;
  }

  constexpr std::string_view check_view(const node& n) const {
    const shape_of& x = at(n.in[0]).shape;
    if (n.op == id_of<broadcast_>) return broadcasts(x, n.shape) ? "" : "shapes do not broadcast";
    if (n.op == id_of<reshape_>)
      return product_of_extents(g_, x) == product_of_extents(g_, n.shape)
                 ? ""
                 : "the number of elements changes";
    if (n.op == id_of<permute_>) {
      int seen = 0;
      if (x.rank != n.shape.rank) return "the rank changes";
      for (int k = 0; k < x.rank; ++k) {
        const index_t a = n.at.v[k];
        if (a < 0 || a >= x.rank || (seen >> a & 1)) return "not a permutation";
        if (n.shape.d[k] != x.d[a]) return "extents do not follow the permutation";
        seen |= 1 << a;
      }
      return "";
    }
    if (n.op == id_of<slice_>) return check_slice(n, x, n.shape);
    return "";
  }

  /// slice and pad: `part` holds the elements start, start + step, ... of one axis of `whole`.
  constexpr std::string_view check_slice(const node& n, const shape_of& whole,
                                         const shape_of& part) const {
    const index_t axis = n.at.v[0], start = n.at.v[1], step = n.at.v[2];
    if (!same_beside(whole, part, axis)) return "extents differ beside the axis";
    if (step == 0 && part.d[axis] != 1) return "a step of 0";
    if (is_symbol(start) || is_symbol(whole.d[axis]) || is_symbol(part.d[axis]) || is_symbol(step))
      return "";
    const index_t last = start + (part.d[axis] - 1) * step;
    if (part.d[axis] > 0 &&
        (start < 0 || last < 0 || start >= whole.d[axis] || last >= whole.d[axis]))
      return "out of range";
    return "";
  }

  constexpr std::string_view check_product(const node& n) const {
    const shape_of &x = at(n.in[0]).shape, &y = at(n.in[1]).shape;
    const int r = n.shape.rank;
    if (r < 2 || x.rank != r || y.rank != r) return "ranks differ";
    for (int k = 0; k < r - 2; ++k)
      if (x.d[k] != n.shape.d[k] || y.d[k] != n.shape.d[k]) return "leading extents differ";
    if (x.d[r - 1] != y.d[r - 2]) return "inner extents differ";
    if (x.d[r - 2] != n.shape.d[r - 2] || y.d[r - 1] != n.shape.d[r - 1])
      return "outer extents differ";
    return "";
  }

  constexpr bool is_sum(index_t s, index_t a, index_t b) const {
    if (!is_symbol(s)) return !is_symbol(a) && !is_symbol(b) ? s == a + b : false;
    if (a == 0 || b == 0) return s == a + b;
    const extent_expr& e = g_.extents[static_cast<std::size_t>(symbol_number(s))];
    // A sum that an equation has replaced by another symbol is that of a guard.
    return e.kind != extent_kind::sum || (e.a == a && e.b == b) || (e.a == b && e.b == a);
  }

  constexpr std::string_view check_other(const node& n) const {
    const shape_of& x = at(n.in[0]).shape;
    if (n.op == id_of<pad_>) return check_slice(n, n.shape, x);
    if (n.op == id_of<sum_to_>) {
      if (!(at(n.in[1]).shape == n.shape)) return "not the shape of the second operand";
      return broadcasts(n.shape, x) ? "" : "shapes do not broadcast";
    }
    if (n.op == id_of<arg_max_> || n.op == id_of<arg_min_>)
      return same_beside(x, n.shape, n.at.v[0]) && n.shape.d[n.at.v[0]] == 1
                 ? ""
                 : "the axis has extent 1";
    if (n.op == id_of<concat_>) {
      const shape_of& y = at(n.in[1]).shape;
      if (!same_beside(x, n.shape, n.at.v[0]) || !same_beside(y, n.shape, n.at.v[0]))
        return "extents differ beside the axis";
      return is_sum(n.shape.d[n.at.v[0]], x.d[n.at.v[0]], y.d[n.at.v[0]]) ? ""
                                                                          : "extents do not add up";
    }
    if (n.op == id_of<gather_>) return taken(n.shape, x, at(n.in[1]).shape, n.at.v[0]);
    if (n.op == id_of<scatter_add_>) return taken(x, n.shape, at(n.in[1]).shape, n.at.v[0]);
    return "";
  }

  constexpr bool alike(const node& a, const node& b) const {
    return a.type == b.type && a.shape == b.shape;
  }
  constexpr std::string_view check_control(const node& n) const {
    if (n.op == id_of<link_>) return n.in[0] >= 0 && alike(n, at(n.in[0])) ? "" : "not its operand";
    if (n.op == id_of<result_>) return check_result(n, at(n.in[0]));
    if (!is_control(n.op)) return "";
    const sequence<int> operands = operands_of(g_.nodes.data(), n);
    const int predicate = n.op == id_of<cond_>;
    for (int k = 0; k < body_count(n.op); ++k) {
      if (n.at.v[k] < 0 || n.at.v[k] >= static_cast<index_t>(g_.bodies.size()))
        return "no such body";
      const graph& body = g_.bodies[static_cast<std::size_t>(n.at.v[k])];
      const int step = n.op == id_of<scan_>;
      if (body.arguments != static_cast<int>(operands.size()) - predicate + step)
        return "a body takes other operands";
    }
    if (predicate && (operands.empty() || at(operands[0]).type != dtype::boolean ||
                      at(operands[0]).shape.rank != 0))
      return "the condition must be one bool";
    return "";
  }
  constexpr std::string_view check_result(const node& n, const node& control) const {
    const index_t k = n.at.v[0];
    if (!is_control(control.op)) return "of no control node";
    if (!has_bodies(control.op)) return "";
    const graph& body =
        g_.bodies[static_cast<std::size_t>(control.at.v[control.op == id_of<while_> ? 1 : 0])];
    if (k < 0 || k >= static_cast<index_t>(body.outputs.size())) return "no such result";
    const int output = body.outputs[static_cast<std::size_t>(k)];
    if (output < 0 || output >= static_cast<int>(body.nodes.size()))
      return "the body has no such output";
    const node& made = body.nodes[static_cast<std::size_t>(output)];
    if (control.op == id_of<scan_> && k >= control.at.v[2]) {
      if (n.type != made.type || n.shape.rank != made.shape.rank + 1 ||
          n.shape.d[0] != control.at.v[1])
        return "not a stack of what the body returns";
      for (int d = 0; d < made.shape.rank; ++d)
        if (n.shape.d[d + 1] != made.shape.d[d]) return "not a stack of what the body returns";
      return "";
    }
    return alike(n, made) ? "" : "not what the body returns";
  }

  /// `part` has the axes of the indices in place of one axis of `whole`.
  static constexpr std::string_view taken(const shape_of& part, const shape_of& whole,
                                          const shape_of& by, index_t axis) {
    if (axis < 0 || axis >= whole.rank) return "the axis is out of range";
    if (part.rank != whole.rank - 1 + by.rank) return "wrong rank";
    for (int k = 0; k < part.rank; ++k) {
      const index_t e = k < axis             ? whole.d[k]
                        : k < axis + by.rank ? by.d[k - axis]
                                             : whole.d[k - by.rank + 1];
      if (part.d[k] != e) return "extents do not follow the indices";
    }
    return "";
  }

  const graph& g_;
  bool broadcasts_ = false;
};

/// Empty if the graph is well formed: operands earlier and as many as the op takes, dtypes and
/// shapes by its rules, outputs in range. Otherwise the first fault. Used after every pass in
/// tests, also under static_assert.
constexpr message verify(const graph& g) {
  return graph_verifier(g).run();
}

}  // namespace weft::detail
