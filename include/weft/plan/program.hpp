// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/plan/kernel.hpp>

// The contract with the back ends: kernels, the steps that run them, and the buffers they run on.
namespace weft::detail {

enum class buffer_kind : std::uint8_t {
  argument,  ///< the caller's input `index`
  output,    ///< the caller's result `index`
  arena,     ///< planned memory
  extent     ///< one number of dtype `type`: the extent `count`
};

struct buffer {
  buffer_kind kind{};
  int index = 0;
  dtype type{};
  index_t count = 0;  ///< elements, as an extent
  int slot = -1;      ///< of the arena
  constexpr bool operator==(const buffer&) const = default;
};

/// Where a step reads or writes: base and strides in elements, all extents of the graph's table.
struct access {
  int buffer = -1;  ///< -1: positions, not memory
  index_t offset = 0;
  index_t stride[max_loops]{};  ///< for each loop of the step
};

enum class step_kind : std::uint8_t {
  kernel,
  product,
  gather,
  scatter_add,
  arg_max,
  arg_min,
  sum_to,
  control  ///< runs bodies or calls the host
};
inline constexpr int step_kind_count = 8;

/// One launch. Loops are rows (outermost first), then segments (the outer reduced axes), then the
/// innermost loop.
struct step {
  step_kind kind{};
  int kernel = -1;             ///< into the plan's kernels; for a product its epilogue, or -1
  int rows = 0, segments = 0;  ///< loops; the innermost one comes after them
  index_t extent[max_loops]{};
  int first_access = 0,
      access_count = 0;  ///< loads, then stores; for other kinds see plan/make_plan.hpp
  dtype type{};
  // Of gather, scatter_add, argmax, argmin and sum_to; their extents are described in
  // plan/make_plan.hpp.
  int axis = 0;  ///< of a control step: into the plan's controls
  int rank = 0;  ///< of the operand; of scatter_add the result
  int index_rank = 0;
  dtype index_type{};
  bool labels = false;  ///< the indices are class labels: the message says so
  int node = -1;        ///< a node of the graph this stands for
  location where{};

  constexpr int loops() const { return rows + segments + 1; }
};

/// What a control step does. Its accesses are the operands, then the results; all lie in one piece,
/// and stride 0 of an access is its count of elements (of scan's slices and stacks: in one step);
/// of a host call's the strides are its extents.
struct control {
  op_id op = 0;                 ///< cond_, scan_, while_ or host_
  int body[2]{-1, -1};          ///< then and else; a scan's; a while_loop's condition and body
  index_t steps = 0;            ///< of a scan, an extent
  int carries = 0, slices = 0;  ///< of a scan; of a while_loop the states are the carries
  bool reverse = false;         ///< from the last step to the first
  bool on_host = false;         ///< a cond that the host decides: a branch
  int host = -1;                ///< the host function
  index_t ranks = 0;            ///< of its operands and result, 4 bits each
  int operands = 0, results = 0;
};

struct plan {
  sequence<kernel> kernels;
  sequence<step> steps;
  sequence<access> accesses;
  sequence<buffer> buffers;
  sequence<index_t> slots;  ///< bytes of each slot, as an extent
  sequence<extent_expr> extents;
  sequence<control> controls;
  sequence<plan> bodies;      ///< of control steps; they read extents of the program's arguments
  sequence<int> first_write;  ///< by output: the first step that writes it
  sequence<int> last_read;    ///< by argument: the last step that reads it, -1 for none
  sequence<int>
      matching;           ///< output * 65536 + argument: that step reads just the element it writes
  int last_failure = -1;  ///< the last step that calls C++ code, which may throw
  message error{};

  /// Whether an output may share memory with an argument: no step reads the argument after the
  /// output's first write, and the writing step reads it at most at the very element that it
  /// writes.
  constexpr bool in_place(int output, int argument) const {
    const int write = first_write.data()[output], read = last_read.data()[argument];
    if (read != write) return read < write;
    for (int m : matching)
      if (m == output * 65536 + argument) return true;
    return false;
  }
};

/// A plan as its executor sees it.
struct plan_view {
  const kernel* kernels = nullptr;
  const step* steps = nullptr;
  const access* accesses = nullptr;
  const buffer* buffers = nullptr;
  const index_t* slots = nullptr;
  const extent_expr* extents = nullptr;
  const control* controls = nullptr;
  const plan* bodies = nullptr;
  int kernel_count = 0, step_count = 0, slot_count = 0, extent_count = 0, output_count = 0,
      buffer_count = 0;
};

inline plan_view view_of(const plan& p) {
  auto n = [](const auto& v) { return static_cast<int>(v.size()); };
  return {p.kernels.data(), p.steps.data(),    p.accesses.data(), p.buffers.data(), p.slots.data(),
          p.extents.data(), p.controls.data(), p.bodies.data(),   n(p.kernels),     n(p.steps),
          n(p.slots),       n(p.extents),      n(p.first_write),  n(p.buffers)};
}

}  // namespace weft::detail
