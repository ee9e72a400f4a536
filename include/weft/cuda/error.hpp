// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <string>
#include <string_view>
#include <weft/base/error.hpp>
#include <weft/cuda/driver_api.hpp>

namespace weft::detail::cuda {

/// What was being done when a call failed: "launch softmax", and the user's line where there is
/// one. Only views, so that a call which succeeds pays for nothing.
struct during {
  std::string_view what;
  std::string_view where;

  constexpr during(std::string_view task = {}, std::string_view line = {})
      : what(task), where(line) {}
  constexpr during(const char* task) : what(task) {}

  std::string text() const {
    std::string result(what.empty() ? std::string_view("a call to the device") : what);
    if (!where.empty()) result += " (" + std::string(where) + ")";
    return result;
  }
};

/// "CUDA_ERROR_X (700): an illegal memory access was encountered".
inline std::string status_text(const driver_api& api, driver_status status) {
  const char* name = nullptr;
  const char* text = nullptr;
  if (api.error_name) api.error_name(status, &name);
  if (api.error_text) api.error_text(status, &text);
  return std::string(name ? name : "CUDA error") + " (" + std::to_string(static_cast<int>(status)) +
         ")" + (text ? ": " + std::string(text) : std::string());
}

/// True for a fault of a kernel that ran earlier. The driver reports it at some later call, and the
/// context takes no more work afterwards.
inline bool is_sticky(driver_status status) {
  const int code = static_cast<int>(status);
  return code == 700 || code == 702 || code == 710 || (code >= 714 && code <= 719) || code == 721;
}

[[noreturn]] inline void throw_status(const driver_api& api, driver_status status, during task) {
  std::string text = "weft: " + task.text() + " failed: " + status_text(api, status);
  if (is_sticky(status)) {
    text +=
        ". A kernel that was launched before has failed, and the device reports it now; this "
        "process cannot use the device any more. Run it under compute-sanitizer to see which.";
  } else if (status == driver_status::launch_out_of_resources) {
    text += ". The kernel asks for more registers or shared memory than a block can have.";
  } else if (status == driver_status::no_binary_for_gpu || status == driver_status::invalid_image ||
             status == driver_status::unsupported_ptx_version) {
    text += ". The driver may be older than the NVRTC library that compiled the kernel.";
  }
  throw device_error(text);
}

/// Throws device_error unless `status` is success.
inline void check(const driver_api& api, driver_status status, during task) {
  if (status != driver_status::success) [[unlikely]]
    throw_status(api, status, task);
}

/// Bytes for people: "512 B", "3.00 GiB".
inline std::string bytes_text(std::size_t bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  int unit = 0;
  double value = static_cast<double>(bytes);
  while (value >= 1024 && unit < 4) value /= 1024, ++unit;
  if (unit == 0) return std::to_string(bytes) + " B";
  const auto hundredths = static_cast<unsigned long long>(value * 100 + 0.5);
  const std::string rest = std::to_string(hundredths % 100);
  return std::to_string(hundredths / 100) + "." + (rest.size() < 2 ? "0" : "") + rest + " " +
         units[unit];
}

}  // namespace weft::detail::cuda
