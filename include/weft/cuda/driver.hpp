// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>
#include <weft/cuda/driver_api.hpp>
#include <weft/cuda/error.hpp>

namespace weft::detail::cuda {

/// The driver after an attempt to load it.
struct driver_state {
  driver_api api;
  std::string path;
  std::string failure;  // why it cannot be used; empty if it can
};

inline driver_state load_driver(const std::vector<std::string>& names,
                                const std::vector<std::string>& folders) {
  driver_state state;
  const library found = open_library(names, folders);
  if (!found.handle) {
    state.failure =
        missing_library_text("libcuda", "run on a GPU (it comes with the driver)", found.places);
    return state;
  }
  state.path = found.path;
  if (const std::string missing = find_driver_functions(found.handle, state.api);
      !missing.empty()) {
    state.failure =
        "weft: the driver " + found.path + " has no " + missing +
        "; a driver for CUDA 12.0 or newer is needed. Everything on the CPU still works.";
    return state;
  }
  if (const driver_status status = state.api.init(0); status != driver_status::success) {
    state.failure = "weft: the driver " + found.path +
                    " was found but does not start: " + status_text(state.api, status) +
                    ". Everything on the CPU still works.";
  }
  return state;
}

/// A table that takes the driver's place, null for the real one. For tests, before anything runs.
inline std::atomic<const driver_api*>& driver_override() {
  static std::atomic<const driver_api*> table{nullptr};
  return table;
}

/// The real driver, loaded at the first call. Kept to the end of the process on purpose: objects
/// with static lifetime may still free device memory then.
inline const driver_state& real_driver() {
  static const driver_state* state =
      new driver_state(load_driver({"libcuda.so.1"}, toolkit_folders("lib64")));
  return *state;
}

/// Null where there is no usable driver; then `*why` says so.
inline const driver_api* find_driver(std::string* why = nullptr) {
  if (const driver_api* table = driver_override().load(std::memory_order_acquire)) return table;
  const driver_state& state = real_driver();
  if (state.failure.empty()) return &state.api;
  if (why) *why = state.failure;
  return nullptr;
}

/// The driver's functions. Throws device_error where there is none.
inline const driver_api& driver() {
  std::string why;
  if (const driver_api* api = find_driver(&why)) return *api;
  throw device_error(why);
}

/// How many GPUs there are; 0 where there is no driver. Never throws.
inline int device_count() {
  const driver_api* api = find_driver();
  int count = 0;
  if (!api || api->device_count(&count) != driver_status::success) return 0;
  return count;
}

/// The names of a toolkit's library, in the order to try them. A driver of CUDA 12 cannot run what
/// the libraries of CUDA 13 make.
inline std::vector<std::string> toolkit_library_names(const std::string& stem) {
  const driver_api* api = find_driver();
  int version = 0;
  if (api && api->driver_version(&version) == driver_status::success && version < 13000) {
    return {stem + ".so.12", stem + ".so", stem + ".so.13"};
  }
  return {stem + ".so.13", stem + ".so.12", stem + ".so"};
}

/// What one card is.
struct card_facts {
  std::string name;
  int ordinal = 0;
  int major = 0, minor = 0;
  int multiprocessors = 0;
  int threads_per_multiprocessor = 0;
  int registers_per_multiprocessor = 0;
  std::size_t shared_per_block = 0;  // the most a kernel may opt in to
  std::size_t shared_per_multiprocessor = 0;
  std::size_t l2_bytes = 0;
  std::size_t memory_bytes = 0;
  int driver_version = 0;  // 13000 is CUDA 13.0
};

/// Throws device_error if there is no device `ordinal`.
inline card_facts read_card_facts(const driver_api& api, int ordinal) {
  int count = 0;
  check(api, api.device_count(&count), "count the devices");
  if (ordinal < 0 || ordinal >= count) {
    throw device_error("weft: there is no cuda(" + std::to_string(ordinal) +
                       "): the driver finds " + std::to_string(count) +
                       (count == 1 ? " device" : " devices"));
  }
  device_id id = 0;
  check(api, api.device_get(&id, ordinal), "find a device");
  card_facts facts;
  facts.ordinal = ordinal;
  char name[256] = {};
  check(api, api.device_name(name, sizeof(name), id), "read a device's name");
  facts.name = name;
  check(api, api.device_memory_size(&facts.memory_bytes, id), "read a device's memory size");
  const auto attribute = [&](device_attribute which) {
    int value = 0;
    check(api, api.device_get_attribute(&value, which, id), "read a device's attribute");
    return value;
  };
  facts.major = attribute(device_attribute::major);
  facts.minor = attribute(device_attribute::minor);
  facts.multiprocessors = attribute(device_attribute::multiprocessors);
  facts.threads_per_multiprocessor = attribute(device_attribute::threads_per_multiprocessor);
  facts.registers_per_multiprocessor = attribute(device_attribute::registers_per_multiprocessor);
  facts.shared_per_block = std::size_t(attribute(device_attribute::shared_per_block_optin));
  facts.shared_per_multiprocessor =
      std::size_t(attribute(device_attribute::shared_per_multiprocessor));
  facts.l2_bytes = std::size_t(attribute(device_attribute::l2_bytes));
  check(api, api.driver_version(&facts.driver_version), "read the driver's version");
  return facts;
}

/// A device's primary context, which other CUDA libraries in the process share. Never released.
struct context {
  const driver_api* api = nullptr;
  context_handle handle = nullptr;
  int ordinal = 0;

  /// Makes this context the calling thread's. Asks first, since another library may have changed
  /// it.
  void make_current() const {
    context_handle now = nullptr;
    if (api->context_get(&now) == driver_status::success && now == handle) return;
    check(*api, api->context_set(handle), "make a device current");
  }
};

/// Throws device_error if there is no device `ordinal` or its context cannot be had.
inline context retain_context(const driver_api& api, int ordinal) {
  context result{&api, nullptr, ordinal};
  device_id id = 0;
  check(api, api.device_get(&id, ordinal), "find a device");
  check(api, api.context_retain(&result.handle, id), "open a device");
  return result;
}

}  // namespace weft::detail::cuda
