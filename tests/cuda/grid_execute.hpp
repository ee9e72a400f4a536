// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cuda/emitted.hpp>
#include <weft/graph/reference.hpp>
#include <weft/plan/program.hpp>

#include <memory>
#include <vector>

#include "grid.hpp"
#include "grid_memory.hpp"
#include "on_gpu.hpp"
#include "support/values.hpp"

// Whole plans on the host grid: every step emitted, products by a plain loop, compared with the
// reference evaluator.
namespace weft_test {

namespace cuda = weft::detail::cuda;
using weft::dtype;
using weft::index_t;
using weft::detail::graph;
using weft::detail::reference_value;

/// A graph with arguments, planned and emitted; its kernels wait in a batch.
class grid_run {
 public:
  /// With arguments `like` others, all extents that are not known are parameters of kernels, whose
  /// schedules are made for those others.
  grid_run(grid_batch& batch, const graph& g, std::vector<reference_value> arguments,
           const cuda::tuning& u = {}, const cuda::card& card = {},
           const std::vector<reference_value>& like = {});
  const weft::detail::plan& plan() const { return plan_; }
  const std::vector<cuda::emitted_step>& steps() const { return steps_; }
  /// Of all kernels.
  std::string source() const;
  cuda::fault_record fault;

  /// Runs the plan; every buffer has guard zones.
  std::vector<reference_value> outputs();

  std::vector<reference_value> expected(
      weft::detail::reference_arithmetic how = weft::detail::reference_arithmetic::wide) const;

 private:
  index_t value(index_t e) const;

  std::vector<reference_value> outputs_of_gpu();

  void multiply(const weft::detail::step& s, const std::vector<std::byte*>& base, std::byte* to);
  index_t stride(const weft::detail::step& s, int a, int d) const;

  grid_batch& batch_;
  graph captured_, graph_;
  std::vector<reference_value> arguments_;
  weft::detail::plan plan_;
  std::vector<index_t> extents_;
  std::vector<cuda::emitted_step> steps_;
  std::vector<std::vector<int>> numbers_;
};

}  // namespace weft_test
