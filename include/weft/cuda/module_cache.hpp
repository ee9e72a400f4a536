// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>
#include <weft/base/trace.hpp>
#include <weft/cuda/built_kernels.hpp>
#include <weft/cuda/driver.hpp>
#include <weft/cuda/nvrtc.hpp>

namespace weft::detail::cuda {

/// Where a kernel came from (NVRTC, the disk, this process, the program's binary) and what it
/// costs; `explain` prints it.
struct kernel_report {
  std::string name;
  enum class origin { compiled, disk, memory, binary } from = origin::compiled;
  double compile_milliseconds = 0;  // NVRTC's; as it was when the entry was made, if from memory
  double disk_milliseconds = 0;
  double load_milliseconds = 0;
  std::size_t image_bytes = 0;
  int registers = 0;
  int local_bytes = 0;  // spilled to memory, for each thread
  int shared_bytes = 0;
};

/// A kernel that a program needs.
struct kernel_request {
  std::string name;  // of the extern "C" function
  std::string source;
  unsigned shared_bytes = 0;  // dynamic
};

struct loaded_kernel {
  function_handle function = nullptr;
  kernel_report report;
};

/// The kernels of one device by their source text. Equal text is compiled and loaded once, whoever
/// asks and from however many threads. Modules stay loaded to the end of the process.
class module_cache {
 public:
  /// Compiles one source; tests put another in.
  using compiler = std::function<compiled_kernel(const kernel_source&)>;

  module_cache(const context& on, compile_settings settings, disk_cache& disk)
      : context_(on), settings_(std::move(settings)), disk_(&disk) {
    compile_ = [this](const kernel_source& source) {
      return compile_source(nvrtc(), source, settings_, *disk_);
    };
    key_ = [this](const std::string& source) { return compile_key(nvrtc(), settings_, source); };
  }
  /// For tests: another compiler, and another key for the disk.
  module_cache(const context& on, disk_cache& disk, compiler compile,
               std::function<std::string(const std::string&)> key)
      : context_(on), disk_(&disk), compile_(std::move(compile)), key_(std::move(key)) {}
  module_cache(const module_cache&) = delete;
  /// For tests: another compiler from now on, and nothing on disk.
  void compile_with(compiler compile) {
    compile_ = std::move(compile);
    key_ = [](const std::string& source) { return source; };
  }

  /// The functions of these kernels, in order. What is missing is fetched from the disk or
  /// compiled, in parallel; when all have ended, the first failure is thrown, and the others stay.
  std::vector<loaded_kernel> load(std::span<const kernel_request> requests) {
    std::vector<std::shared_ptr<entry>> entries;
    entries.reserve(requests.size());
    {
      const std::scoped_lock lock(mutex_);
      for (const kernel_request& each : requests) {
        auto& slot = entries_[each.name + "\n" + each.source];
        if (!slot) slot = std::make_shared<entry>();
        entries.push_back(slot);
      }
    }
    std::vector<loaded_kernel> results(requests.size());
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      if (!try_ready(*entries[i], requests[i], results[i])) missing.push_back(i);
    }
    for_each_in_parallel(missing.size(), [&](std::size_t i) {
      const std::size_t at = missing[i];
      results[at] = make_ready(*entries[at], requests[at]);
    });
    return results;
  }

  /// How many of these kernels are neither in memory nor in the program's binary.
  std::size_t missing(std::span<const kernel_request> requests) const {
    const std::scoped_lock lock(mutex_);
    return static_cast<std::size_t>(
        std::count_if(requests.begin(), requests.end(), [&](const kernel_request& each) {
          return !entries_.contains(each.name + "\n" + each.source) &&
                 !built_kernels::all().find(each.source).image;
        }));
  }

  /// How many kernels are loaded or being loaded.
  std::size_t size() const {
    const std::scoped_lock lock(mutex_);
    return entries_.size();
  }

 private:
  struct entry {
    std::mutex mutex;  // held while the kernel is being made, so that it is made once
    function_handle function = nullptr;
    unsigned shared_bytes = 0;  // what the function has been allowed
    kernel_report report;
  };

  bool try_ready(entry& kernel, const kernel_request& request, loaded_kernel& result) {
    const std::unique_lock lock(kernel.mutex, std::try_to_lock);
    if (!lock.owns_lock() || !kernel.function || kernel.shared_bytes < request.shared_bytes) {
      return false;
    }
    result = {kernel.function, kernel.report};
    result.report.from = kernel_report::origin::memory;
    return true;
  }

