// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cuda/prelude_text.hpp>
#include <weft/cuda/program_state.hpp>
#include <weft/cuda/strided_copy.hpp>
#include <weft/plan/device_call.hpp>

#include <algorithm>

// Programs by their graphs, planned at run time, and the memory of tensors.
namespace weft::detail::cuda {

/// The device, its kernels told where the prelude is.
inline gpu& device_of(int index) {
  static const std::vector<source_include>* includes =
      new std::vector<source_include>{{prelude_name, prelude_text}};
  return open_gpu(index, *includes);
}

/// Every program that has run on a device; none is ever taken away, like the devices themselves.
struct program_list {
  std::mutex mutex;
  std::vector<program_state*> all;
};
inline program_list& programs() {
  static auto* list = new program_list;
  return *list;
}

inline program_state& state_of(device_program& p) {
  if (void* known = p.state.load(std::memory_order_acquire))
    return *static_cast<program_state*>(known);
  program_list& list = programs();
  const std::scoped_lock lock(list.mutex);
  if (void* known = p.state.load(std::memory_order_acquire))
    return *static_cast<program_state*>(known);
  auto made = std::make_unique<program_state>(p.graph, p.note);
  list.all.push_back(made.get());
  p.state.store(made.get(), std::memory_order_release);
  return *made.release();
}

/// Waits for the device's work; throws what its programs have met.
inline void wait_and_check(const gpu& on, during task) {
  on.stream.synchronize(task);
  program_list& list = programs();
  const std::scoped_lock lock(list.mutex);
  for (program_state* p : list.all) p->check_faults(on);
}

inline void run_as_it_is(const device_call& c) {
  gpu& on = device_of(c.where.index);
  const traced span("call", "%s", tracing_on() ? program_name(c.program->note).text : "");
  state_of(*c.program).find(on, c)->run(c.arguments, c.number_bytes, c.results);
}

inline void run(const device_call& c) {
  if (const auto watch = watch_of_device_calls.load(std::memory_order_acquire))
    return watch(c, &run_as_it_is);
  run_as_it_is(c);
}

inline std::string describe(const device_call& c, bool source) {
  gpu& on = device_of(c.where.index);
  program_state& state = state_of(*c.program);
  const std::shared_ptr<executable> e = state.find(on, c);
  if (!source) return report_of(*e, on, state.cost()) + state.shapes_text(on, c.options.dynamic);
  std::string all;
  for (const std::string& s : e->sources()) all += s + '\n';
  return all;
}

// Memory of tensors

inline storage_ptr allocate(int index, std::size_t bytes, const what_for& what) {
  gpu& on = device_of(index);
  memory_block* block = nullptr;
  try {
    block = on.memory.allocate(bytes, on.stream.get(), on.tensors);
  } catch (const memory_error&) {
    line_text tensor;
    what.put(tensor, what);
    block = on.memory.allocate(bytes, on.stream.get(), on.tensors, during(tensor.text));
  }
  return storage_ptr::of_device(
      weft::cuda(index), reinterpret_cast<void*>(block->address), bytes, block,
      [](storage& s) noexcept {
        device_of(s.where.index).memory.free(static_cast<memory_block*>(s.block));
      });
}
inline device_address address_of(const void* p) {
  return reinterpret_cast<std::uintptr_t>(p);
}
inline void to_device(int index, void* to, const void* from, std::size_t bytes) {
  gpu& on = device_of(index);
  on.make_current();
  copy_to_device(on.api(), address_of(to), from, bytes, on.stream.get());
}
/// Waits for the device, and so is where faults of its programs are told.
inline void to_host(int index, void* to, const void* from, std::size_t bytes) {
  gpu& on = device_of(index);
  on.make_current();
  copy_to_host(on.api(), to, address_of(from), bytes, on.stream.get());
  wait_and_check(on, "wait for a copy to the host");
}
inline void on_device(int index, void* to, const void* from, std::size_t bytes) {
  gpu& on = device_of(index);
  on.make_current();
  copy_on_device(on.api(), address_of(to), address_of(from), bytes, on.stream.get());
}

inline void into_view(int index, void* to, const index_t* strides, const void* from,
                      const what_for& what) {
  gpu& on = device_of(index);
  on.make_current();
  copy_strided(on, address_of(to), strides, address_of(from), static_cast<dtype>(what.type),
               what.shape, what.rank);
}

/// Installs the back end where a source file includes this header.
inline const bool installed = [] {
  static constexpr device_memory_functions memory{&allocate, &to_device, &to_host, &on_device,
                                                  &into_view};
  static constexpr device_back_end programs{&run, &describe};
  cuda_memory.store(&memory, std::memory_order_release);
  cuda_back_end.store(&programs, std::memory_order_release);
  return true;
}();

}  // namespace weft::detail::cuda

namespace weft {

/// Waits for all work of a device; throws what its programs have met.
inline void synchronize(device where) {
  if (where == cpu) return;
  detail::cuda::gpu& on = detail::cuda::device_of(where.index);
  on.make_current();
  detail::cuda::wait_and_check(on, "wait for the device");
}

/// Bytes of a GPU's memory that tensors and programs use, hold for later, and had at most.
struct memory_statistics {
  std::size_t in_use = 0;    ///< by tensors and running programs
  std::size_t peak = 0;      ///< the most that was in use
  std::size_t reserved = 0;  ///< taken from the driver; what is not in use serves later requests
};
inline memory_statistics statistics(device where) {
  if (where == cpu) throw device_error("weft: statistics are kept for GPUs: name one, as cuda(0)");
  const detail::cuda::memory_statistics s =
      detail::cuda::device_of(where.index).memory.statistics();
  return {s.in_use, s.peak, s.reserved};
}
/// Gives memory that nothing uses back to the driver.
inline void release_memory(device where) {
  if (!(where == cpu)) detail::cuda::device_of(where.index).memory.trim();
}

}  // namespace weft
