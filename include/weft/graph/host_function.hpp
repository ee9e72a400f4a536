// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/array/dtype.hpp>
#include <weft/array/extents.hpp>

namespace weft::detail {

/// A dense row-major value in memory of the host.
struct host_value {
  dtype type{};
  int rank = 0;
  const index_t* shape = nullptr;
  void* data = nullptr;
};

/// C++ code that a program calls on the values of some nodes.
struct host_function {
  /// Reads the operands and writes the results, whose shapes are known. May throw.
  void (*run)(const host_value* operands, const host_value* results) = nullptr;
  /// The extents of its one result where they follow from the operands' elements; null where they
  /// are known.
  void (*shape)(const host_value* operands, index_t* extents) = nullptr;
  const char* kind = "";  ///< what the user called: "graph_break", "item"
  const char* why = "";
  const char* file = "";  ///< the user's line
  unsigned line = 0;
  int backward = -1;      ///< the host function of its gradient, on (cotangent, operands...)
  bool several = false;   ///< the gradient is that of the first of several operands
  bool identity = false;  ///< returns its operand: its gradient is the cotangent
};

}  // namespace weft::detail
