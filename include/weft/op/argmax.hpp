// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/primitive.hpp>
#include <weft/op/reduce.hpp>

namespace weft {

inline constexpr struct argmax_ final : detail::reducing<argmax_, "argmax"> {
  static constexpr auto doc =
      "int64 places of the greatest elements along an axis, or of the flattened operand where "
      "none is named: the lowest of a tie, the first NaN if there is one.";
  static constexpr auto body(const detail::attributes& a, auto x) {
    return x.template extremum_place<detail::arg_max_>(a);
  }
} argmax;

}  // namespace weft
