// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/mean.hpp>
#include <weft/op/primitive.hpp>
#include <weft/op/square.hpp>
#include <weft/op/subtract.hpp>

namespace weft {

inline constexpr struct mse_ final : derived<mse_, "mse", 2> {
  static constexpr auto doc = "The mean over all elements of (x - y)^2; rank 0.";
  static constexpr auto body(auto x, auto y) {
    x.require_floating(name);
    return mean(square(x - y));
  }
} mse;

}  // namespace weft
