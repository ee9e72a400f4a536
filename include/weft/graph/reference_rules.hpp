// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/base/error.hpp>
#include <weft/base/philox.hpp>
#include <weft/graph/reference_pointwise.hpp>

#include <bit>
#include <string>

// How the reference evaluates a node of each op: what is not pointwise has a rule here.
namespace weft::detail {

/// A node with its operands' values, and what the whole evaluation knows.
struct reference_node {
  const node& n;
  const reference_value* const* x;
  const std::vector<index_t>& extents;
  const std::vector<reference_value>& arguments;
  reference_arithmetic how;

  /// An attribute that is an extent, as a number.
  index_t number(index_t e) const {
    return is_symbol(e) ? extents.at(static_cast<std::size_t>(symbol_number(e))) : e;
  }
};

[[noreturn]] inline void reference_fault(const reference_node& e, const reference_value& r, const std::string& what) {
  std::string text = "weft: reference: " + std::string(info(e.n.op).name) + ": " + what + ": result " + described(r);
  for (int k = 0; k < 3 && e.x[k]; ++k) text += ", operand " + described(*e.x[k]);
  throw shape_error(text);
}

/// The coordinates of element i of a shape, and back.
inline std::vector<index_t> coordinates(const std::vector<index_t>& shape, index_t i) {
  std::vector<index_t> c(shape.size());
  for (std::size_t k = shape.size(); k-- > 0; i /= shape[k]) c[k] = i % shape[k];
  return c;
}
inline index_t place_of(const std::vector<index_t>& shape, const std::vector<index_t>& c) {
  index_t i = 0;
  for (std::size_t k = 0; k < shape.size(); ++k) i = i * shape[k] + c[k];
  return i;
}
/// The element of a narrower shape that a broadcast repeats at coordinates c of a wider one.
inline index_t narrow_place(const std::vector<index_t>& narrow, const std::vector<index_t>& c) {
  index_t i = 0;
  const std::size_t added = c.size() - narrow.size();
  for (std::size_t k = 0; k < narrow.size(); ++k) i = i * narrow[k] + (narrow[k] == 1 ? 0 : c[k + added]);
  return i;
}

inline void copy_element(reference_value& r, index_t to, const reference_value& x, index_t from) {
  const auto i = static_cast<std::size_t>(to), j = static_cast<std::size_t>(from);
  if (is_floating(r.type)) r.reals.at(i) = x.reals.at(j);
  else r.bits.at(i) = x.bits.at(j);
}
/// Elements of r that come from elements of x: `from(coordinates)` is the place, or -1 where r stays 0.
template <class From> void move_elements(reference_value& r, const reference_value& x, From&& from) {
  for (index_t i = 0; i < r.size(); ++i) {
    const index_t j = from(coordinates(r.shape, i));
    if (j >= 0) copy_element(r, i, x, j);
  }
}

/// Sums of elements by place: long double or 64-bit integers, brought to the result's dtype once at the end.
class reference_sums {
 public:
  explicit reference_sums(const reference_value& r)
      : reals_(r.reals.size(), 0), bits_(r.bits.size(), 0) {}
  void add(index_t to, const reference_value& x, index_t from) {
    const auto i = static_cast<std::size_t>(to), j = static_cast<std::size_t>(from);
    if (is_floating(x.type)) reals_.at(i) += x.reals.at(j);
    else bits_.at(i) += x.bits.at(j);
  }
  void add_product(index_t to, const reference_value& x, index_t i, const reference_value& y, index_t j) {
    const auto k = static_cast<std::size_t>(to), a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
    if (is_floating(x.type)) reals_.at(k) += x.reals.at(a) * y.reals.at(b);
    else bits_.at(k) += x.bits.at(a) * y.bits.at(b);
  }
  void store(reference_value& r, reference_arithmetic how) const {
    for (std::size_t i = 0; i < r.reals.size(); ++i)
      r.reals[i] = how == reference_arithmetic::own ? rounded(r.type, reals_[i]) : reals_[i];
    for (std::size_t i = 0; i < r.bits.size(); ++i) r.bits[i] = wrapped(r.type, bits_[i]);
  }