  loaded_kernel make_ready(entry& kernel, const kernel_request& request) {
    const std::scoped_lock lock(kernel.mutex);
    context_.make_current();
    loaded_kernel result;
    if (kernel.function) {
      allow_shared(kernel, request);
      result = {kernel.function, kernel.report};
      result.report.from = kernel_report::origin::memory;
      return result;
    }
    kernel_report report;
    report.name = request.name;
    function_handle function = nullptr;
    if (const built_kernel built = built_kernels::all().find(request.source); built.image) {
      report.from = kernel_report::origin::binary;
      function = load_image(built.image, built.bytes, report, false);
    }
    if (!function) function = fetch(request, report);
    read_attributes(function, report);
    kernel.function = function;
    kernel.report = report;
    allow_shared(kernel, request);
    return {function, report};
  }

  // From the disk, or compiled.
  function_handle fetch(const kernel_request& request, kernel_report& report) {
    const std::string key = key_(request.source);
    const clock::time_point start = clock::now();
    const std::optional<std::string> image = disk_->get(disk_kind, key);
    report.disk_milliseconds = since(start);
    if (image) {
      report.from = kernel_report::origin::disk;
      // An entry that the driver refuses is compiled again, never an error.
      if (function_handle found = load_image(image->c_str(), image->size(), report, false)) {
        return found;
      }
    }
    report.from = kernel_report::origin::compiled;
    const compiled_kernel fresh = [&] {
      const traced span("first call", "compile %s", request.name.c_str());
      return compile_({request.name, request.source});
    }();
    report.compile_milliseconds = fresh.milliseconds;
    // PTX is read up to its terminating zero, which std::string provides.
    function_handle made = load_image(fresh.image.c_str(), fresh.image.size(), report, true);
    disk_->put(disk_kind, key, fresh.image);
    return made;
  }

  // Null if the driver refuses the image and `must` is false.
  function_handle load_image(const void* image, std::size_t bytes, kernel_report& report,
                             bool must) const {
    const driver_api& api = *context_.api;
    const clock::time_point start = clock::now();
    const traced span("first call", "load %s", report.name.c_str());
    module_handle loaded = nullptr;
    function_handle function = nullptr;
    driver_status status = api.module_load(&loaded, image);
    if (status == driver_status::success) {
      status = api.module_function(&function, loaded, report.name.c_str());
      // Loading at the first launch would disturb a capture.
      if (status == driver_status::success && api.function_load)
        status = api.function_load(function);
      if (status != driver_status::success) api.module_unload(loaded);
    }
    if (status != driver_status::success) {
      if (must) {
        const std::string task = "load kernel " + report.name;
        throw_status(api, status, during(task));
      }
      return nullptr;
    }
    report.load_milliseconds = since(start);
    report.image_bytes = bytes;
    return function;
  }

  void read_attributes(function_handle function, kernel_report& report) const {
    const auto attribute = [&](function_attribute which) {
      int value = 0;
      check(*context_.api, context_.api->function_get_attribute(&value, which, function),
            "read a kernel's attribute");
      return value;
    };
    report.registers = attribute(function_attribute::registers);
    report.local_bytes = attribute(function_attribute::local_bytes);
    report.shared_bytes = attribute(function_attribute::shared_bytes);
  }

  // Above 48 KiB a kernel has to be allowed its dynamic shared memory.
  void allow_shared(entry& kernel, const kernel_request& request) const {
    if (request.shared_bytes <= kernel.shared_bytes) return;
    if (request.shared_bytes > 48 * 1024) {
      const std::string task = "allow kernel " + request.name + " " +
                               bytes_text(request.shared_bytes) + " of shared memory";
      check(*context_.api,
            context_.api->function_set_attribute(kernel.function,
                                                 function_attribute::max_dynamic_shared_bytes,
                                                 int(request.shared_bytes)),
            during(task));
    }
    kernel.shared_bytes = request.shared_bytes;
  }

  using clock = std::chrono::steady_clock;
  static double since(clock::time_point start) {
    return std::chrono::duration<double, std::milli>(clock::now() - start).count();
  }
  static constexpr std::string_view disk_kind = "kernels";

  context context_;
  compile_settings settings_;
  disk_cache* disk_;
  compiler compile_;
  std::function<std::string(const std::string&)> key_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<entry>> entries_;
};

}  // namespace weft::detail::cuda
