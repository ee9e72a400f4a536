// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <array>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <weft/cuda/condition_setter.hpp>
#include <weft/cuda/driver.hpp>
#include <weft/cuda/memory.hpp>
#include <weft/cuda/module_cache.hpp>
#include <weft/cuda/pinned.hpp>
#include <weft/cuda/product_cache.hpp>
#include <weft/cuda/stream.hpp>

namespace weft::detail::cuda {

/// One device that is open: what it is, and everything that is kept for it.
class gpu {
 public:
  /// Opens the device. Throws device_error if there is none of that number. `includes` are the
  /// headers that kernels may include by name.
  gpu(const driver_api& functions, int ordinal, std::vector<source_include> includes,
      disk_cache& disk)
      : facts(read_card_facts(functions, ordinal)),
        context(retain_context(functions, ordinal)),
        stream(context),
        memory(context, title(), wants_direct_memory()),
        pinned(context),
        modules(context, {facts.major, facts.minor, std::move(includes), {}}, disk),
        products(
            context, []() -> const blas_state& { return blas(); }, card(), disk, memory),
        conditions(context, facts.driver_version) {}
  gpu(const gpu&) = delete;

  /// Set where there is no device, but a description of one: kernels are written and go no further.
  bool only_emits = false;

  const driver_api& api() const { return *context.api; }
  void make_current() const { context.make_current(); }

  /// "cuda(0), NVIDIA H200".
  std::string title() const { return "cuda(" + std::to_string(facts.ordinal) + "), " + facts.name; }

  const card_facts facts;
  const cuda::context context;
  const cuda::stream stream;  // where work goes unless something else is said
  device_memory memory;
  memory_owner* const tensors = memory.owner("tensors");
  pinned_memory pinned;
  module_cache modules;
  product_cache products;
  condition_setter conditions;

 private:
  // What a measured choice depends on.
  std::string card() const {
    return facts.name + " sm_" + std::to_string(facts.major * 10 + facts.minor) + " " +
           std::to_string(facts.multiprocessors);
  }

  // WEFT_CUDA_POOL=off gives each block a driver allocation of its own, for memory checkers.
  static bool wants_direct_memory() {
    const char* value = std::getenv("WEFT_CUDA_POOL");
    return value && std::string_view(value) == "off";
  }
};

/// Device `ordinal`, opened at the first call; later calls only read a pointer. Never closed:
/// static objects may hold its memory when the process ends, and the driver is not called then. The
/// headers of the first call hold.
inline gpu& open_gpu(int ordinal, const std::vector<source_include>& includes) {
  constexpr int most = 64;
  static std::array<std::atomic<gpu*>, most> devices{};
  if (ordinal < 0 || ordinal >= most) read_card_facts(driver(), ordinal);
  std::atomic<gpu*>& slot = devices[std::size_t(ordinal)];
  if (gpu* known = slot.load(std::memory_order_acquire)) return *known;
  static std::mutex* opening = new std::mutex;
  const std::scoped_lock lock(*opening);
  if (gpu* known = slot.load(std::memory_order_acquire)) return *known;
  gpu* made = new gpu(driver(), ordinal, includes, process_cache());
  slot.store(made, std::memory_order_release);
  return *made;
}

}  // namespace weft::detail::cuda
