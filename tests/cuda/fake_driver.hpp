// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>
#include <weft/cuda/driver.hpp>

// A driver without a device: memory is the host's, kernels are only counted, time is what the test
// says. One at a time; its functions find it by `fake_driver::current`.

namespace weft_tests {

namespace cuda = weft::detail::cuda;

class fake_driver {
 public:
  struct launched {
    cuda::function_handle function;
    std::vector<cuda::device_address> pointers;
    cuda::stream_handle stream;
  };
  struct node {
    cuda::function_handle function;
    std::vector<cuda::device_address> pointers;
    cuda::graph_node handle = nullptr;  // of the graph that was captured
  };

  std::size_t memory_bytes = std::size_t(1) << 30;
  std::size_t memory_used = 0;
  int version = 13000;
  std::size_t pointers_of_kernels = 2;  // how many parameters every kernel has
  std::map<std::string, int> calls;
  std::vector<launched> launches;
  std::vector<std::string> loaded_images;
  std::string refused_image;  // module_load refuses this
  std::map<cuda::function_handle, int> allowed_shared;
  double clock_milliseconds = 0;
  bool refuse_graph_update = false;

  fake_driver() { current = this; }
  ~fake_driver() {
    for (const auto& [address, bytes] : blocks_) std::free(reinterpret_cast<void*>(address));
    for (void* each : pinned_) std::free(each);
    current = nullptr;
  }

  /// The n-th call from now on of `name` answers `status`.
  void fail(const std::string& name, int nth, cuda::driver_status status) {
    failures_[name] = {calls[name] + nth, status};
  }

  /// What a stream in capture records for one call.
  void capture_kernel(cuda::function_handle function, std::vector<cuda::device_address> pointers) {
    captured_.push_back({function, std::move(pointers), next_handle<cuda::graph_node>()});
  }
  bool capturing() const { return capturing_; }

  cuda::context context() const {
    return {&api(), reinterpret_cast<cuda::context_handle>(0x100), 0};
  }

  static const cuda::driver_api& api() {
    static const cuda::driver_api table = make();
    return table;
  }

  inline static fake_driver* current = nullptr;

 private:
  using status = cuda::driver_status;

  status enter(const char* name) {
    const std::scoped_lock lock(mutex_);
    const int count = ++calls[name];
    const auto found = failures_.find(name);
    if (found != failures_.end() && found->second.first == count) return found->second.second;
    return status::success;
  }

  template <class Handle>
  Handle next_handle() {
    return reinterpret_cast<Handle>(handle_ += 16);
  }