 private:
  std::vector<long double> reals_;
  std::vector<std::uint64_t> bits_;
};

/// Pointwise ops need no more than their `reference`.
template <class Op> struct reference_rule {
  static_assert(Op::kind == op_kind::pointwise,
                "weft: a primitive that is not pointwise needs a rule in graph/reference_rules.hpp");
  static void evaluate(const reference_node& e, reference_value& r) {
    for (int k = 0; k < Op::arity; ++k)
      if (e.x[k]->shape != r.shape) reference_fault(e, r, "operands need the shape of the result");
    if (!evaluate_pointwise<Op>(r, e.x, e.how)) reference_fault(e, r, "has no reference for this dtype");
  }
};

template <> struct reference_rule<argument_> {
  static void evaluate(const reference_node& e, reference_value& r) {
    const auto k = static_cast<std::size_t>(e.n.at.v[0]);
    if (k >= e.arguments.size()) reference_fault(e, r, "argument " + std::to_string(k) + " is missing");
    const reference_value& a = e.arguments[k];
    if (a.type != r.type)
      throw dtype_error("weft: reference: argument " + std::to_string(k) + ": expected " + described(r) + ": got " +
                        described(a));
    if (a.shape != r.shape) reference_fault(e, r, "argument " + std::to_string(k) + " is " + described(a));
    r = a;
  }
};
template <> struct reference_rule<constant_> {
  static void evaluate(const reference_node& e, reference_value& r) {
    const auto bits = static_cast<std::uint64_t>(e.n.at.v[0]);
    if (is_floating(r.type)) r.reals.assign(r.reals.size(), std::bit_cast<double>(bits));
    else r.bits.assign(r.bits.size(), wrapped(r.type, bits));
  }
};
template <> struct reference_rule<extent_> {
  static void evaluate(const reference_node& e, reference_value& r) {
    reference_value n(dtype::int64, r.shape);
    n.bits.assign(n.bits.size(), static_cast<std::uint64_t>(e.number(e.n.at.v[0])));
    r = converted(n, r.type);
  }
};
template <> struct reference_rule<iota_> {
  static void evaluate(const reference_node& e, reference_value& r) {
    reference_value n(dtype::uint64, r.shape);
    for (index_t i = 0; i < n.size(); ++i) {
      const index_t axis = e.n.at.v[0];
      const index_t v = axis < 0 ? i : coordinates(n.shape, i).at(static_cast<std::size_t>(axis));
      n.bits[static_cast<std::size_t>(i)] = static_cast<std::uint64_t>(v);
    }
    r = converted(n, r.type);
  }
};

struct identity_rule {
  static void evaluate(const reference_node& e, reference_value& r) {
    if (e.x[0]->shape != r.shape || e.x[0]->type != r.type) reference_fault(e, r, "is an identity");
    r = *e.x[0];
  }
};
template <> struct reference_rule<fresh_> : identity_rule {};
template <> struct reference_rule<custom_> : identity_rule {};

template <> struct reference_rule<cast_> {
  static void evaluate(const reference_node& e, reference_value& r) {
    if (e.x[0]->shape != r.shape) reference_fault(e, r, "operands need the shape of the result");
    r = converted(*e.x[0], r.type);
  }
};

template <> struct reference_rule<random_word_> {
  static void evaluate(const reference_node& e, reference_value& r) {
    for (int k = 0; k < 3; ++k)
      if (e.x[k]->shape != r.shape) reference_fault(e, r, "operands need the shape of the result");
    for (std::size_t i = 0; i < r.bits.size(); ++i) {
      const std::uint64_t index = e.x[2]->bits[i], block = (index & ~child_word) / 4;
      const philox_block counter{static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32), 0u,
                                 index & child_word ? philox_use_split : philox_use_values};
      const philox_key key{static_cast<std::uint32_t>(e.x[0]->bits[i]), static_cast<std::uint32_t>(e.x[1]->bits[i])};
      r.bits[i] = philox(counter, key)[index % 4];
    }
  }
};

template <> struct reference_rule<broadcast_> {
  static void evaluate(const reference_node& e, reference_value& r) {
    const reference_value& x = *e.x[0];
    if (x.rank() > r.rank()) reference_fault(e, r, "the operand has more axes");
    for (std::size_t k = 0; k < x.shape.size(); ++k)
      if (x.shape[k] != 1 && x.shape[k] != r.shape[k + r.shape.size() - x.shape.size()])
        reference_fault(e, r, "shapes do not broadcast");
    move_elements(r, x, [&](const auto& c) { return narrow_place(x.shape, c); });
  }
};
template <> struct reference_rule<permute_> {
  static void evaluate(const reference_node& e, reference_value& r) {
    const reference_value& x = *e.x[0];
    move_elements(r, x, [&](const auto& c) {
      std::vector<index_t> d(c.size());
      for (std::size_t k = 0; k < c.size(); ++k) d.at(static_cast<std::size_t>(e.n.at.v[k])) = c[k];
      return place_of(x.shape, d);
    });
  }
};
template <> struct reference_rule<reshape_> {
  static void evaluate(const reference_node& e, reference_value& r) {
    if (e.x[0]->size() != r.size()) reference_fault(e, r, "the number of elements differs");
    r.reals = e.x[0]->reals;
    r.bits = e.x[0]->bits;
  }
};
template <> struct reference_rule<slice_> {
  static void evaluate(const reference_node& e, reference_value& r) {
    const auto axis = static_cast<std::size_t>(e.n.at.v[0]);
    const index_t start = e.number(e.n.at.v[1]), step = e.number(e.n.at.v[2]);
    move_elements(r, *e.x[0], [&](auto c) {
      c.at(axis) = start + step * c[axis];
      if (c[axis] < 0 || c[axis] >= e.x[0]->shape.at(axis)) reference_fault(e, r, "out of range");
      return place_of(e.x[0]->shape, c);
    });
  }
};
template <> struct reference_rule<pad_> {
  static void evaluate(const reference_node& e, reference_value& r) {
    const auto axis = static_cast<std::size_t>(e.n.at.v[0]);
    const index_t start = e.number(e.n.at.v[1]), step = e.number(e.n.at.v[2]);
    for (index_t i = 0; i < e.x[0]->size(); ++i) {
      auto c = coordinates(e.x[0]->shape, i);
      c.at(axis) = start + step * c[axis];
      if (c[axis] < 0 || c[axis] >= r.shape.at(axis)) reference_fault(e, r, "out of range");
      copy_element(r, place_of(r.shape, c), *e.x[0], i);
    }
  }
};

