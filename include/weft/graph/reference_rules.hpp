// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/base/error.hpp>
#include <weft/base/philox.hpp>
#include <weft/graph/reference_pointwise.hpp>

#include <bit>
#include <string>

// How the reference evaluates a node of each op: what is not pointwise has a rule here, or in
// graph/reference_combine.hpp.
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

[[noreturn]] inline void reference_fault(const reference_node& e, const reference_value& r,
                                         const std::string& what) {
  std::string text = "weft: reference: " + std::string(info(e.n.op).name) + ": " + what +
                     ": result " + described(r);
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
  for (std::size_t k = 0; k < narrow.size(); ++k)
    i = i * narrow[k] + (narrow[k] == 1 ? 0 : c[k + added]);
  return i;
}

inline void copy_element(reference_value& r, index_t to, const reference_value& x, index_t from) {
  const auto i = static_cast<std::size_t>(to), j = static_cast<std::size_t>(from);
  if (is_floating(r.type))
    r.reals.at(i) = x.reals.at(j);
  else
    r.bits.at(i) = x.bits.at(j);
}
/// Elements of r that come from elements of x: `from(coordinates)` is the place, or -1 where r
/// stays 0.
template <class From>
void move_elements(reference_value& r, const reference_value& x, From&& from) {
  for (index_t i = 0; i < r.size(); ++i) {
    const index_t j = from(coordinates(r.shape, i));
    if (j >= 0) copy_element(r, i, x, j);
  }
}

/// Pointwise ops need no more than their `reference`.
template <class Op>
struct reference_rule {
  static_assert(
      Op::kind == op_kind::pointwise,
      "weft: a primitive that is not pointwise needs a rule in graph/reference_rules.hpp");
  static void evaluate(const reference_node& e, reference_value& r) {
    for (int k = 0; k < Op::arity; ++k)
      if (e.x[k]->shape != r.shape) reference_fault(e, r, "operands need the shape of the result");
    if (!evaluate_pointwise<Op>(r, e.x, e.how))
      reference_fault(e, r, "has no reference for this dtype");
  }
};

template <>
struct reference_rule<argument_> {
  static void evaluate(const reference_node& e, reference_value& r) {
    const auto k = static_cast<std::size_t>(e.n.at.v[0]);
    if (k >= e.arguments.size())
      reference_fault(e, r, "argument " + std::to_string(k) + " is missing");
    const reference_value& a = e.arguments[k];
    if (a.type != r.type)
      throw dtype_error("weft: reference: argument " + std::to_string(k) + ": expected " +
                        described(r) + ": got " + described(a));
    if (a.shape != r.shape)
      reference_fault(e, r, "argument " + std::to_string(k) + " is " + described(a));
    r = a;
  }
};
template <>
struct reference_rule<constant_> {
  static void evaluate(const reference_node& e, reference_value& r) {
    const auto bits = static_cast<std::uint64_t>(e.n.at.v[0]);
    if (is_floating(r.type))
      r.reals.assign(r.reals.size(), std::bit_cast<double>(bits));
    else
      r.bits.assign(r.bits.size(), wrapped(r.type, bits));
  }
};
/// Numbers of a dtype that are not stored: those of 16 bits are floats.
inline reference_value number_beside(const reference_value& n, dtype type) {
  reference_value r = converted(n, computed_in(type));
  r.type = type;
  return r;
}
template <>
struct reference_rule<extent_> {
  static void evaluate(const reference_node& e, reference_value& r) {
    reference_value n(dtype::int64, r.shape);
    n.bits.assign(n.bits.size(), static_cast<std::uint64_t>(e.number(e.n.at.v[0])));
    r = number_beside(n, r.type);
  }
};
template <>
struct reference_rule<iota_> {
  static void evaluate(const reference_node& e, reference_value& r) {
    reference_value n(dtype::uint64, r.shape);
    for (index_t i = 0; i < n.size(); ++i) {
      const index_t axis = e.n.at.v[0];
      const index_t v = axis < 0 ? i : coordinates(n.shape, i).at(static_cast<std::size_t>(axis));
      n.bits[static_cast<std::size_t>(i)] = static_cast<std::uint64_t>(v);
    }
    r = number_beside(n, r.type);
  }
};

struct identity_rule {
  static void evaluate(const reference_node& e, reference_value& r) {
    if (e.x[0]->shape != r.shape || e.x[0]->type != r.type) reference_fault(e, r, "is an identity");
    r = *e.x[0];
  }
};
template <>
struct reference_rule<fresh_> : identity_rule {};
template <>
struct reference_rule<barrier_> : identity_rule {};
template <>
struct reference_rule<custom_> : identity_rule {};

template <>
struct reference_rule<cast_> {
  static void evaluate(const reference_node& e, reference_value& r) {
    if (e.x[0]->shape != r.shape) reference_fault(e, r, "operands need the shape of the result");
    r = converted(*e.x[0], r.type);
  }
};

template <>
struct reference_rule<random_word_> {
  static void evaluate(const reference_node& e, reference_value& r) {
    for (int k = 0; k < 3; ++k)
      if (e.x[k]->shape != r.shape) reference_fault(e, r, "operands need the shape of the result");
    for (std::size_t i = 0; i < r.bits.size(); ++i) {
      const std::uint64_t index = e.x[2]->bits[i], block = (index & ~child_word) / 4;
      const philox_block counter{static_cast<std::uint32_t>(block),
                                 static_cast<std::uint32_t>(block >> 32), 0u,
                                 index & child_word ? philox_use_split : philox_use_values};
      const philox_key key{static_cast<std::uint32_t>(e.x[0]->bits[i]),
                           static_cast<std::uint32_t>(e.x[1]->bits[i])};
      r.bits[i] = philox(counter, key)[index % 4];
    }
  }
};

template <>
struct reference_rule<broadcast_> {
  static void evaluate(const reference_node& e, reference_value& r) {
    const reference_value& x = *e.x[0];
    if (x.rank() > r.rank()) reference_fault(e, r, "the operand has more axes");
    for (std::size_t k = 0; k < x.shape.size(); ++k)
      if (x.shape[k] != 1 && x.shape[k] != r.shape[k + r.shape.size() - x.shape.size()])
        reference_fault(e, r, "shapes do not broadcast");
    move_elements(r, x, [&](const auto& c) { return narrow_place(x.shape, c); });
  }
};
template <>
struct reference_rule<permute_> {
  static void evaluate(const reference_node& e, reference_value& r) {
    const reference_value& x = *e.x[0];
    move_elements(r, x, [&](const auto& c) {
      std::vector<index_t> d(c.size());
      for (std::size_t k = 0; k < c.size(); ++k) d.at(static_cast<std::size_t>(e.n.at.v[k])) = c[k];
      return place_of(x.shape, d);
    });
  }
};
template <>
struct reference_rule<reshape_> {
  static void evaluate(const reference_node& e, reference_value& r) {
    if (e.x[0]->size() != r.size()) reference_fault(e, r, "the number of elements differs");
    r.reals = e.x[0]->reals;
    r.bits = e.x[0]->bits;
  }
};
template <>
struct reference_rule<slice_> {
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
template <>
struct reference_rule<pad_> {
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

}  // namespace weft::detail
