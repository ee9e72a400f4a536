// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <weft/cuda/driver.hpp>

namespace weft::detail::cuda {

/// A queue of work that does not wait for the legacy default stream. Its end waits for its work, so
/// that whatever was freed on it may be used anywhere afterwards.
class stream {
 public:
  explicit stream(const context& on) : context_(on) {
    context_.make_current();
    check(*context_.api, context_.api->stream_create(&handle_, stream_non_blocking),
          "make a stream");
  }
  stream(stream&& other) noexcept
      : context_(other.context_), handle_(std::exchange(other.handle_, nullptr)) {}
  stream& operator=(stream&&) = delete;
  ~stream() {
    if (!handle_) return;
    // A fault of the work is reported by the next call that is not a destructor.
    context_.api->stream_synchronize(handle_);
    context_.api->stream_destroy(handle_);
  }

  stream_handle get() const { return handle_; }

  /// Waits for all work so far; throws device_error for a fault in it.
  void synchronize(during task = "wait for a stream") const {
    check(*context_.api, context_.api->stream_synchronize(handle_), task);
  }

 private:
  context context_;
  stream_handle handle_ = nullptr;
};

/// True while the stream's work is recorded rather than run.
inline bool is_capturing(const driver_api& api, stream_handle on) {
  capture_status status = capture_status::none;
  check(api, api.stream_capturing(on, &status), "ask whether a stream is captured");
  return status != capture_status::none;
}

/// A point in a stream.
class event {
 public:
  enum class use { ordering, timing };

  explicit event(const context& on, use purpose = use::ordering) : api_(on.api) {
    on.make_current();
    check(*api_, api_->event_create(&handle_, purpose == use::timing ? 0 : event_disable_timing),
          "make an event");
  }
  event(event&& other) noexcept
      : api_(other.api_), handle_(std::exchange(other.handle_, nullptr)) {}
  event& operator=(event&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~event() {
    if (handle_) api_->event_destroy(handle_);
  }

  event_handle get() const { return handle_; }
  void record(stream_handle on) const {
    check(*api_, api_->event_record(handle_, on), "record an event");
  }
  /// Work that is queued on `waiter` from now on runs after the recorded point.
  void delay(stream_handle waiter) const {
    check(*api_, api_->stream_wait(waiter, handle_, 0), "wait for another stream");
  }
  bool reached() const {
    const driver_status status = api_->event_query(handle_);
    if (status == driver_status::not_ready) return false;
    check(*api_, status, "ask for an event");
    return true;
  }
  void synchronize(during task = "wait for an event") const {
    check(*api_, api_->event_synchronize(handle_), task);
  }
  /// Milliseconds from `start` to this event; both were recorded and reached, and made for timing.
  float milliseconds_since(const event& start) const {
    float result = 0;
    check(*api_, api_->event_elapsed(&result, start.handle_, handle_), "read a time");
    return result;
  }

 private:
  const driver_api* api_;
  event_handle handle_ = nullptr;
};

/// How a kernel is launched. Every parameter of ours is a pointer, so a launch is a list of
/// addresses.
struct kernel_launch {
  function_handle function = nullptr;
  std::array<unsigned, 3> grid{1, 1, 1}, block{1, 1, 1};
  unsigned shared_bytes = 0;
};

inline constexpr std::size_t max_kernel_pointers = 512;  // 4 KiB, what every architecture takes

namespace launching {

/// The array of pointers to parameters that the driver wants, on the caller's stack.
struct argument_list {
  void* slots[max_kernel_pointers];

  explicit argument_list(std::span<const device_address> pointers) {
    if (pointers.size() > max_kernel_pointers) {
      throw device_error("weft: a kernel has more than 512 parameters");
    }
    for (std::size_t i = 0; i < pointers.size(); ++i) {
      slots[i] = const_cast<device_address*>(&pointers[i]);
    }
  }
};

}  // namespace launching

/// Queues a kernel. The device's context is current in the calling thread.
inline void launch(const driver_api& api, const kernel_launch& how,
                   std::span<const device_address> pointers, stream_handle on, during task) {
  launching::argument_list arguments(pointers);
  check(api,
        api.launch(how.function, how.grid[0], how.grid[1], how.grid[2], how.block[0], how.block[1],
                   how.block[2], how.shared_bytes, on, arguments.slots, nullptr),
        task);
}

/// Copies that are queued; host memory that is not pinned makes them wait.
inline void copy_to_device(const driver_api& api, device_address to, const void* from,
                           std::size_t bytes, stream_handle on,
                           during task = "copy to the device") {
  if (bytes) check(api, api.copy_to_device(to, from, bytes, on), task);
}
inline void copy_to_host(const driver_api& api, void* to, device_address from, std::size_t bytes,
                         stream_handle on, during task = "copy to the host") {
  if (bytes) check(api, api.copy_to_host(to, from, bytes, on), task);
}
inline void copy_on_device(const driver_api& api, device_address to, device_address from,
                           std::size_t bytes, stream_handle on,
                           during task = "copy on the device") {
  if (bytes) check(api, api.copy_on_device(to, from, bytes, on), task);
}
inline void fill_bytes(const driver_api& api, device_address to, unsigned char value,
                       std::size_t bytes, stream_handle on, during task = "fill device memory") {
  if (bytes) check(api, api.fill_8(to, value, bytes, on), task);
}
inline void fill_words(const driver_api& api, device_address to, unsigned value, std::size_t words,
                       stream_handle on, during task = "fill device memory") {
  if (words) check(api, api.fill_32(to, value, words, on), task);
}

}  // namespace weft::detail::cuda
