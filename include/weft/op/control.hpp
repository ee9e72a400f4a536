// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/primitive.hpp>

// Nodes that run other graphs, and nodes that call C++. A control node has one operand, the last
// link of a chain that holds its operands, and any number of results, each a node of its own. Their
// derivatives are in grad/control.hpp.
namespace weft::detail {

/// An input of a body while it is captured; attribute 0 is unique. In the finished body it is an
/// argument.
struct parameter_ final : structural<parameter_, "parameter", 0, op_kind::leaf> {};
/// Memory that nothing has written: a result that a branch does not have.
struct undefined_ final : structural<undefined_, "undefined", 0, op_kind::leaf> {};

/// One operand of a control node, and the link before it (-1 for the first).
struct link_ final : structural<link_, "operand", 2, op_kind::control> {
  static constexpr non_differentiable vjp{};
};
/// Result v[0] of a control node.
struct result_ final : structural<result_, "result", 1, op_kind::control> {
  static constexpr non_differentiable vjp{};
};
/// Body v[0] where the first operand is true, else body v[1], on the other operands. v[2]: a
/// branch, decided on the host.
struct cond_ final : structural<cond_, "cond", 1, op_kind::control> {
  static constexpr non_differentiable vjp{};
};
/// Body v[0] for each step of v[1], an extent, on (step number, carries, slices, the rest); v[2]
/// carries and v[3] slices among the operands; v[4]: from the last step to the first. The body
/// returns the next carries, then what the results stack.
struct scan_ final : structural<scan_, "scan", 1, op_kind::control> {
  static constexpr non_differentiable vjp{};
};
/// Body v[1] while body v[0] gives true, on (states, the rest); v[2] states.
struct while_ final : structural<while_, "while_loop", 1, op_kind::control> {
  static constexpr non_differentiable vjp{};
};
/// Host function v[0] of the operands; v[1] numbers the call, since it has effects. v[2] results:
/// one of this node's dtype and shape, or none. v[3]: extents of the program follow from it.
struct host_ final : structural<host_, "host_call", 1, op_kind::control> {
  static constexpr non_differentiable vjp{};
};

}  // namespace weft::detail
