// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/bitwise_xor.hpp>
#include <weft/op/not_equal.hpp>
#include <weft/op/primitive.hpp>
#include <weft/op/truth.hpp>

namespace weft {

inline constexpr struct logical_xor_ final : derived<logical_xor_, "logical_xor", 2> {
  static constexpr auto doc =
      "Logical exclusive or, elementwise; numbers count as true where they are not 0. bool.";
  static constexpr detail::non_differentiable vjp{};
  static constexpr auto body(auto x, auto y) { return detail::truth(x) ^ detail::truth(y); }
} logical_xor;

}  // namespace weft
