// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/capture/shapes.hpp>

// The shape rules of structural ops: reshape, expand, squeeze, unsqueeze, flatten, slice.
namespace weft {

namespace detail {

/// An extent list in attribute words: extent + 2 each; 0 ends it.
constexpr shape_of unpacked_shape(const attributes& a) {
  shape_of s;
  while (s.rank < max_rank && a.v[s.rank] != 0) {
    s.d[s.rank] = a.v[s.rank] - 2;
    ++s.rank;
  }
  return s;
}

/// "weft: op: what: shape (2, 3) to (4, -1)".
constexpr message misfit(std::string_view op, std::string_view what, const shape_of& from,
                         const shape_of& to) {
  message m;
  m.put("weft: ").put(op).put(": ").put(what).put(": shape ");
  put_open_shape(m, from);
  put_open_shape(m.put(" to "), to);
  return m;
}

/// The start, step and count of a slice of an axis, by NumPy's rules, also where the extent is a
/// symbol: ends beyond the axis are clipped by `least` and `excess`.
struct slice_range {
  index_t start = 0, count = 0;
};
constexpr slice_range resolve_slice(builder& b, index_t extent, index_t start, index_t stop,
                                    index_t step) {
  constexpr index_t most = 0x7fffffffffffffff;
  // An end as a count of elements in front of it; walking backwards, the element itself counts.
  auto place = [&](index_t end) {
    const index_t by = step < 0 ? 1 : 0;
    if (end >= 0) return b.least(end > most - by ? most : end + by, extent);
    return b.excess(extent, -(end + by < -most ? -most : end + by));
  };
  const index_t from = place(start), to = place(stop);
  if (step > 0) return {from, b.ceiling(b.excess(to, from), step)};
  return {b.sum(from, -1), b.ceiling(b.excess(from, to), step < -most ? most : -step)};
}

}  // namespace detail

constexpr symbol symbol::reshaped(const detail::attributes& a) const {
  detail::shape_of to = detail::unpacked_shape(a);
  const detail::shape_of from = shape();
  auto fail = [&](std::string_view what) {
    builder_->fail(detail::misfit("reshape", what, from, to));
    return *this;
  };
  const detail::shape_of asked = to;
  constexpr detail::op_id op = detail::id_of<detail::reshape_>;
  index_t known = 1;
  int open = -1;
  for (int i = 0; i < to.rank; ++i) {
    if (to.d[i] >= 0)
      known *= to.d[i];
    else if (to.d[i] < -1)
      return fail("an extent is negative (only -1 has a meaning)");
    else if (open >= 0)
      return fail("only one extent may be -1");
    else
      open = i;
  }
  const index_t all = builder_->count(from);
  if (open < 0) {
    detail::complaint why(
        [&] { return detail::misfit("reshape", "the numbers of elements differ", from, asked); });
    if (!builder_->require_equal(all, known, op, why)) return why.fail(*builder_), *this;
    return reshaped(to);
  }
  if (known == 0) return fail("-1 does not follow beside an extent of 0");
  detail::complaint why([&] {
    return detail::misfit("reshape", "the elements do not fill the other extents", from, asked);
  });
  if (!detail::is_symbol(all) && all % known != 0) return why.fail(*builder_), *this;
  to.d[open] = builder_->quotient(all, known);
  const index_t q = to.d[open];
  if (detail::is_symbol(q) && known != 1 &&
      builder_->g.extents[static_cast<std::size_t>(detail::symbol_number(q))] ==
          detail::extent_expr{detail::extent_kind::quotient, all, known})
    builder_->require(detail::guard_kind::divides, all, known, op, why);
  return reshaped(to);
}

constexpr symbol symbol::expanded(const detail::attributes& a) const {
  detail::shape_of to = detail::unpacked_shape(a);
  const detail::shape_of from = shape();
  auto fail = [&](std::string_view what) {
    builder_->fail(detail::misfit("expand", what, from, to));
    return *this;
  };
  const detail::shape_of asked = to;
  constexpr detail::op_id op = detail::id_of<detail::broadcast_>;
  detail::complaint why(
      [&] { return detail::misfit("expand", "only extents of 1 can be repeated", from, asked); });
  if (to.rank < from.rank) return fail("the result has fewer axes than the operand");
  const int added = to.rank - from.rank;
  for (int i = 0; i < to.rank; ++i) {
    if (to.d[i] < -1 || (to.d[i] == -1 && i < added))
      return fail("-1 keeps an extent of the operand, other negative extents mean nothing");
    if (i < added) continue;
    const index_t have = from.d[i - added];
    if (to.d[i] == -1) {
      to.d[i] = have;
    } else if (to.d[i] == 1 ? !builder_->require_equal(have, 1, op, why)
                            : builder_->join(have, to.d[i], op, why) != to.d[i]) {
      return why.fail(*builder_), *this;
    }
  }
  return broadcast_to(to);
}

constexpr symbol symbol::flattened() const {
  return reshaped(detail::shape_of{1, {builder_->count(shape())}});
}

constexpr symbol symbol::without_axes(const detail::attributes& a) const {
  const index_t mask = axes(a, "squeeze");
  const detail::shape_of s = shape();
  detail::shape_of t;
  for (int i = 0; i < s.rank; ++i) {
    detail::complaint why([&] {
      detail::message m;
      put_extent(m.put("weft: squeeze: axis ").put(i).put(" has extent "), s.d[i]);
      return put_open_shape(m.put(", not 1; the operand has shape "), s);
    });
    if (!(mask >> i & 1) || (a.v[2] == 1 && s.d[i] != 1))
      t.d[t.rank++] = s.d[i];
    else if (!builder_->require_equal(s.d[i], 1, detail::id_of<detail::reshape_>, why))
      return why.fail(*builder_), *this;
  }
  return builder_->failed() ? *this : reshaped(t);
}

constexpr symbol symbol::with_axes(const detail::attributes& a) const {
  int added = 0;
  for (index_t word = a.v[0]; word; word >>= 4) ++added;
  const detail::shape_of s = shape();
  detail::shape_of t;
  t.rank = s.rank + added;
  bool fresh[2 * max_rank]{};
  for (index_t word = a.v[0]; word; word >>= 4) {
    const index_t given = (word & 15) - 7;
    const index_t at = given < 0 ? given + t.rank : given;
    if (t.rank > max_rank || at < 0 || at >= t.rank || fresh[at]) {
      detail::message m;
      m.put("weft: unsqueeze: axis ").put(given);
      m.put(t.rank > max_rank        ? " would be one of more than 6"
            : at < 0 || at >= t.rank ? " is out of range"
                                     : " is named twice");
      detail::put_shape(m.put(" for an operand of shape "), s);
      builder_->fail(m);
      return *this;
    }
    fresh[at] = true;
  }
  for (int i = 0, from = 0; i < t.rank; ++i) t.d[i] = fresh[i] ? 1 : s.d[from++];
  return reshaped(t);
}

constexpr symbol symbol::sliced(const detail::attributes& a) const {
  const int at = axis(a.v[0], "slice");
  if (builder_->failed()) return *this;
  if (a.v[3] == 0) {
    builder_->fail(
        detail::message{}.put("weft: slice: the step is 0; it must be positive or negative"));
    return *this;
  }
  const detail::slice_range r =
      detail::resolve_slice(*builder_, extent(at), a.v[1], a.v[2], a.v[3]);
  if (r.start == 0 && a.v[3] == 1 && r.count == extent(at)) return *this;
  return sliced(at, r.start, a.v[3], r.count);
}

}  // namespace weft
