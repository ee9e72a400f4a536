// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/plan/program.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

// What the emitter is told and what it makes. Nothing here knows of a driver.
namespace weft::detail::cuda {

/// What the emitter may count on.
struct card {
  int major = 9, minor = 0, multiprocessors = 132;
  std::size_t shared_per_block = 227 * 1024, l2_bytes = std::size_t{50} << 20;
};

/// Choices of a schedule; 0 leaves one to the emitter. Every choice gives right results.
struct tuning {
  int threads = 0;  ///< of a block; of a row's team where a kernel works row by row
  int items = 0;    ///< vectors of a thread
  int vector = 0;   ///< elements of a vector
  int rows = 0;     ///< rows of a block
  int splits = 0;   ///< blocks that share a row, or a column
  /// Bit a: the address of the step's access a, its offset added, may not be a multiple of 16
  /// bytes; of a product's epilogue, bit 0 is the product's result and bit a the epilogue's access
  /// a. Other addresses are taken to be multiples of 16 less their offsets.
  std::uint64_t unaligned = 0;
  /// How vectors of memory larger than the L2 cache that a kernel touches once use it. Bit 0: loads
  /// of kernels that store nothing as large pass it by (elsewhere that costs 5%). Bit 1: stores do.
  /// Bit 2: loads of kernels that store as much are what it holds on to, and what is stored leaves
  /// it first.
  int streams = 5;
  bool wide = false;  ///< 64-bit positions, also where 32 bits would do
  /// The kernels of a loop nest return at once where the fault word is set: for steps that write
  /// what the caller keeps.
  bool stops_at_fault = false;
};

struct emitted_kernel {
  std::string name;    ///< of the extern "C" __global__ function
  std::string source;  ///< the translation unit
  std::array<unsigned, 3> grid{1, 1, 1}, block{1, 1, 1};
  unsigned shared_bytes = 0;     ///< dynamic
  std::vector<index_t> numbers;  ///< values of its parameters that are numbers
};

/// What `int* fault` points to: zero before the program is queued. A kernel that meets an index out
/// of range as the first one sets `state`, last of all to `told`; others see at once that it is not
/// 0.
struct fault_record {
  static constexpr int told = 2;
  int state = 0, unused = 0;
  index_t index = 0, axis = 0, extent = 0;  ///< axis -1: labels
  /// The error's sentence, as the CPU says it.
  std::string text() const {
    if (axis < 0)
      return "weft: label " + std::to_string(index) + " is out of range for " +
             std::to_string(extent) + " classes: labels are 0 to classes - 1";
    return "weft: take: index " + std::to_string(index) + " is out of range for axis " +
           std::to_string(axis) + " of extent " + std::to_string(extent);
  }
};

/// The kernels of one step, launched in order on one stream; none where there is nothing to do.
/// Their parameters, in order: a pointer for each access that is memory (base and offset added; of
/// a product's epilogue the product's row-major result, then the epilogue's own accesses), then the
/// numbers, then `void* workspace`, then `int* fault`.
struct emitted_step {
  std::vector<emitted_kernel> kernels;
  std::size_t workspace = 0;  ///< bytes of scratch that the kernels share
  std::size_t counters = 0;   ///< the first bytes of it: zero before the first launch, left at zero
};

}  // namespace weft::detail::cuda
