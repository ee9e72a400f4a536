// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/grad/reverse.hpp>

#include "capture.hpp"
#include "values.hpp"

// Graphs made of whatever the catalogue has, for tests that compare two ways to evaluate them.
namespace weft_test {

/// Whether an op takes operands of a dtype (the condition of a where apart).
inline bool takes(const weft::detail::op_info& f, dtype t) {
  const weft::detail::operand_kinds k = weft::detail::kinds_of(f.types);
  return is_floating(t) ? k.floats : t == dtype::boolean ? k.bools : k.integers;
}

/// A random graph from a seed, with known extents. New pointwise primitives take part as they are
/// listed.
class random_graph {
 public:
  /// With 3 rows matrices are square: a transpose has the shape of what it transposes.
  explicit random_graph(std::uint64_t seed, int steps = 14, index_t rows = 2) : random_(seed) {
    argument(f32({rows, 3}));
    argument(f32({3}));
    argument(f32());
    argument(f64({rows, 1}));
    argument(i32({rows, 3}));
    argument(spec(dtype::uint8, {3}));
    argument(spec(dtype::boolean, {rows, 3}));
    index_ = argument(i32({2}));
    pool_.pop_back();  // its values are places, which arithmetic would lose
    for (int i = 0; i < steps; ++i) step();
  }

  /// Seeded arguments, unless not wanted with infinities, NaN, zeros of both signs, and numbers
  /// from tiny to huge among them.
  std::vector<reference_value> arguments(std::uint64_t seed, bool specials = true) const {
    static constexpr double special[]{0.0,       -0.0, -0.0,  -0.0, 1,   -1,           HUGE_VAL,
                                      -HUGE_VAL, NAN,  1e-42, 3e38, 255, -2147483648.0};
    generator g(seed);
    std::vector<reference_value> r;
    for (const value_spec& s : specs_) {
      r.push_back(filled(s.type, {s.extent, s.extent + s.rank}, g.bits(), -3, 3));
      for (index_t i = 0; i < r.back().size(); ++i)
        if (specials && g.below(4) == 0) {
          const auto v = scalar(special[g.below(static_cast<int>(std::size(special)))]);
          const auto c = weft::detail::converted(v, s.type);
          if (is_floating(s.type))
            r.back().reals[static_cast<std::size_t>(i)] = c.reals[0];
          else
            r.back().bits[static_cast<std::size_t>(i)] = c.bits[0];
        }
    }
    r.back() =
        values(dtype::int32, {2},
               {static_cast<long double>(g.below(4) - 2), static_cast<long double>(g.below(2))});
    return r;
  }

  /// Adds the gradient of the sum of a random floating value with respect to argument 0 as an
  /// output.
  void add_gradient() {
    const symbol y = any([](symbol s) { return s.type() == dtype::float32; });
    if (y.id() < 0) return;
    const symbol one = y.number(1).broadcast_to(y);
    b_.g.outputs.push_back(weft::detail::reverse(y, one, {pool_.front().id()})[0].id());
  }

  /// The graph; its outputs are a third of the values.
  graph finished() {
    for (const symbol& s : pool_)
      if (random_.below(3) == 0 || s.id() == pool_.back().id()) b_.g.outputs.push_back(s.id());
    return b_.finished();
  }

 private:
  symbol argument(const value_spec& s) {
    specs_.push_back(s);
    pool_.push_back(weft::detail::make_argument(b_, s, static_cast<int>(specs_.size()) - 1));
    return pool_.back();
  }
  template <class P>
  symbol any(P&& fits) {
    for (int tries = 0; tries < 50; ++tries) {
      const symbol s =
          pool_[static_cast<std::size_t>(random_.below(static_cast<int>(pool_.size())))];
      if (fits(s)) return s;
    }
    return {};
  }
  static bool meet(symbol x, symbol y) {
    for (int i = 1; i <= x.rank() && i <= y.rank(); ++i) {
      const index_t a = x.extent(x.rank() - i), b = y.extent(y.rank() - i);
      if (a != b && a != 1 && b != 1) return false;
    }
    return true;
  }
  index_t size(symbol s) { return b_.count(s.shape()); }

  void step() {
    const symbol s = any([&](symbol x) { return size(x) <= 60; });
    const int axis = s.rank() ? random_.below(s.rank()) : -1;
    switch (random_.below(14)) {
      case 0:
        keep(number(s).broadcast_to(s));
        break;
      case 1:
        keep(s.as(static_cast<dtype>(random_.below(weft::detail::dtype_count))));
        break;
      case 2:
        reduction(s);
        break;
      case 3:
        view(s, axis);
        break;
      case 4:
        other(s, axis);
        break;
      default:
        elementwise();
        break;
    }
  }
  void keep(symbol s) {
    if (s.id() >= 0 && s.rank() <= 4) pool_.push_back(s);
  }