  static std::vector<cuda::device_address> read_pointers(void** arguments) {
    std::vector<cuda::device_address> result;
    for (std::size_t i = 0; i < current->pointers_of_kernels; ++i) {
      result.push_back(*static_cast<cuda::device_address*>(arguments[i]));
    }
    return result;
  }

#define WEFT_FAKE_ENTER(name) \
  if (const status s = current->enter(name); s != status::success) return s

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
                            cuda::stream_handle) {
      WEFT_FAKE_ENTER("copy_on_device");
      std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), n);
      return status::success;
    };
    api.fill_8 = [](cuda::device_address to, unsigned char value, std::size_t n,
                    cuda::stream_handle) {
      std::memset(reinterpret_cast<void*>(to), value, n);
      return status::success;
    };
    api.fill_32 = [](cuda::device_address to, unsigned value, std::size_t n, cuda::stream_handle) {
      for (std::size_t i = 0; i < n; ++i) reinterpret_cast<unsigned*>(to)[i] = value;
      return status::success;
    };
  }

  static void make_modules(cuda::driver_api& api) {
    api.module_load = [](cuda::module_handle* module, const void* image) {
      WEFT_FAKE_ENTER("module_load");
      const std::scoped_lock lock(current->mutex_);
      const std::string text = static_cast<const char*>(image);
      if (text == current->refused_image) return status::invalid_image;
      current->loaded_images.push_back(text);
      *module = current->next_handle<cuda::module_handle>();
      return status::success;
    };
    api.module_unload = [](cuda::module_handle) { return current->enter("module_unload"); };
    api.module_function = [](cuda::function_handle* function, cuda::module_handle, const char*) {
      WEFT_FAKE_ENTER("module_function");
      const std::scoped_lock lock(current->mutex_);
      *function = current->next_handle<cuda::function_handle>();
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
    api.launch = [](cuda::function_handle function, unsigned, unsigned, unsigned, unsigned,
                    unsigned, unsigned, unsigned, cuda::stream_handle on, void** arguments,
                    void**) {
      WEFT_FAKE_ENTER("launch");
      if (current->capturing_) {
        current->capture_kernel(function, read_pointers(arguments));
      } else {
        current->launches.push_back({function, read_pointers(arguments), on});
      }
      return status::success;
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
    api.stream_capturing = [](cuda::stream_handle, cuda::capture_status* result) {
      *result = current->capturing_ ? cuda::capture_status::active : cuda::capture_status::none;
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

  // An executable graph is its list of nodes; graph_launch launches them in order.
  static void make_graphs(cuda::driver_api& api) {
    api.capture_begin = [](cuda::stream_handle, cuda::capture_mode) {
      WEFT_FAKE_ENTER("capture_begin");
      current->capturing_ = true;
      current->captured_.clear();
      return status::success;
    };
    api.capture_end = [](cuda::stream_handle, cuda::graph_handle* graph) {
      WEFT_FAKE_ENTER("capture_end");
      current->capturing_ = false;
      *graph = current->next_handle<cuda::graph_handle>();
      current->graphs_[*graph] = current->captured_;
      return status::success;
    };
    api.capture_info = [](cuda::stream_handle, cuda::capture_status* state, std::uint64_t*,
                          cuda::graph_handle*, const cuda::graph_node** nodes, std::size_t* count) {
      WEFT_FAKE_ENTER("capture_info");
      *state = cuda::capture_status::active;
      current->last_node_ = current->captured_.empty() ? nullptr : current->captured_.back().handle;
      *nodes = &current->last_node_;
      *count = 1;
      return status::success;
    };
    api.graph_nodes = [](cuda::graph_handle, cuda::graph_node*, std::size_t* count) {
      return *count = current->captured_.size(), status::success;
    };
    api.graph_instantiate = [](cuda::graph_exec_handle* made, cuda::graph_handle graph,
                               unsigned long long) {
      WEFT_FAKE_ENTER("graph_instantiate");
      *made = current->next_handle<cuda::graph_exec_handle>();
      current->executables_[*made] = current->graphs_[graph];
      return status::success;
    };
    api.graph_update = [](cuda::graph_exec_handle executable, cuda::graph_handle graph,
                          cuda::graph_update_result*) {
      WEFT_FAKE_ENTER("graph_update");
      auto& nodes = current->executables_[executable];
      if (current->refuse_graph_update || nodes.size() != current->graphs_[graph].size()) {
        return status::graph_update_failure;
      }
      // Its nodes keep the names of the graph that it was made from.
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        nodes[i].function = current->graphs_[graph][i].function;
        nodes[i].pointers = current->graphs_[graph][i].pointers;
      }
      return status::success;
    };
    api.graph_set_kernel = [](cuda::graph_exec_handle executable, cuda::graph_node which,
                              const cuda::kernel_node_parameters* parameters) {
      WEFT_FAKE_ENTER("graph_set_kernel");
      for (node& each : current->executables_[executable]) {
        // A driver refuses a node of another graph or another kernel.
        if (each.handle != which || each.function != parameters->function) continue;
        each.pointers = read_pointers(parameters->arguments);
        return status::success;
      }
      return status::invalid_value;
    };
    api.graph_launch = [](cuda::graph_exec_handle executable, cuda::stream_handle on) {
      WEFT_FAKE_ENTER("graph_launch");
      for (const node& each : current->executables_[executable]) {
        current->launches.push_back({each.function, each.pointers, on});
      }
      return status::success;
    };
    api.graph_destroy = [](cuda::graph_handle graph) {
      current->graphs_.erase(graph);
      return current->enter("graph_destroy");
    };
    api.graph_exec_destroy = [](cuda::graph_exec_handle executable) {
      current->executables_.erase(executable);
      return current->enter("graph_exec_destroy");
    };
  }

#undef WEFT_FAKE_ENTER

  std::mutex mutex_;
  std::map<std::string, std::pair<int, status>> failures_;
  std::map<cuda::device_address, std::size_t> blocks_;
  std::set<void*> pinned_;
  std::map<cuda::event_handle, double> times_;
  std::uintptr_t handle_ = 0x1000;
  bool capturing_ = false;
  std::vector<node> captured_;
  std::map<cuda::graph_handle, std::vector<node>> graphs_;
  std::map<cuda::graph_exec_handle, std::vector<node>> executables_;
  cuda::graph_node last_node_ = nullptr;
};

}  // namespace weft_tests
