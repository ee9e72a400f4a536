// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/graph/reference_rules.hpp>

// Rules of the ops that combine elements of their operands: reductions, products, gathers and the
// like.
namespace weft::detail {

/// Sums of elements by place: long double or 64-bit integers, brought to the result's dtype once at
/// the end.
class reference_sums {
 public:
  explicit reference_sums(const reference_value& r)
      : reals_(r.reals.size(), 0), bits_(r.bits.size(), 0) {}
  void add(index_t to, const reference_value& x, index_t from) {
    const auto i = static_cast<std::size_t>(to), j = static_cast<std::size_t>(from);
    if (is_floating(x.type))
      reals_.at(i) += x.reals.at(j);
    else
      bits_.at(i) += x.bits.at(j);
  }
  void add_product(index_t to, const reference_value& x, index_t i, const reference_value& y,
                   index_t j) {
    const auto k = static_cast<std::size_t>(to), a = static_cast<std::size_t>(i),
               b = static_cast<std::size_t>(j);
    if (is_floating(x.type))
      reals_.at(k) += x.reals.at(a) * y.reals.at(b);
    else
      bits_.at(k) += x.bits.at(a) * y.bits.at(b);
  }
  void store(reference_value& r, reference_arithmetic how) const {
    for (std::size_t i = 0; i < r.reals.size(); ++i)
      r.reals[i] =
          how == reference_arithmetic::own ? rounded(computed_in(r.type), reals_[i]) : reals_[i];
    for (std::size_t i = 0; i < r.bits.size(); ++i) r.bits[i] = wrapped(r.type, bits_[i]);
  }

 private:
  std::vector<long double> reals_;
  std::vector<std::uint64_t> bits_;
};

/// Calls f(place of the result, place of the operand) for every element of the operand.
template <class F>
void for_each_reduced(const reference_node& e, reference_value& r, F&& f) {
  const reference_value& x = *e.x[0];
  if (x.rank() != r.rank()) reference_fault(e, r, "keeps every axis");
  for (index_t i = 0; i < x.size(); ++i) {
    auto c = coordinates(x.shape, i);
    for (std::size_t k = 0; k < c.size(); ++k) {
      const bool reduced = e.n.at.v[0] >> k & 1;
      if (reduced ? r.shape[k] != 1 : r.shape[k] != x.shape[k])
        reference_fault(e, r, "wrong extents");
      if (reduced) c[k] = 0;
    }
    f(place_of(r.shape, c), i);
  }
}
template <>
struct reference_rule<reduce_sum_> {
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
      return std::signbit(x.reals[a]) != std::signbit(x.reals[b]) &&
             std::signbit(x.reals[b]) == greatest;
    return further(x.reals[a], x.reals[b]);
  }
  if (is_signed(x.type))
    return further(static_cast<std::int64_t>(x.bits[a]), static_cast<std::int64_t>(x.bits[b]));
  return further(x.bits[a], x.bits[b]);
}
/// What the greatest (or least) of no elements is, as a sum of none is 0: the op `max` refuses it
/// by a guard, others are right with it (logsumexp, any, a softmax that is empty itself).
inline void set_neutral(reference_value& r, index_t i, bool greatest) {
  const auto k = static_cast<std::size_t>(i);
  const long double infinity = std::numeric_limits<long double>::infinity();
  if (is_floating(r.type))
    r.reals[k] = greatest ? -infinity : infinity;
  else if (r.type == dtype::boolean)
    r.bits[k] = !greatest;
  else
    r.bits[k] = integer_from(r.type, greatest ? -infinity : infinity);
}

template <bool Greatest>
struct extremum_rule {
  static void evaluate(const reference_node& e, reference_value& r) {
    std::vector<index_t> best(static_cast<std::size_t>(r.size()), -1);
    for_each_reduced(e, r, [&](index_t to, index_t from) {
      index_t& b = best[static_cast<std::size_t>(to)];
      if (b < 0 || is_further(*e.x[0], from, b, Greatest)) b = from;
    });
    for (index_t i = 0; i < r.size(); ++i) {
      const index_t b = best[static_cast<std::size_t>(i)];
      if (b < 0)
        set_neutral(r, i, Greatest);
      else
        copy_element(r, i, *e.x[0], b);
    }
  }
};
template <>
struct reference_rule<reduce_max_> : extremum_rule<true> {};
template <>
struct reference_rule<reduce_min_> : extremum_rule<false> {};

/// The lowest place of the greatest or least element along an axis. Zeros of either sign tie.
template <bool Greatest>
struct place_rule {
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
template <>
struct reference_rule<arg_max_> : place_rule<true> {};
template <>
struct reference_rule<arg_min_> : place_rule<false> {};

template <>
struct reference_rule<sum_to_> {
  static void evaluate(const reference_node& e, reference_value& r) {
    reference_sums sums(r);
    const reference_value& x = *e.x[0];
    if (x.rank() < r.rank()) reference_fault(e, r, "the operand has fewer axes");
    for (index_t i = 0; i < x.size(); ++i)
      sums.add(narrow_place(r.shape, coordinates(x.shape, i)), x, i);
    sums.store(r, e.how);
  }
};

template <>
struct reference_rule<product_> {
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

template <>
struct reference_rule<concat_> {
  static void evaluate(const reference_node& e, reference_value& r) {
    const auto axis = static_cast<std::size_t>(e.n.at.v[0]);
    const reference_value &x = *e.x[0], &y = *e.x[1];
    if (x.shape.at(axis) + y.shape.at(axis) != r.shape.at(axis))
      reference_fault(e, r, "extents do not add up");
    for (index_t i = 0; i < r.size(); ++i) {
      auto c = coordinates(r.shape, i);
      const bool first = c[axis] < x.shape[axis];
      if (!first) c[axis] -= x.shape[axis];
      const reference_value& from = first ? x : y;
      copy_element(r, i, from, place_of(from.shape, c));
    }
  }
};

/// For each element of `by` (take's result, or scatter_add's operand), the place in `whole` that
/// its index names.
template <class F>
void for_each_taken(const reference_node& e, const reference_value& whole,
                    const reference_value& by, F&& f) {
  const auto axis = static_cast<std::size_t>(e.n.at.v[0]);
  const reference_value& indices = *e.x[1];
  const std::size_t width = indices.shape.size();
  for (index_t i = 0; i < by.size(); ++i) {
    const auto c = coordinates(by.shape, i);
    std::vector<index_t> at, d;
    for (std::size_t k = 0; k < width; ++k) at.push_back(c.at(axis + k));
    const std::uint64_t bits =
        indices.bits.at(static_cast<std::size_t>(place_of(indices.shape, at)));
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
template <>
struct reference_rule<gather_> {
  static void evaluate(const reference_node& e, reference_value& r) {
    for_each_taken(e, *e.x[0], r, [&](index_t i, index_t at) { copy_element(r, i, *e.x[0], at); });
  }
};
template <>
struct reference_rule<scatter_add_> {
  static void evaluate(const reference_node& e, reference_value& r) {
    reference_sums sums(r);
    for_each_taken(e, r, *e.x[0], [&](index_t i, index_t at) { sums.add(at, *e.x[0], i); });
    sums.store(r, e.how);
  }
};

}  // namespace weft::detail
