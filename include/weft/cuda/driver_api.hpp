// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <weft/cuda/library.hpp>

// The part of the CUDA driver's interface that Weft calls, declared here so that nothing depends on
// which headers are installed. tests/cuda/declarations.cpp compares values and layouts with cuda.h.

namespace weft::detail::cuda {

enum class driver_status : int {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  stub_library = 34,
  no_device = 100,
  invalid_image = 200,
  invalid_context = 201,
  no_binary_for_gpu = 209,
  unsupported_ptx_version = 222,
  not_found = 500,
  not_ready = 600,
  illegal_address = 700,
  launch_out_of_resources = 701,
  launch_timeout = 702,
  device_assert = 710,
  hardware_stack_error = 714,
  launch_failed = 719,
  stream_capture_unsupported = 900,
  graph_update_failure = 910,
};

enum class device_attribute : int {
  multiprocessors = 16,
  l2_bytes = 38,
  threads_per_multiprocessor = 39,
  major = 75,
  minor = 76,
  shared_per_multiprocessor = 81,
  registers_per_multiprocessor = 82,
  shared_per_block_optin = 97,
};

enum class function_attribute : int {
  max_threads = 0,
  shared_bytes = 1,
  local_bytes = 3,
  registers = 4,
  max_dynamic_shared_bytes = 8,
};

enum class capture_mode : int { global = 0, thread_local_ = 1, relaxed = 2 };
enum class capture_status : int { none = 0, active = 1, invalidated = 2 };

inline constexpr unsigned stream_non_blocking = 1;
inline constexpr unsigned event_disable_timing = 2;
inline constexpr unsigned host_portable = 1;

using device_id = int;
using device_address = unsigned long long;
using context_handle = struct context_object*;
using module_handle = struct module_object*;
using function_handle = struct function_object*;
using stream_handle = struct stream_object*;
using event_handle = struct event_object*;
using graph_handle = struct graph_object*;
using graph_node = struct graph_node_object*;
using graph_exec_handle = struct graph_exec_object*;

/// CUDA_KERNEL_NODE_PARAMS_v2.
struct kernel_node_parameters {
  function_handle function = nullptr;
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
  unsigned shared_bytes = 0;
  void** arguments = nullptr;
  void** extra = nullptr;
  void* kernel = nullptr;
  context_handle context = nullptr;
};

/// CUgraphExecUpdateResultInfo.
struct graph_update_result {
  int result = 0;
  graph_node error_node = nullptr;
  graph_node error_from = nullptr;
};

using condition_handle = std::uint64_t;                      // CUgraphConditionalHandle
enum class condition_type : int { once = 0, repeated = 1 };  // IF and WHILE
inline constexpr int conditional_node = 13;
inline constexpr unsigned set_capture_dependencies = 1;

/// CUgraphNodeParams of a conditional node. The driver points `bodies` to its graphs.
struct conditional_node_parameters {
  int type = conditional_node, reserved[3]{};
  condition_handle handle = 0;
  condition_type condition{};
  unsigned count = 1;
  graph_handle* bodies = nullptr;
  context_handle context = nullptr;
  long long unused[26]{};
};

// The one list of entry points: member, exported name, parameters. Every one returns a status.
#define WEFT_DRIVER_ENTRIES(X)                                                                   \
  X(init, cuInit, (unsigned))                                                                    \
  X(driver_version, cuDriverGetVersion, (int*))                                                  \
  X(error_name, cuGetErrorName, (driver_status, const char**))                                   \
  X(error_text, cuGetErrorString, (driver_status, const char**))                                 \
  X(device_count, cuDeviceGetCount, (int*))                                                      \
  X(device_get, cuDeviceGet, (device_id*, int))                                                  \
  X(device_name, cuDeviceGetName, (char*, int, device_id))                                       \
  X(device_memory_size, cuDeviceTotalMem_v2, (std::size_t*, device_id))                          \
  X(device_get_attribute, cuDeviceGetAttribute, (int*, device_attribute, device_id))             \
  X(context_retain, cuDevicePrimaryCtxRetain, (context_handle*, device_id))                      \
  X(context_set, cuCtxSetCurrent, (context_handle))                                              \
  X(context_get, cuCtxGetCurrent, (context_handle*))                                             \
  X(context_synchronize, cuCtxSynchronize, ())                                                   \
  X(memory_info, cuMemGetInfo_v2, (std::size_t*, std::size_t*))                                  \
  X(memory_allocate, cuMemAlloc_v2, (device_address*, std::size_t))                              \
  X(memory_free, cuMemFree_v2, (device_address))                                                 \
  X(host_allocate, cuMemHostAlloc, (void**, std::size_t, unsigned))                              \
  X(host_free, cuMemFreeHost, (void*))                                                           \
  X(copy_to_device, cuMemcpyHtoDAsync_v2,                                                        \
    (device_address, const void*, std::size_t, stream_handle))                                   \
  X(copy_to_host, cuMemcpyDtoHAsync_v2, (void*, device_address, std::size_t, stream_handle))     \
  X(copy_on_device, cuMemcpyDtoDAsync_v2,                                                        \
    (device_address, device_address, std::size_t, stream_handle))                                \
  X(fill_8, cuMemsetD8Async, (device_address, unsigned char, std::size_t, stream_handle))        \
  X(fill_32, cuMemsetD32Async, (device_address, unsigned, std::size_t, stream_handle))           \
  X(module_load, cuModuleLoadData, (module_handle*, const void*))                                \
  X(module_unload, cuModuleUnload, (module_handle))                                              \
  X(module_function, cuModuleGetFunction, (function_handle*, module_handle, const char*))        \
  X(function_get_attribute, cuFuncGetAttribute, (int*, function_attribute, function_handle))     \
  X(function_set_attribute, cuFuncSetAttribute, (function_handle, function_attribute, int))      \
  X(launch, cuLaunchKernel,                                                                      \
    (function_handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,      \
     stream_handle, void**, void**))                                                             \
  X(stream_create, cuStreamCreate, (stream_handle*, unsigned))                                   \
  X(stream_destroy, cuStreamDestroy_v2, (stream_handle))                                         \
  X(stream_synchronize, cuStreamSynchronize, (stream_handle))                                    \
  X(stream_wait, cuStreamWaitEvent, (stream_handle, event_handle, unsigned))                     \
  X(stream_capturing, cuStreamIsCapturing, (stream_handle, capture_status*))                     \
  X(capture_begin, cuStreamBeginCapture_v2, (stream_handle, capture_mode))                       \
  X(capture_end, cuStreamEndCapture, (stream_handle, graph_handle*))                             \
  X(capture_info, cuStreamGetCaptureInfo_v2,                                                     \
    (stream_handle, capture_status*, std::uint64_t*, graph_handle*, const graph_node**,          \
     std::size_t*))                                                                              \
  X(event_create, cuEventCreate, (event_handle*, unsigned))                                      \
  X(event_destroy, cuEventDestroy_v2, (event_handle))                                            \
  X(event_record, cuEventRecord, (event_handle, stream_handle))                                  \
  X(event_synchronize, cuEventSynchronize, (event_handle))                                       \
  X(event_query, cuEventQuery, (event_handle))                                                   \
  X(event_elapsed, cuEventElapsedTime, (float*, event_handle, event_handle))                     \
  X(graph_instantiate, cuGraphInstantiateWithFlags,                                              \
    (graph_exec_handle*, graph_handle, unsigned long long))                                      \
  X(graph_launch, cuGraphLaunch, (graph_exec_handle, stream_handle))                             \
  X(graph_update, cuGraphExecUpdate_v2, (graph_exec_handle, graph_handle, graph_update_result*)) \
  X(graph_set_kernel, cuGraphExecKernelNodeSetParams_v2,                                         \
    (graph_exec_handle, graph_node, const kernel_node_parameters*))                              \
  X(graph_nodes, cuGraphGetNodes, (graph_handle, graph_node*, std::size_t*))                     \
  X(graph_destroy, cuGraphDestroy, (graph_handle))                                               \
  X(graph_exec_destroy, cuGraphExecDestroy, (graph_exec_handle))

/// The driver's functions. Tests put their own in; then no driver is needed.
struct driver_api {
#define WEFT_DRIVER_MEMBER(member, symbol, parameters) driver_status(*member) parameters = nullptr;
  WEFT_DRIVER_ENTRIES(WEFT_DRIVER_MEMBER)
#undef WEFT_DRIVER_MEMBER
  /// From CUDA 12.4 on, null before: loads now what would be loaded at the first launch.
  driver_status (*function_load)(function_handle) = nullptr;
  // Conditional nodes of graphs, complete from CUDA 12.4 on.
  driver_status (*condition_create)(condition_handle*, graph_handle, context_handle, unsigned,
                                    unsigned) = nullptr;
  driver_status (*graph_add_node)(graph_node*, graph_handle, const graph_node*, std::size_t,
                                  conditional_node_parameters*) = nullptr;
  driver_status (*capture_begin_to_graph)(stream_handle, graph_handle, const graph_node*,
                                          const void*, std::size_t, capture_mode) = nullptr;
  driver_status (*capture_update)(stream_handle, graph_node*, std::size_t, unsigned) = nullptr;
  bool has_conditional_nodes() const {
    return condition_create && graph_add_node && capture_begin_to_graph && capture_update;
  }
};

/// Fills the table from an open libcuda. Returns the names that are missing, empty if none is.
inline std::string find_driver_functions(void* handle, driver_api& api) {
  std::string missing;
#define WEFT_DRIVER_FIND(member, symbol, parameters)                           \
  api.member = reinterpret_cast<decltype(api.member)>(dlsym(handle, #symbol)); \
  if (!api.member) missing += missing.empty() ? #symbol : ", " #symbol;
  WEFT_DRIVER_ENTRIES(WEFT_DRIVER_FIND)
#undef WEFT_DRIVER_FIND
  find_function(handle, "cuFuncLoad", api.function_load);
  find_function(handle, "cuGraphConditionalHandleCreate", api.condition_create);
  find_function(handle, "cuGraphAddNode", api.graph_add_node);
  find_function(handle, "cuStreamBeginCaptureToGraph", api.capture_begin_to_graph);
  find_function(handle, "cuStreamUpdateCaptureDependencies", api.capture_update);
  return missing;
}

}  // namespace weft::detail::cuda

#undef WEFT_DRIVER_ENTRIES
