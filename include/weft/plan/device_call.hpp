// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/array/device.hpp>
#include <weft/plan/arguments.hpp>

#include <atomic>
#include <string>

// What programs hand to a back end that works at run time. Its code is in weft/cuda.hpp, which one
// source file of a user's program includes; the others know only these few pointers.
namespace weft {

/// How a compiled function runs. On the CPU all of them run the code that the C++ compiler made.
enum class mode : std::uint8_t {
  standard,
  reduce_overhead,  ///< the whole program as one CUDA graph, replayed
  max_autotune,     ///< schedules and products chosen by measurement on the device
  forward_only      ///< nothing is kept for a backward pass
};

/// Which extents that types leave open are literals of a GPU's kernels, and which are parameters of
/// them. On the CPU all of them are parameters, at no cost.
enum class dynamic_shapes : std::uint8_t {
  automatic,  ///< literals at first; extents that change are parameters from the next call on
  off,        ///< literals: kernels of its own for every set of extents
  on          ///< parameters from the first call on
};

/// What a call does for which kernels have to be made that the program has not had, though it has
/// run on the device before.
enum class on_recompile : std::uint8_t {
  allow,
  warn,  ///< tells on stderr what changed
  fail   ///< throws shape_error that says what changed
};

struct compile_options {
  /// Where arguments must be; without it a program runs where they are.
  weft::device device{};
  weft::mode mode = mode::standard;
  bool tf32 = false;  ///< float32 products may round their operands to 10 bits of mantissa
  weft::dynamic_shapes dynamic = dynamic_shapes::automatic;
  weft::on_recompile on_recompile = on_recompile::allow;
  /// After so many recompiles all extents are parameters, where `dynamic` is automatic.
  int recompile_limit = 8;
};

namespace detail {

struct host_function;
struct program_note;

/// A program as a back end knows it: its optimised graph in words, and what the back end keeps.
struct device_program {
  const index_t* graph = nullptr;
  std::atomic<void*> state{nullptr};
  const program_note* note = nullptr;    ///< for logs and traces
  const host_function* hosts = nullptr;  ///< what its host steps call
};

/// One call. Arguments are addresses on the device, or numbers of the host.
struct device_call {
  device where{};
  device_program* program = nullptr;
  compile_options options{};
  const argument_value* arguments = nullptr;
  const int* number_bytes = nullptr;  ///< by argument: 0 for device memory
  void* const* results = nullptr;     ///< device memory, row-major
  bool prepare = false;               ///< arguments and results are shapes, without memory
};

struct device_back_end {
  void (*run)(const device_call&);
  /// What the program's kernels are for these arguments, as text: a report, or their source.
  std::string (*describe)(const device_call&, bool source);
};

/// Installed by weft/cuda.hpp.
inline std::atomic<const device_back_end*> cuda_back_end{nullptr};

inline const device_back_end& back_end_of(device d) {
  const device_back_end* b = cuda_back_end.load(std::memory_order_acquire);
  if (!b) throw_no_back_end(d);
  return *b;
}

}  // namespace detail
}  // namespace weft
