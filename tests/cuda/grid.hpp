// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cuda/emitted.hpp>

#include <cstddef>
#include <string>
#include <vector>

// Emitted kernels, compiled by the host compiler and run by a grid of fibers.
namespace weft_test {

/// Many kernels in one shared library: sources are added, then compiled at once.
class grid_batch {
 public:
  grid_batch() = default;
  grid_batch(const grid_batch&) = delete;
  grid_batch& operator=(const grid_batch&) = delete;
  ~grid_batch();

  /// The number of a kernel in the batch; equal sources are one.
  int add(const weft::detail::cuda::emitted_kernel& k);

  /// How many kernels there are.
  std::size_t size() const { return sources_.size(); }

  void compile();

  /// Whether blocks and threads run from the last one to the first.
  void run_backwards(bool on);

  /// Runs kernel `number` with values of its parameters; false if threads wait for ever.
  bool run_values(int number, void** values, const unsigned* grid, unsigned threads) const;

  /// Runs kernel `number` with its parameters; numbers are passed as pointers are.
  void run(int number, const weft::detail::cuda::emitted_kernel& k, std::vector<void*> arguments);

 private:
  std::vector<std::string> sources_, names_;
  void* library_ = nullptr;
};

}  // namespace weft_test
