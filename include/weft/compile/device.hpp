// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/array/device.hpp>
#include <weft/array/storage.hpp>
#include <weft/base/error.hpp>
#include <weft/plan/arguments.hpp>

#include <atomic>
#include <cstring>
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

struct compile_options {
  /// Where arguments must be; without it a program runs where they are.
  weft::device device{};
  weft::mode mode = mode::standard;
  bool tf32 = false;  ///< float32 products may round their operands to 10 bits of mantissa
};

namespace detail {

/// A program as a back end knows it: its optimised graph in words, and what the back end keeps.
struct device_program {
  const index_t* graph = nullptr;
  std::atomic<void*> state{nullptr};
};

/// One call. Arguments are addresses on the device, or numbers of the host.
struct device_call {
  device where{};
  device_program* program = nullptr;
  compile_options options{};
  const argument_value* arguments = nullptr;
  const int* number_bytes = nullptr;  ///< by argument: 0 for device memory
  void* const* results = nullptr;     ///< device memory, row-major
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

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_elsewhere(std::size_t argument, device is,
                                                                   device wanted) {
  throw device_error("weft: argument " + std::to_string(argument + 1) + " is on " + to_text(is) +
                     ", but the program runs on " + to_text(wanted) + ": bring it with to(" +
                     to_text(wanted) + ")");
}

/// Where a call's arguments are: tensors with elements, numbers not counted.
class call_place {
 public:
  void add(std::size_t argument, const storage_ptr& s) {
    if (!s) return;
    const device d = s.where();
    if (!(d == where_)) add_other(argument, d);
    seen_ = true;
  }
  /// Where a program is told to run; throws device_error if its arguments are elsewhere.
  void require(device d) {
    if (d == where_) return;
    if (seen_) throw_elsewhere(0, where_, d);
    where_ = d;
  }
  device where() const { return where_; }
  bool on_host() const { return where_ == cpu; }

 private:
  [[gnu::cold, gnu::noinline]] void add_other(std::size_t argument, device d) {
    if (seen_) throw_elsewhere(argument, d, where_);
    where_ = d;
  }
  device where_{};
  bool seen_ = false;
};

/// Copies row-major elements over others on one device.
inline void overwrite(device where, void* to, const void* from, std::size_t bytes,
                      bool contiguous = true) {
  if (!contiguous)
    throw device_error("weft: assignment to a strided view on " + to_text(where) +
                       ": only views without gaps can be written there");
  if (bytes == 0) return;
  if (where == cpu)
    std::memcpy(to, from, bytes);
  else
    memory_of(where).on_device(where.index, to, from, bytes);
}

}  // namespace detail
}  // namespace weft
