// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include <weft/base/error.hpp>
#include <weft/base/text.hpp>

namespace weft {

/// Where a tensor's elements are, and so where its programs run.
struct device {
  enum class kind : std::uint8_t { cpu, cuda };
  kind type = kind::cpu;
  int index = 0;

  friend constexpr bool operator==(const device&, const device&) = default;
};

/// The host.
inline constexpr device cpu{};

/// A GPU by its number, as the driver counts them. Naming one needs no driver; using one needs
/// weft/cuda.hpp in one source file of the program.
constexpr device cuda(int index = 0) {
  return {device::kind::cuda, index};
}

namespace detail {
[[gnu::cold, gnu::noinline]] inline line_text device_text(device d) {
  line_text t;
  t.add(d.type == device::kind::cpu ? "cpu" : "cuda(%d)", d.index);
  return t;
}
}  // namespace detail

/// "cpu", "cuda(0)".
inline std::string to_text(device d) {
  return detail::device_text(d).text;
}

namespace detail {

struct storage;
class storage_ptr;

/// The tensor that memory is for: put into words only for an error.
struct what_for {
  void (*put)(line_text& to, const what_for&);
  unsigned char type;  ///< a dtype
  const std::int64_t* shape;
  int rank;
};

/// What the back end of a kind of device does with memory. Copies are queued; those to the host
/// wait. All throw device_error, allocate also memory_error.
struct device_memory_functions {
  storage_ptr (*allocate)(int index, std::size_t bytes, const what_for& what);
  void (*to_device)(int index, void* to, const void* from, std::size_t bytes);
  void (*to_host)(int index, void* to, const void* from, std::size_t bytes);
  void (*on_device)(int index, void* to, const void* from, std::size_t bytes);
  /// Row-major elements into a view with gaps; `what` is the view's dtype and shape.
  void (*into_view)(int index, void* to, const std::int64_t* strides, const void* from,
                    const what_for& what);
};

/// Installed by weft/cuda.hpp.
inline std::atomic<const device_memory_functions*> cuda_memory{nullptr};

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_no_back_end(device d) {
  throw_error<device_error>(
      "weft: %s: this program has no GPU back end: include <weft/cuda.hpp> in one of its source "
      "files",
      device_text(d).text);
}
inline const device_memory_functions& memory_of(device d) {
  const device_memory_functions* f = cuda_memory.load(std::memory_order_acquire);
  if (!f) throw_no_back_end(d);
  return *f;
}

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_not_on_host(device d) {
  throw_error<device_error>(
      "weft: the elements are on %s, where the host cannot read or write them: bring the tensor "
      "with to(cpu)",
      device_text(d).text);
}

}  // namespace detail
}  // namespace weft
