// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/capture/pointwise.hpp>

namespace weft::detail {

/// What a type says about a value: dtype, rank, and the extents that are known. Structural.
struct value_spec {
  dtype type = dtype::float32;
  int rank = 0;
  index_t extent[max_rank]{};
  bool strided = false;  ///< strides are known at the call; otherwise row-major
  constexpr bool operator==(const value_spec&) const = default;
};

/// Argument k of a program, with a symbol for each extent that its spec leaves open.
constexpr symbol make_argument(builder& b, const value_spec& s, int k) {
  shape_of shape;
  shape.rank = s.rank;
  for (int i = 0; i < s.rank; ++i)
    shape.d[i] = s.extent[i] != dyn ? s.extent[i] : b.extent(extent_kind::argument, k, i);
  if (k >= b.g.arguments) b.g.arguments = k + 1;
  return make_node<argument_>(b, s.type, shape, {{k, s.strided ? 1 : 0}});
}

/// What a captured value's type will be: its extents where they are numbers.
constexpr value_spec spec_of(const builder& b, const symbol& s) {
  value_spec r;
  r.type = s.type();
  const shape_of shape = b.find(s.shape());
  r.rank = shape.rank;
  for (int i = 0; i < shape.rank; ++i) r.extent[i] = is_symbol(shape.d[i]) ? dyn : shape.d[i];
  return r;
}

/// Appends "float32 (2, ?)".
constexpr void put_spec(message& m, const value_spec& s) {
  shape_of shape;
  shape.rank = s.rank;
  for (int i = 0; i < s.rank; ++i) shape.d[i] = s.extent[i] == dyn ? symbol_extent(0) : s.extent[i];
  put_shape(m.put(name(s.type)).put(" "), shape);
}

}  // namespace weft::detail
