// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/primitive.hpp>
#include <weft/op/scalar.hpp>

namespace weft {

inline constexpr struct sign_ final : primitive<sign_, "sign", 1> {
  static constexpr auto doc =
      "-1, 0 or 1 by the sign of x, elementwise; sign(-0) is -0, NaN stays NaN.";
  static constexpr auto types = detail::typing::numeric;
  static constexpr detail::non_differentiable vjp{};
  static auto cpu(auto x) {
    using lanes = decltype(x);
    const lanes zero(0), one(1);
    if constexpr (std::is_unsigned_v<typename lanes::value_type>) return select(x > zero, one, x);
    else return select(x > zero, one, select(x < zero, lanes(-1), x));
  }
  static constexpr auto cuda = "sign($0)";
  static auto reference(auto x) { return detail::sign_value(x); }
} sign;

}  // namespace weft
