// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/primitive.hpp>

// Nodes that only rename elements; a plan reads through them.
namespace weft::detail {

/// The operand's extents of 1 (or missing ones, in front) repeated to the node's shape.
struct broadcast_ final : structural<broadcast_, "broadcast", 1, op_kind::view> {
  static constexpr auto vjp(auto g, auto x, auto) { return g.sum_to(x); }
};
/// The gradient of a broadcast whose axes are known at the call only: summed to the second
/// operand's extents.
struct sum_to_ final : structural<sum_to_, "sum_to", 2, op_kind::other> {
  static constexpr auto vjp(auto g, auto x, auto, auto) {
    return std::tuple{g.broadcast_to(x), no_gradient{}};
  }
};
/// Axes permuted: result axis i is operand axis v[i].
struct permute_ final : structural<permute_, "permute", 1, op_kind::view> {
  static constexpr auto vjp(auto g, auto, auto r) { return g.permuted_back(r); }
};
/// The same elements in row-major order under the node's shape.
struct reshape_ final : structural<reshape_, "reshape", 1, op_kind::view> {
  static constexpr auto vjp(auto g, auto x, auto) { return g.reshaped_like(x); }
};
/// Elements start, start + step, ... of one axis: v = {axis, start, step}; the node's shape has the
/// count.
struct slice_ final : structural<slice_, "slice", 1, op_kind::view> {
  static constexpr auto vjp(auto g, auto x, auto r) { return g.padded_like(x, r); }
};
/// Zeros, with the operand at start, start + step, ... of one axis: v = {axis, start, step}. The
/// gradient of slice.
struct pad_ final : structural<pad_, "pad", 1, op_kind::other> {
  static constexpr auto vjp(auto g, auto x, auto r) { return g.sliced_like(x, r); }
};

}  // namespace weft::detail