  symbol number(symbol s) {
    static constexpr double some[]{0.0, -0.0, 1, -1, 2, 0.5, 3};
    const double v = some[random_.below(random_.below(2) ? 3 : 7)];
    return s.number(s.type() == dtype::boolean ? v != 0 : is_signed(s.type()) ? v : std::fabs(v));
  }

  void elementwise() {
    using weft::detail::primitives;
    // Sums, products and the like are what most rewritings are about.
    auto op = static_cast<weft::detail::op_id>(weft::detail::id_of<weft::add_> + random_.below(5));
    if (random_.below(3)) op = static_cast<weft::detail::op_id>(random_.below(primitives::size));
    const auto& f = weft::detail::info(op);
    if (f.kind != weft::detail::op_kind::pointwise || op == weft::detail::id_of<weft::mul_zero_>)
      return elementwise();
    symbol x[3];
    symbol last = any([&](symbol s) { return takes(f, s.type()); });
    if (last.id() < 0) return;
    weft::detail::shape_of joined = last.shape();
    for (int k = f.arity; k-- > 0;) {
      const bool condition = f.types == weft::detail::typing::select && k == 0;
      x[k] = k == f.arity - 1 ? last : any([&](symbol s) {
        if (s.type() != (condition ? dtype::boolean : last.type())) return false;
        for (int j = k + 1; j < f.arity; ++j)
          if (!meet(s, x[j])) return false;
        return true;
      });
      if (x[k].id() < 0 || !b_.join(joined, x[k].shape(), joined, op)) return;
    }
    if (f.arity == 2 && random_.below(3) == 0) x[random_.below(2)] = number(last);
    keep(weft::detail::pointwise(b_, op, x, f.arity));
  }

  void reduction(symbol s) {
    if (s.rank() == 0) return;
    const index_t mask = 1 + random_.below((1 << s.rank()) - 1);
    using namespace weft::detail;
    switch (random_.below(5)) {
      case 0:
        return keep(s.reduce<reduce_max_>(mask));
      case 1:
        return keep(s.reduce<reduce_min_>(mask).squeezed({}, mask));
      case 2:
        return place<arg_max_>(s);
      case 3:
        return place<arg_min_>(s);
      default:
        return keep(s.as(s.sum_type()).reduce<reduce_sum_>(mask).squeezed({}, mask));
    }
  }
  template <class Op>
  void place(symbol s) {
    weft::detail::shape_of shape = s.shape();
    shape.d[0] = 1;
    keep(make_node<Op>(b_, dtype::int64, shape, {{0}}, s));
  }

  void view(symbol s, int axis) {
    if (axis < 0) return;
    const index_t n = s.extent(axis);
    int order[weft::max_rank]{};
    for (int i = 0; i < s.rank(); ++i) order[i] = (i + 1) % s.rank();
    weft::detail::shape_of wide = s.shape();
    if (wide.rank < 4) {
      for (int i = wide.rank++; i > 0; --i) wide.d[i] = wide.d[i - 1];
      wide.d[0] = 2;
    }
    const weft::detail::shape_of flat{1, {size(s)}};
    switch (random_.below(6)) {
      case 0:
        return keep(s.permuted(order));
      case 1:
        return keep(s.reshaped(flat));
      case 2:
        return keep(s.sliced(axis, n - 1, -1, n));
      case 3:
        return keep(s.sliced(axis, 0, 1, (n + 1) / 2));
      case 4:
        return keep(s.broadcast_to(wide));
      default:
        return keep(s.reshaped(flat).reshaped(s.shape()));
    }
  }

  void other(symbol s, int axis) {
    using namespace weft::detail;
    if (axis < 0) return;
    const symbol part = s.sliced(axis, 0, 2, (s.extent(axis) + 1) / 2);
    switch (random_.below(7)) {
      case 6:
        return keep(s.as(dtype::uint32).random_word(s.as(dtype::uint32), s.as(dtype::uint64)));
      case 0:
        return keep(s.type() == dtype::boolean || s.rank() < 2 ? symbol{} : s.matmul(s.swapped()));
      case 1:
        return keep(s.joined(part, axis));
      case 2:
        return keep(s.extent(axis) < 2 ? symbol{} : s.taken(index_, axis));
      case 3:
        return keep(part.padded_like(s, part));
      case 4:
        return keep(make_node<fresh_>(b_, s.type(), s.shape(), {{b_.next_unique()}}, s));
      default:
        return keep(make_node<iota_>(b_, dtype::uint64, s.shape(), {{axis}}));
    }
  }

  weft::detail::builder b_;
  generator random_;
  std::vector<value_spec> specs_;
  std::vector<symbol> pool_;
  symbol index_;
};

}  // namespace weft_test
