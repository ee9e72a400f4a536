// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/plan/device_call.hpp>
#include <weft/plan/program.hpp>

// How a stance (weft/stance.hpp) looks at what a program on a device writes: after every launch,
// with copies to the host between them.
namespace weft::detail {

/// A step that has just run on a device.
struct finished_device_step {
  const plan& p;  ///< of the program, or of the body that the step is in
  int number = 0;
  bool in_body = false;
  const index_t* extents = nullptr;  ///< of p
  const void* self = nullptr;
  /// Copies bytes to the host, from so many bytes behind the first element of an access.
  void (*read)(const void* self, const access& a, std::int64_t at, std::size_t bytes,
               void* to) = nullptr;
};
inline std::atomic<void (*)(const finished_device_step&)> check_of_device_steps{nullptr};

/// Takes calls over while steps are checked, and runs them.
inline std::atomic<void (*)(const device_call&, void (*run)(const device_call&))>
    watch_of_device_calls{nullptr};

}  // namespace weft::detail
