// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <utility>
#include <vector>
#include <weft/cuda/memory.hpp>
#include <weft/cuda/stream.hpp>

namespace weft::detail::cuda {

/// Host memory that the device copies from and to without waiting for the host. Pinning a page
/// costs much more than using it, so freed pieces are kept. Safe to use from many threads.
class pinned_memory {
 public:
  struct piece {
    void* address = nullptr;
    std::size_t bytes = 0;
  };

  explicit pinned_memory(const context& on) : context_(on) {}
  pinned_memory(const pinned_memory&) = delete;

  /// Throws memory_error if the system refuses to pin as much.
  piece allocate(std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    const std::size_t rounded = device_memory::round_up(bytes);
    if (const auto found = cached_.find(rounded); found != cached_.end()) {
      std::vector<used>& list = found->second;
      // The piece that was freed first is the likeliest to be out of use.
      for (std::size_t i = 0; i < list.size(); ++i) {
        if (!list[i].last_use.reached()) continue;
        const piece result = list[i].memory;
        list.erase(list.begin() + std::ptrdiff_t(i));
        return result;
      }
    }
    context_.make_current();
    piece result{nullptr, rounded};
    const driver_status status =
        context_.api->host_allocate(&result.address, rounded, host_portable);
    if (status == driver_status::out_of_memory) {
      throw memory_error("weft: " + bytes_text(bytes) +
                         " of pinned host memory could not be had; " + bytes_text(reserved_) +
                         " are pinned already");
    }
    check(*context_.api, status, "pin host memory");
    reserved_ += rounded;
    return result;
  }

  /// The piece is lent again when the work queued on `last_used_on` so far has ended.
  void free(piece memory, stream_handle last_used_on) {
    const std::scoped_lock lock(mutex_);
    used entry{memory, event(context_)};
    entry.last_use.record(last_used_on);
    cached_[memory.bytes].push_back(std::move(entry));
  }

  std::size_t reserved() const {
    const std::scoped_lock lock(mutex_);
    return reserved_;
  }

 private:
  struct used {
    piece memory;
    event last_use;
  };

  context context_;
  mutable std::mutex mutex_;
  std::map<std::size_t, std::vector<used>> cached_;
  std::size_t reserved_ = 0;
};

}  // namespace weft::detail::cuda
