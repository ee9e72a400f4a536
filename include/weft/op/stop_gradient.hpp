// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/primitive.hpp>

namespace weft {

inline constexpr struct stop_gradient_ final : derived<stop_gradient_, "stop_gradient", 1> {
  static constexpr auto doc = "x as a constant to derivatives: no gradient and no tangent passes.";
  static constexpr detail::non_differentiable vjp{};
  static constexpr auto body(auto x) { return x; }
} stop_gradient;

}  // namespace weft
