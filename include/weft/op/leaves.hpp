// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/primitive.hpp>

// Nodes without operands, and the identities that mark a place in a graph.
namespace weft::detail {

/// An input of the program; attribute 0 is its number.
struct argument_ final : structural<argument_, "argument", 0, op_kind::leaf> {};
/// A value known at capture; attribute 0 holds its bits (a double, an int64 or a uint64 by the
/// node's dtype).
struct constant_ final : structural<constant_, "constant", 0, op_kind::leaf> {};
/// An extent as a number of the node's dtype; attribute 0 is the extent.
struct extent_ final : structural<extent_, "extent", 0, op_kind::leaf> {};
/// uint64 positions: along the axis of attribute 0, or of the row-major order where it is -1.
struct iota_ final : structural<iota_, "iota", 0, op_kind::leaf> {};

/// A new node for an old value: what a transform differentiates with respect to. Attribute 0 is
/// unique.
struct fresh_ final : structural<fresh_, "fresh", 1, op_kind::identity> {};
/// A value with its own gradient rule; attribute 0 numbers the rule in the builder.
struct custom_ final : structural<custom_, "custom", 1, op_kind::identity> {};

/// The same value, for a part of a graph that is computed again: what follows from it is not merged
/// with what follows from its operand. Attribute 0 numbers the checkpointed call.
struct barrier_ final : structural<barrier_, "barrier", 1, op_kind::view> {
  static constexpr auto vjp(auto g, auto, auto) { return g; }
};

}  // namespace weft::detail
