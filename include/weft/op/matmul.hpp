// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/primitive.hpp>

namespace weft {

namespace detail {
/// (..., m, k) by (..., k, n), both of rank 2 or more and with the same leading extents.
struct product_ final : structural<product_, "matmul", 2, op_kind::matmul> {
  static constexpr auto vjp(auto g, auto x, auto y, auto) {
    return std::tuple{g.product(y.swapped()), x.swapped().product(g)};
  }
};
}  // namespace detail

inline constexpr struct matmul_ final : derived<matmul_, "matmul", 2> {
  static constexpr auto doc =
      "The matrix product of (..., m, k) and (..., k, n), leading axes broadcast; rank-1 operands "
      "count as a row or a column, as in NumPy.";
  static constexpr auto body(auto x, auto y) { return x.matmul(y); }
} matmul;

}  // namespace weft
