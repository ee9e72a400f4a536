// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "fake_graphs.hpp"

// A driver without a device: memory is the host's, kernels are only counted (unless a test runs
// them), time is what the test says. One at a time; its functions find it by
// `fake_driver::current`.

namespace weft_tests {

class fake_driver : public fake_graphs {
 public:
  std::size_t memory_bytes = std::size_t(1) << 30;
  std::size_t memory_used = 0;
  int version = 13000;
  std::vector<std::string> loaded_images;
  std::string refused_image;  // module_load refuses this
  std::map<cuda::function_handle, int> allowed_shared;
  double clock_milliseconds = 0;

  fake_driver() { current = this; }
  ~fake_driver() {
    for (const auto& [address, bytes] : blocks_) std::free(reinterpret_cast<void*>(address));
    for (void* each : pinned_) std::free(each);
    current = nullptr;
  }

  cuda::context context() const {
    return {&api(), reinterpret_cast<cuda::context_handle>(0x100), 0};
  }

  static const cuda::driver_api& api() {
    static const cuda::driver_api table = make();
    return table;
  }

  inline static fake_driver* current = nullptr;

 private:
  static cuda::driver_api make() {
    cuda::driver_api api;
    api.init = [](unsigned) { return current->enter("init"); };
    api.driver_version = [](int* v) { return *v = current->version, status::success; };
    api.error_name = [](status code, const char** name) {
      *name = code == status::out_of_memory     ? "CUDA_ERROR_OUT_OF_MEMORY"
              : code == status::illegal_address ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                                                : "CUDA_ERROR_OTHER";
      return status::success;
    };
    api.error_text = [](status, const char** text) {
      return *text = "a fake error", status::success;
    };
    api.device_count = [](int* n) { return *n = 1, current->enter("device_count"); };
    api.device_get = [](cuda::device_id* id, int ordinal) {
      return *id = ordinal, status::success;
    };
    api.device_name = [](char* name, int size, cuda::device_id) {
      std::strncpy(name, "Fake 9000", std::size_t(size));
      return status::success;
    };
    api.device_memory_size = [](std::size_t* bytes, cuda::device_id) {
      return *bytes = current->memory_bytes, status::success;
    };
    api.device_get_attribute = [](int* value, cuda::device_attribute which, cuda::device_id) {
      *value = which == cuda::device_attribute::major             ? 9
               : which == cuda::device_attribute::minor           ? 0
               : which == cuda::device_attribute::multiprocessors ? 132
                                                                  : 1 << 16;
      return status::success;
    };
    api.context_retain = [](cuda::context_handle* c, cuda::device_id) {
      *c = reinterpret_cast<cuda::context_handle>(0x100);
      return current->enter("context_retain");
    };
    api.context_set = [](cuda::context_handle) { return current->enter("context_set"); };
    api.context_get = [](cuda::context_handle* c) { return *c = nullptr, status::success; };
    api.context_synchronize = [] { return current->enter("context_synchronize"); };
    make_memory(api);
    make_modules(api);
    make_streams(api);
    make_graphs(api);
    return api;
  }