/// Calls f(place of the result, place of the operand) for every element of the operand.
template <class F> void for_each_reduced(const reference_node& e, reference_value& r, F&& f) {
  const reference_value& x = *e.x[0];
  if (x.rank() != r.rank()) reference_fault(e, r, "keeps every axis");
  for (index_t i = 0; i < x.size(); ++i) {
    auto c = coordinates(x.shape, i);
    for (std::size_t k = 0; k < c.size(); ++k) {
      const bool reduced = e.n.at.v[0] >> k & 1;
      if (reduced ? r.shape[k] != 1 : r.shape[k] != x.shape[k]) reference_fault(e, r, "wrong extents");
      if (reduced) c[k] = 0;
    }
    f(place_of(r.shape, c), i);
  }
}
template <> struct reference_rule<reduce_sum_> {
  static void evaluate(const reference_node& e, reference_value& r) {
    reference_sums sums(r);
    for_each_reduced(e, r, [&](index_t to, index_t from) { sums.add(to, *e.x[0], from); });
    sums.store(r, e.how);
  }
};

/// Whether element j of x comes before element i as a greatest (or least) one: NaN first.
inline bool is_further(const reference_value& x, index_t j, index_t i, bool greatest) {
  const auto a = static_cast<std::size_t>(j), b = static_cast<std::size_t>(i);
  auto further = [&](auto u, auto v) { return greatest ? u > v : u < v; };
  if (is_floating(x.type)) {
    if (std::isnan(x.reals[b])) return false;
    if (std::isnan(x.reals[a])) return true;
    if (x.reals[a] == 0 && x.reals[b] == 0)
      return std::signbit(x.reals[a]) != std::signbit(x.reals[b]) && std::signbit(x.reals[b]) == greatest;
    return further(x.reals[a], x.reals[b]);
  }
  if (is_signed(x.type)) return further(static_cast<std::int64_t>(x.bits[a]), static_cast<std::int64_t>(x.bits[b]));
  return further(x.bits[a], x.bits[b]);
}
template <bool Greatest> struct extremum_rule {
  static void evaluate(const reference_node& e, reference_value& r) {
    std::vector<index_t> best(static_cast<std::size_t>(r.size()), -1);
    for_each_reduced(e, r, [&](index_t to, index_t from) {
      index_t& b = best[static_cast<std::size_t>(to)];
      if (b < 0 || is_further(*e.x[0], from, b, Greatest)) b = from;
    });
    for (index_t i = 0; i < r.size(); ++i) {
      if (best[static_cast<std::size_t>(i)] < 0) reference_fault(e, r, "of no elements");
      copy_element(r, i, *e.x[0], best[static_cast<std::size_t>(i)]);
    }
  }
};
template <> struct reference_rule<reduce_max_> : extremum_rule<true> {};
template <> struct reference_rule<reduce_min_> : extremum_rule<false> {};

/// The lowest place of the greatest or least element along an axis. Zeros of either sign tie.
template <bool Greatest> struct place_rule {
  static void evaluate(const reference_node& e, reference_value& r) {
    const reference_value& x = *e.x[0];
    const auto axis = static_cast<std::size_t>(e.n.at.v[0]);
    for (index_t i = 0; i < r.size(); ++i) {
      auto c = coordinates(r.shape, i);
      index_t best = -1;
      for (index_t k = 0; k < x.shape.at(axis); ++k) {
        c.at(axis) = k;
        const index_t here = place_of(x.shape, c);
        c[axis] = best;
        const index_t there = best < 0 ? here : place_of(x.shape, c);
        if (best < 0 || (x[here] != x[there] && is_further(x, here, there, Greatest))) best = k;
      }
      if (best < 0) reference_fault(e, r, "of no elements");
      r.bits.at(static_cast<std::size_t>(i)) = static_cast<std::uint64_t>(best);
    }
  }
};
template <> struct reference_rule<arg_max_> : place_rule<true> {};
template <> struct reference_rule<arg_min_> : place_rule<false> {};

