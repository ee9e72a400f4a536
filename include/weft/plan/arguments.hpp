// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/plan/program.hpp>

#include <cstring>

namespace weft::detail {

/// An input of a call: its first element, extents and strides (in elements;
/// used for strided arguments only).
struct argument_value {
  const void* data = nullptr;
  const index_t* shape = nullptr;
  const index_t* stride = nullptr;
};

/// An integer of the host.
inline index_t read_number(const void* from, dtype type) {
  auto get = [&](auto v) {
    if (from) std::memcpy(&v, from, sizeof v);
    return static_cast<index_t>(v);
  };
  switch (type) {
    case dtype::int32:
      return get(std::int32_t{});
    case dtype::uint32:
      return get(std::uint32_t{});
    case dtype::uint8:
    case dtype::boolean:
      return get(std::uint8_t{});
    default:
      return get(std::int64_t{});
  }
}

/// Evaluates a table of extents for the arguments of a call.
template <class A>
inline void evaluate_extents(const extent_expr* table, int count, const argument_value* arguments,
                             index_t* out) {
  auto value = [&](index_t e) { return is_symbol(e) ? out[symbol_number(e)] : e; };
  for (int i = 0; i < count; ++i) {
    const extent_expr& e = table[i];
    switch (e.kind) {
      case extent_kind::argument:
        out[i] = arguments[e.a].shape[e.b];
        break;
      case extent_kind::stride:
        out[i] = arguments[e.a].stride[e.b];
        break;
      case extent_kind::product:
        out[i] = value(e.a) * value(e.b);
        break;
      case extent_kind::sum:
        out[i] = value(e.a) + value(e.b);
        break;
      case extent_kind::quotient:
        out[i] = value(e.b) ? value(e.a) / value(e.b) : 0;
        break;
      case extent_kind::ceiling:
        out[i] = value(e.b) ? (value(e.a) + value(e.b) - 1) / value(e.b) : 0;
        break;
      case extent_kind::broadcast:
        out[i] = value(e.a) == 1 ? value(e.b) : value(e.a);
        break;
      case extent_kind::unless_one:
        out[i] = value(e.a) == 1 ? 0 : value(e.b);
        break;
      case extent_kind::least:
        out[i] = value(e.a) < value(e.b) ? value(e.a) : value(e.b);
        break;
      case extent_kind::excess:
        out[i] = value(e.a) > value(e.b) ? value(e.a) - value(e.b) : 0;
        break;
      case extent_kind::data:
        out[i] = 0;  // not known in this part of the program, which has no use for it
        break;
      case extent_kind::number:
        out[i] = read_number(arguments[e.a].data, static_cast<dtype>(e.b));
        if (out[i] < 0) out[i] = 0;
        break;
    }
  }
}

}  // namespace weft::detail