  static void make_memory(cuda::driver_api& api) {
    api.memory_info = [](std::size_t* free_bytes, std::size_t* total) {
      *total = current->memory_bytes;
      *free_bytes = *total - current->memory_used;
      return status::success;
    };
    api.memory_allocate = [](cuda::device_address* address, std::size_t bytes) {
      WEFT_FAKE_ENTER("memory_allocate");
      if (bytes > current->memory_bytes - current->memory_used) return status::out_of_memory;
      *address = reinterpret_cast<cuda::device_address>(std::aligned_alloc(512, bytes));
      current->blocks_[*address] = bytes;
      current->memory_used += bytes;
      return status::success;
    };
    api.memory_free = [](cuda::device_address address) {
      WEFT_FAKE_ENTER("memory_free");
      const auto found = current->blocks_.find(address);
      if (found == current->blocks_.end()) return status::invalid_value;
      current->memory_used -= found->second;
      std::free(reinterpret_cast<void*>(address));
      current->blocks_.erase(found);
      return status::success;
    };
    api.host_allocate = [](void** address, std::size_t bytes, unsigned) {
      WEFT_FAKE_ENTER("host_allocate");
      *address = std::malloc(bytes);
      current->pinned_.insert(*address);
      return status::success;
    };
    api.host_free = [](void* address) {
      std::free(address);
      current->pinned_.erase(address);
      return status::success;
    };
    api.copy_to_device = [](cuda::device_address to, const void* from, std::size_t n,
                            cuda::stream_handle) {
      WEFT_FAKE_ENTER("copy_to_device");
      std::memcpy(reinterpret_cast<void*>(to), from, n);
      return status::success;
    };
    api.copy_to_host = [](void* to, cuda::device_address from, std::size_t n, cuda::stream_handle) {
      WEFT_FAKE_ENTER("copy_to_host");
      std::memcpy(to, reinterpret_cast<const void*>(from), n);
      return status::success;
    };
    api.copy_on_device = [](cuda::device_address to, cuda::device_address from, std::size_t n,
                            cuda::stream_handle on) {
      WEFT_FAKE_ENTER("copy_on_device");
      return current->now_or_captured(on, [=] {
        std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), n);
      });
    };
    api.fill_8 = [](cuda::device_address to, unsigned char value, std::size_t n,
                    cuda::stream_handle on) {
      return current->now_or_captured(on,
                                      [=] { std::memset(reinterpret_cast<void*>(to), value, n); });
    };
    api.fill_32 = [](cuda::device_address to, unsigned value, std::size_t n,
                     cuda::stream_handle on) {
      return current->now_or_captured(on, [=] {
        for (std::size_t i = 0; i < n; ++i) reinterpret_cast<unsigned*>(to)[i] = value;
      });
    };
  }

  static void make_modules(cuda::driver_api& api) {
    api.module_load = [](cuda::module_handle* module, const void* image) {
      WEFT_FAKE_ENTER("module_load");
      const std::scoped_lock lock(current->mutex_);
      const std::string text = static_cast<const char*>(image);
      if (text == current->refused_image) return status::invalid_image;
      current->loaded_images.push_back(text);
      *module = text == cuda::condition_setter_text ? reinterpret_cast<cuda::module_handle>(setter)
                                                    : current->next_handle<cuda::module_handle>();
      return status::success;
    };
    api.module_unload = [](cuda::module_handle) { return current->enter("module_unload"); };
    api.module_function = [](cuda::function_handle* function, cuda::module_handle module,
                             const char*) {
      WEFT_FAKE_ENTER("module_function");
      const std::scoped_lock lock(current->mutex_);
      *function = module == reinterpret_cast<cuda::module_handle>(setter)
                      ? setter
                      : current->next_handle<cuda::function_handle>();
      return status::success;
    };
    api.function_get_attribute = [](int* value, cuda::function_attribute, cuda::function_handle) {
      return *value = 32, status::success;
    };
    api.function_set_attribute = [](cuda::function_handle function, cuda::function_attribute,
                                    int value) {
      WEFT_FAKE_ENTER("function_set_attribute");
      current->allowed_shared[function] = value;
      return status::success;
    };
    api.launch = [](cuda::function_handle function, unsigned x, unsigned y, unsigned z,
                    unsigned threads, unsigned rows, unsigned layers, unsigned shared,
                    cuda::stream_handle on, void** arguments, void**) {
      WEFT_FAKE_ENTER("launch");
      const cuda::kernel_launch how{function, {x, y, z}, {threads, rows, layers}, shared};
      std::vector<cuda::device_address> pointers = read_pointers(function, arguments);
      if (nodes* captured = current->captured_by(on)) {
        captured->push_back(
            {function, std::move(pointers), current->next_handle<cuda::graph_node>(), how});
        return status::success;
      }
      return current->run(function, how, pointers, on);
    };
  }

  static void make_streams(cuda::driver_api& api) {
    api.stream_create = [](cuda::stream_handle* on, unsigned) {
      *on = current->next_handle<cuda::stream_handle>();
      return current->enter("stream_create");
    };
    api.stream_destroy = [](cuda::stream_handle) { return current->enter("stream_destroy"); };
    api.stream_synchronize = [](cuda::stream_handle) {
      return current->enter("stream_synchronize");
    };
    api.stream_wait = [](cuda::stream_handle, cuda::event_handle, unsigned) {
      return current->enter("stream_wait");
    };
    api.stream_capturing = [](cuda::stream_handle on, cuda::capture_status* result) {
      *result =
          current->captured_by(on) ? cuda::capture_status::active : cuda::capture_status::none;
      return status::success;
    };
    api.event_create = [](cuda::event_handle* made, unsigned) {
      *made = current->next_handle<cuda::event_handle>();
      return current->enter("event_create");
    };
    api.event_destroy = [](cuda::event_handle) { return current->enter("event_destroy"); };
    api.event_record = [](cuda::event_handle which, cuda::stream_handle) {
      current->times_[which] = current->clock_milliseconds;
      return current->enter("event_record");
    };
    api.event_synchronize = [](cuda::event_handle) { return current->enter("event_synchronize"); };
    api.event_query = [](cuda::event_handle) { return current->enter("event_query"); };
    api.event_elapsed = [](float* result, cuda::event_handle start, cuda::event_handle end) {
      *result = float(current->times_[end] - current->times_[start]);
      return status::success;
    };
  }

  std::map<cuda::device_address, std::size_t> blocks_;
  std::set<void*> pinned_;
  std::map<cuda::event_handle, double> times_;
};

#undef WEFT_FAKE_ENTER

}  // namespace weft_tests
