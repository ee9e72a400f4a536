// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/capture/symbol.hpp>

// The shape rules: what symbols' vocabulary appends, with extents inferred and errors recorded.
namespace weft {

constexpr symbol symbol::as(dtype to) const {
  return type() == to ? *this : rounded_as(to);
}
constexpr symbol symbol::rounded_as(dtype to) const {
  if (type() == to && detail::computed_in(to) == to) return *this;
  return detail::make_node<detail::cast_>(*builder_, to, shape(), {{static_cast<index_t>(to)}},
                                          *this);
}

constexpr dtype symbol::sum_type() const {
  if (is_floating(type())) return type();
  return is_signed(type()) || type() == dtype::boolean ? dtype::int64 : dtype::uint64;
}

constexpr symbol symbol::number(double v) const {
  return detail::make_number(*builder_, type(), v);
}

constexpr symbol symbol::broadcast_to(const detail::shape_of& s) const {
  if (node().shape == s) return *this;
  const detail::shape_of from = shape(), to = builder_->find(s);
  if (from == to) return *this;
  return detail::make_node<detail::broadcast_>(*builder_, type(), to, {}, *this);
}

constexpr symbol symbol::broadcast_to(symbol like) const {
  return broadcast_to(like.shape());
}
constexpr symbol symbol::reshaped_like(symbol like) const {
  return reshaped(like.shape());
}
constexpr symbol symbol::gathered(symbol indices, index_t along) const {
  return taken(indices, along);
}

constexpr symbol symbol::sum_to(symbol like) const {
  if (node().shape == like.node().shape) return *this;
  const detail::shape_of from = shape(), to = like.shape();
  if (from == to) return *this;
  const int added = from.rank - to.rank;
  index_t mask = 0;
  bool unknown = false;
  for (int i = 0; i < from.rank; ++i) {
    const index_t e = i < added ? 1 : to.d[i - added];
    if (e == from.d[i]) continue;
    if (e == 1 || i < added)
      mask |= index_t{1} << i;
    else
      unknown = true;
  }
  if (unknown) return detail::make_node<detail::sum_to_>(*builder_, type(), to, {}, *this, like);
  return reduce<detail::reduce_sum_>(mask).reshaped(to);
}

constexpr symbol symbol::reshaped(const detail::shape_of& s) const {
  if (node().shape == s) return *this;
  const detail::shape_of to = builder_->find(s);
  if (shape() == to) return *this;
  return detail::make_node<detail::reshape_>(*builder_, type(), to, {}, *this);
}

constexpr symbol symbol::permuted(const int* axes) const {
  detail::attributes a;
  detail::shape_of s;
  s.rank = rank();
  bool same = true;
  for (int i = 0; i < s.rank; ++i) {
    a.v[i] = axes[i];
    s.d[i] = extent(axes[i]);
    same = same && axes[i] == i;
  }
  if (same) return *this;
  return detail::make_node<detail::permute_>(*builder_, type(), s, a, *this);
}

constexpr symbol symbol::permuted_back(symbol permutation) const {
  int inverse[max_rank]{};
  for (int i = 0; i < rank(); ++i) inverse[permutation.node().at.v[i]] = i;
  return permuted(inverse);
}

constexpr symbol symbol::swapped() const {
  int axes[max_rank]{0, 1, 2, 3, 4, 5};
  if (rank() < 2) return *this;
  std::swap(axes[rank() - 1], axes[rank() - 2]);
  return permuted(axes);
}

constexpr int symbol::axis(index_t a, std::string_view op) const {
  if (a >= -rank() && a < rank()) return static_cast<int>(a < 0 ? a + rank() : a);
  detail::message m;
  m.put("weft: ").put(op).put(": axis ").put(a).put(" is out of range for an operand of shape ");
  detail::put_shape(m, shape());
  builder_->fail(m.put(", whose rank is ").put(rank()));
  return 0;
}

constexpr index_t symbol::axes(const detail::attributes& a, std::string_view op) const {
  if (a.v[2] == 1) return (index_t{1} << rank()) - 1;
  index_t mask = 0;
  for (index_t word = a.v[0]; word; word >>= 4) {
    const index_t bit = index_t{1} << axis((word & 15) - 7, op);
    if ((mask & bit) && !builder_->failed()) {
      detail::message m;
      m.put("weft: ")
          .put(op)
          .put(": axis ")
          .put((word & 15) - 7)
          .put(" is named twice; the operand has shape ");
      detail::put_shape(m, shape());
      builder_->fail(m);
    }
    mask |= bit;
  }
  return mask;
}

template <class Op>
constexpr symbol symbol::reduce(index_t mask) const {
  detail::shape_of s = shape();
  for (int i = 0; i < s.rank; ++i)
    if (mask >> i & 1) s.d[i] = 1;
  if (mask == 0) return *this;
  return detail::make_node<Op>(*builder_, type(), s, {{mask}}, *this);
}

constexpr symbol symbol::reduced_like(symbol reduction) const {
  return reduce<detail::reduce_sum_>(reduction.node().at.v[0]);
}

constexpr symbol symbol::squeezed(const detail::attributes& a, index_t mask) const {
  if (a.v[1]) return *this;
  const detail::shape_of s = shape();
  detail::shape_of t;
  for (int i = 0; i < s.rank; ++i)
    if (!(mask >> i & 1)) t.d[t.rank++] = s.d[i];
  return reshaped(t);
}

constexpr symbol symbol::count(index_t mask) const {
  index_t n = 1;
  for (int i = rank(); i-- > 0;)
    if (mask >> i & 1) n = builder_->multiply(n, extent(i));
  if (!detail::is_symbol(n)) return number(static_cast<double>(n));
  return detail::make_node<detail::extent_>(*builder_, type(), {}, {{n}});
}

constexpr void symbol::require_floating(std::string_view op) const {
  if (is_floating(type())) return;
  detail::message m;
  m.put("weft: ")
      .put(op)
      .put(": needs a floating dtype: convert with cast<float>: got ")
      .put(name(type()));
  detail::put_shape(m.put(" "), shape());
  builder_->fail(m);
}

constexpr void symbol::require_not_empty(index_t mask, std::string_view op) const {
  // An empty result needs no element; only a reduction of nothing to something is an error.
  const detail::shape_of s = shape();
  index_t reduced = 1;
  for (int i = s.rank; i-- > 0;) {
    if (mask >> i & 1)
      reduced = builder_->multiply(reduced, s.d[i]);
    else if (s.d[i] == 0)
      return;
  }
  detail::complaint why([&] {
    detail::message m;
    return put_open_shape(m.put("weft: ").put(op).put(": of no elements: an operand of shape "), s);
  });
  if (reduced == 0) {
    why.fail(*builder_);
  } else if (detail::is_symbol(reduced)) {
    index_t kept = 1;
    for (int i = s.rank; i-- > 0;)
      if (!(mask >> i & 1)) kept = builder_->multiply(kept, s.d[i]);
    builder_->require(detail::guard_kind::not_empty, reduced, kept,
                      detail::id_of<detail::reduce_max_>, why);
  }
}

constexpr symbol symbol::transposed(const detail::attributes& a) const {
  int order[max_rank]{};
  if (a.v[1]) {
    for (int i = 0; i < rank(); ++i) order[i] = rank() - 1 - i;
    return permuted(order);
  }
  if (a.v[2] != rank()) {
    detail::message m;
    m.put("weft: transpose: ").put(a.v[2]).put(" axes named for an operand of shape ");
    detail::put_shape(m, shape());
    builder_->fail(m);
    return *this;
  }
  (void)axes({{a.v[0], 0, 0}}, "transpose");
  index_t word = a.v[0];
  for (int i = 0; i < rank(); ++i, word >>= 4) order[i] = axis((word & 15) - 7, "transpose");
  return builder_->failed() ? *this : permuted(order);
}

constexpr symbol symbol::sliced(int axis, index_t start, index_t step, index_t extent) const {
  detail::shape_of s = shape();
  s.d[axis] = extent;
  return detail::make_node<detail::slice_>(*builder_, type(), s, {{axis, start, step}}, *this);
}
constexpr symbol symbol::padded_like(symbol like, symbol slice) const {
  return detail::make_node<detail::pad_>(*builder_, type(), like.shape(), slice.node().at, *this);
}
constexpr symbol symbol::sliced_like(symbol like, symbol pad) const {
  return detail::make_node<detail::slice_>(*builder_, type(), like.shape(), pad.node().at, *this);
}

constexpr symbol symbol::product(symbol y) const {
  const detail::shape_of a = shape(), b = y.shape();
  detail::shape_of s = a;
  s.d[s.rank - 1] = b.d[b.rank - 1];
  return detail::make_node<detail::product_>(*builder_, type(), s, {}, *this, y);
}

/// "weft: op: what: float32 (2, 3) and float32 (4, 5)".
constexpr detail::message symbol::misfit(std::string_view op, std::string_view what,
                                         symbol y) const {
  detail::message m;
  m.put("weft: ").put(op).put(": ").put(what).put(": ").put(name(type()));
  put_open_shape(m.put(" "), shape());
  m.put(" and ").put(name(y.type()));
  return put_open_shape(m.put(" "), y.shape());
}

constexpr symbol symbol::matmul(symbol y) const {
  auto fail = [&](std::string_view what) {
    builder_->fail(misfit("matmul", what, y));
    return *this;
  };
  if (type() != y.type())
    return fail("operands of different dtypes do not mix: convert one with cast<T>");
  if (type() == dtype::boolean) return fail("is not defined for bool: convert with cast<T>");
  if (rank() == 0 || y.rank() == 0)
    return fail("operands need rank 1 or more: multiply by a scalar with *");
  detail::shape_of a = shape(), b = y.shape();
  const bool row = a.rank == 1, column = b.rank == 1;
  if (row) a = {2, {1, a.d[0]}};
  if (column) b = {2, {b.d[0], 1}};
  constexpr detail::op_id op = detail::id_of<detail::product_>;
  detail::complaint differ([&] { return misfit("matmul", "inner extents differ", y); });
  if (!builder_->require_equal(a.d[a.rank - 1], b.d[b.rank - 2], op, differ))
    return differ.fail(*builder_), *this;
  detail::shape_of lead_a = a, lead_b = b, lead;
  lead_a.rank -= 2, lead_b.rank -= 2;
  detail::complaint apart([&] { return misfit("matmul", "leading extents do not broadcast", y); });
  if (!builder_->join(lead_a, lead_b, lead, op, apart)) return apart.fail(*builder_), *this;
  auto widened = [&](const detail::shape_of& m) {
    detail::shape_of s = lead;
    s.rank = lead.rank + 2;
    s.d[s.rank - 2] = m.d[m.rank - 2];
    s.d[s.rank - 1] = m.d[m.rank - 1];
    return s;
  };
  symbol r = reshaped(a).broadcast_to(widened(a)).product(y.reshaped(b).broadcast_to(widened(b)));
  detail::shape_of s = r.shape();
  if (column) --s.rank;                                   // (..., m, 1) to (..., m)
  if (row && !column) s.d[s.rank - 2] = s.d[s.rank - 1];  // (..., 1, n) to (..., n)
  if (row) --s.rank;
  return r.reshaped(s);
}

constexpr symbol symbol::joined(symbol y, index_t along) const {
  auto fail = [&](std::string_view what) {
    builder_->fail(misfit("concat", what, y));
    return *this;
  };
  const int at = axis(along, "concat");
  if (builder_->failed()) return *this;
  if (type() != y.type())
    return fail("operands of different dtypes do not mix: convert one with cast<T>");
  if (rank() != y.rank()) return fail("operands need the same rank");
  detail::shape_of s = shape();
  detail::complaint why([&] { return misfit("concat", "extents differ beside the axis", y); });
  for (int i = 0; i < s.rank; ++i)
    if (i == at)
      s.d[i] = builder_->sum(s.d[i], y.extent(i));
    else if (!builder_->require_equal(s.d[i], y.extent(i), detail::id_of<detail::concat_>, why))
      return why.fail(*builder_), *this;
  return detail::make_node<detail::concat_>(*builder_, type(), builder_->find(s), {{at}}, *this, y);
}

constexpr symbol symbol::taken(symbol indices, index_t along) const {
  const int at = axis(along, "take");
  detail::message m;
  if (!is_integer(indices.type()) || indices.type() == dtype::uint8)
    m.put("weft: take: indices must be int32, int64, uint32 or uint64: got ")
        .put(name(indices.type()));
  else if (rank() - 1 + indices.rank() > max_rank)
    m.put("weft: take: the result would have more than 6 axes");
  else if (rank() == 0)
    m.put("weft: take: the operand needs rank 1 or more");
  if (!m.empty()) builder_->fail(m);
  if (builder_->failed()) return *this;
  const detail::shape_of from = shape(), by = indices.shape();
  detail::shape_of s;
  for (int i = 0; i < at; ++i) s.d[s.rank++] = from.d[i];
  for (int i = 0; i < by.rank; ++i) s.d[s.rank++] = by.d[i];
  for (int i = at + 1; i < from.rank; ++i) s.d[s.rank++] = from.d[i];
  return detail::make_node<detail::gather_>(*builder_, type(), s, {{at}}, *this, indices);
}

constexpr symbol symbol::scattered(symbol x, symbol indices, index_t along) const {
  return detail::make_node<detail::scatter_add_>(*builder_, type(), x.shape(), {{along}}, *this,
                                                 indices);
}

}  // namespace weft
