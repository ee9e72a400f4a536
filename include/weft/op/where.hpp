// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/primitive.hpp>

namespace weft {

inline constexpr struct where_ final : primitive<where_, "where", 3> {
  static constexpr auto doc =
      "y where the bool x is true, z elsewhere. The branch that is not selected receives a "
      "gradient of exactly 0.";
  static constexpr auto types = detail::typing::select;
  static constexpr auto vjp(auto g, auto x, auto, auto, auto) {
    return std::tuple{detail::no_gradient{}, where_{}(x, g, 0), where_{}(x, 0, g)};
  }
  static auto cpu(auto x, auto y, auto z) { return select(x, y, z); }
  static constexpr auto cuda = "$0 ? $1 : $2";
  static auto reference(auto x, auto y, auto z) { return x ? y : z; }
} where;

}  // namespace weft
