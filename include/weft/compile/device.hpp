// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/array/storage.hpp>
#include <weft/plan/device_call.hpp>

#include <array>
#include <cstring>
#include <string>

// Where a call runs, and how its results get to their tensors there.
namespace weft::detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_elsewhere(std::size_t argument, device is,
                                                                   device wanted) {
  const line_text to = device_text(wanted);
  throw_error<device_error>(
      "weft: argument %zu is on %s, but the program runs on %s: bring it with to(%s)", argument + 1,
      device_text(is).text, to.text, to.text);
}

/// Where a call's arguments are: tensors with elements, numbers not counted.
class call_place {
 public:
  void add(std::size_t argument, const storage_ptr& s) {
    if (!s) return;
    const device d = s.where();
    if (!(d == where_)) add_other(argument, d);
    seen_ = true;
  }
  /// Where a program is told to run; throws device_error if its arguments are elsewhere.
  void require(device d) {
    if (d == where_) return;
    if (seen_) throw_elsewhere(0, where_, d);
    where_ = d;
  }
  device where() const { return where_; }
  bool on_host() const { return where_ == cpu; }

 private:
  [[gnu::cold, gnu::noinline]] void add_other(std::size_t argument, device d) {
    if (seen_) throw_elsewhere(argument, d, where_);
    where_ = d;
  }
  device where_{};
  bool seen_ = false;
};

/// Copies row-major elements over those of a tensor or a view on one device.
template <class T, std::size_t Rank>
void overwrite(device where, T* to, const std::array<index_t, Rank>& shape,
               const std::array<index_t, Rank>& strides, const void* from, bool contiguous) {
  const auto bytes = static_cast<std::size_t>(product(shape)) * sizeof(T);
  if (bytes == 0) return;
  if (!contiguous)
    memory_of(where).into_view(
        where.index, to, strides.data(), from,
        {nullptr, static_cast<unsigned char>(dtype_of<T>), shape.data(), static_cast<int>(Rank)});
  else if (where == cpu)
    std::memcpy(to, from, bytes);
  else
    memory_of(where).on_device(where.index, to, from, bytes);
}

}  // namespace weft::detail