template <> struct reference_rule<sum_to_> {
  static void evaluate(const reference_node& e, reference_value& r) {
    reference_sums sums(r);
    const reference_value& x = *e.x[0];
    if (x.rank() < r.rank()) reference_fault(e, r, "the operand has fewer axes");
    for (index_t i = 0; i < x.size(); ++i) sums.add(narrow_place(r.shape, coordinates(x.shape, i)), x, i);
    sums.store(r, e.how);
  }
};

template <> struct reference_rule<product_> {
  static void evaluate(const reference_node& e, reference_value& r) {
    const reference_value &x = *e.x[0], &y = *e.x[1];
    const std::size_t m = r.shape.size() - 2, n = r.shape.size() - 1;
    if (x.rank() != r.rank() || y.rank() != r.rank() || x.shape[n] != y.shape[m])
      reference_fault(e, r, "inner extents differ");
    reference_sums sums(r);
    for (index_t i = 0; i < r.size(); ++i) {
      auto a = coordinates(r.shape, i), b = a;
      for (index_t k = 0; k < x.shape[n]; ++k) {
        a[n] = b[m] = k;
        sums.add_product(i, x, place_of(x.shape, a), y, place_of(y.shape, b));
      }
    }
    sums.store(r, e.how);
  }
};

template <> struct reference_rule<concat_> {
  static void evaluate(const reference_node& e, reference_value& r) {
    const auto axis = static_cast<std::size_t>(e.n.at.v[0]);
    const reference_value &x = *e.x[0], &y = *e.x[1];
    if (x.shape.at(axis) + y.shape.at(axis) != r.shape.at(axis)) reference_fault(e, r, "extents do not add up");
    for (index_t i = 0; i < r.size(); ++i) {
      auto c = coordinates(r.shape, i);
      const bool first = c[axis] < x.shape[axis];
      if (!first) c[axis] -= x.shape[axis];
      const reference_value& from = first ? x : y;
      copy_element(r, i, from, place_of(from.shape, c));
    }
  }
};

/// For each element of `by` (take's result, or scatter_add's operand), the place in `whole` that its index names.
template <class F>
void for_each_taken(const reference_node& e, const reference_value& whole, const reference_value& by, F&& f) {
  const auto axis = static_cast<std::size_t>(e.n.at.v[0]);
  const reference_value& indices = *e.x[1];
  const std::size_t width = indices.shape.size();
  for (index_t i = 0; i < by.size(); ++i) {
    const auto c = coordinates(by.shape, i);
    std::vector<index_t> at, d;
    for (std::size_t k = 0; k < width; ++k) at.push_back(c.at(axis + k));
    const std::uint64_t bits = indices.bits.at(static_cast<std::size_t>(place_of(indices.shape, at)));
    const index_t extent = whole.shape.at(axis);
    index_t index = static_cast<index_t>(bits);
    if (is_signed(indices.type) && index < 0) index += extent;
    if (index < 0 || index >= extent)
      throw index_error("weft: " + std::string(info(e.n.op).name) + ": index " +
                        std::to_string(static_cast<index_t>(bits)) + " is out of range for axis " +
                        std::to_string(axis) + " with extent " + std::to_string(extent));
    for (std::size_t k = 0; k < axis; ++k) d.push_back(c[k]);
    d.push_back(index);
    for (std::size_t k = axis + width; k < c.size(); ++k) d.push_back(c[k]);
    f(i, place_of(whole.shape, d));
  }
}
template <> struct reference_rule<gather_> {
  static void evaluate(const reference_node& e, reference_value& r) {
    for_each_taken(e, *e.x[0], r, [&](index_t i, index_t at) { copy_element(r, i, *e.x[0], at); });
  }
};
template <> struct reference_rule<scatter_add_> {
  static void evaluate(const reference_node& e, reference_value& r) {
    reference_sums sums(r);
    for_each_taken(e, r, *e.x[0], [&](index_t i, index_t at) { sums.add(at, *e.x[0], i); });
    sums.store(r, e.how);
  }
};

using reference_function = void (*)(const reference_node&, reference_value&);
template <class List> struct reference_table;
template <class... Op> struct reference_table<type_list<Op...>> {
  static constexpr reference_function value[sizeof...(Op)]{&reference_rule<Op>::evaluate...};
};

}  // namespace weft::detail
