// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/capture/shapes.hpp>

// Positions, class labels, places of extreme elements, and random words.
namespace weft {

template <class Op>
constexpr symbol symbol::extremum_place(const detail::attributes& a) const {
  if (a.v[2] == 1) {  // no axis named: of the flattened operand
    const symbol flat = reshaped(detail::shape_of{1, {builder_->count(shape())}});
    symbol r = flat.extremum_place<Op>({{detail::pack_axes<0>(), 1, 0}});
    detail::shape_of ones;
    ones.rank = a.v[1] ? rank() : 0;
    for (int i = 0; i < ones.rank; ++i) ones.d[i] = 1;
    return r.reshaped(ones);
  }
  const index_t mask = axes(a, Op::name);
  if (builder_->failed()) return *this;
  if (mask == 0 || (mask & (mask - 1))) {
    builder_->fail(
        detail::message{}.put("weft: ").put(Op::name).put(": name one axis, or none to flatten"));
    return *this;
  }
  require_not_empty(mask, Op::name);
  int at = 0;
  while (!(mask >> at & 1)) ++at;
  detail::shape_of s = shape();
  s.d[at] = 1;
  return detail::make_node<Op>(*builder_, dtype::int64, s, {{at}}, *this).squeezed(a, mask);
}

constexpr symbol symbol::positions(int axis) const {
  return detail::make_node<detail::iota_>(*builder_, dtype::uint64, shape(), {{axis}});
}

constexpr symbol symbol::as_classes(index_t classes, std::string_view op) const {
  if (!is_integer(type())) {
    fail_because(op, "labels must have an integer dtype");
    return *this;
  }
  // Looking each label up among the positions checks it: a negative one is a huge unsigned number.
  const detail::shape_of all{1, {classes}};
  const symbol places = detail::make_node<detail::iota_>(*builder_, dtype::uint64, all, {{0}});
  return detail::make_node<detail::gather_>(*builder_, dtype::uint64, shape(), {{0, 1}}, places,
                                            as(dtype::uint64));
}

constexpr void symbol::fail_because(std::string_view op, std::string_view what) const {
  detail::message m;
  m.put("weft: ").put(op).put(": ").put(what).put(": got ").put(name(type())).put(" ");
  detail::put_shape(m, shape());
  builder_->fail(m);
}

constexpr bool symbol::require_rows_of(symbol x, std::string_view op) const {
  const detail::shape_of s = shape(), t = x.shape();
  detail::complaint why([&] {
    detail::message m;
    m.put("weft: ").put(op);
    m.put(": labels need the shape of the operand without its last axis: got ");
    put_open_shape(m.put(name(type())).put(" "), s);
    return put_open_shape(m.put(" for ").put(name(x.type())).put(" "), t);
  });
  bool same = s.rank + 1 == t.rank;
  for (int i = 0; same && i < s.rank; ++i)
    same = builder_->require_equal(s.d[i], t.d[i], detail::id_of<detail::gather_>, why);
  if (!same) why.fail(*builder_);
  return same;
}

constexpr symbol symbol::key_word(int i, std::string_view op) const {
  const detail::shape_of s = shape();
  detail::complaint why([&] {
    detail::message m;
    m.put("weft: ").put(op).put(": a key is uint32 of shape (2), as random::key makes it: got ");
    return put_open_shape(m.put(name(type())).put(" "), s);
  });
  if (type() != dtype::uint32 || s.rank != 1 ||
      !builder_->require_equal(s.d[0], 2, detail::id_of<detail::slice_>, why)) {
    why.fail(*builder_);
    return detail::make_constant(*builder_, dtype::uint32, 0);
  }
  return sliced(0, i, 1, 1).reshaped(detail::shape_of{});
}

constexpr symbol symbol::known_key(std::uint32_t low, std::uint32_t high) const {
  const detail::shape_of one{1, {1}}, two{1, {2}};
  auto word = [&](std::uint32_t v) {
    return detail::make_constant(*builder_, dtype::uint32, v).broadcast_to(one);
  };
  return detail::make_node<detail::concat_>(*builder_, dtype::uint32, two, {{0}}, word(low),
                                            word(high));
}

constexpr symbol symbol::random_word(symbol high, symbol index) const {
  const detail::shape_of s = index.shape();
  return detail::make_node<detail::random_word_>(*builder_, dtype::uint32, s, {}, broadcast_to(s),
                                                 high.broadcast_to(s), index);
}

}  // namespace weft
