// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/multiply.hpp>
#include <weft/op/primitive.hpp>
#include <weft/op/scalar.hpp>
#include <weft/op/subtract.hpp>

namespace weft {

inline constexpr struct sigmoid_ final : primitive<sigmoid_, "sigmoid", 1> {
  static constexpr auto doc = "1 / (1 + exp(-x)), elementwise.";
  static constexpr auto vjp(auto g, auto, auto r) { return g * (r * (1 - r)); }
  static auto cpu(auto x) { return sigmoid(x); }
  static constexpr auto cuda = "sigmoid($0)";
  static auto reference(auto x) { return detail::sigmoid_value(x); }
} sigmoid;

}  // namespace weft
