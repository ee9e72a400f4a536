// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/base/error.hpp>
#include <weft/base/only_thread.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <new>
#include <string>

namespace weft::detail {

/// What a program keeps beside an arena.
struct arena_attachment {
  arena_attachment() = default;
  arena_attachment(const arena_attachment&) = delete;
  arena_attachment& operator=(const arena_attachment&) = delete;
  virtual ~arena_attachment() = default;
};

/// Memory for the intermediate values of one call.
struct arena {
  std::atomic<bool> busy{false};
  std::byte* data = nullptr;
  std::size_t size = 0;
  std::unique_ptr<arena_attachment> attached;

  constexpr arena() = default;
  arena(const arena&) = delete;
  arena& operator=(const arena&) = delete;
  ~arena() { ::operator delete (data, std::align_val_t{64}); }
};

/// The arenas of one program. A call takes one and gives it back, so that two
/// threads, or a call within a call, never share one; after the first call of a
/// size nothing is allocated.
class arena_pool {
 public:
  constexpr arena_pool() = default;

 private:
  friend class arena_lease;
  arena idle_[8];
};

/// An arena for the length of a call.
class arena_lease {
 public:
  explicit arena_lease(arena_pool& pool) {
    for (arena& a : pool.idle_)
      if (!a.busy.load(std::memory_order_relaxed) && take(a.busy)) {
        arena_ = &a;
        return;
      }
    own_ = std::make_unique<arena>();  // more calls at once than the pool has
                                       // room for
    arena_ = own_.get();
  }
  ~arena_lease() { arena_->busy.store(false, std::memory_order_release); }
  arena_lease(const arena_lease&) = delete;
  arena_lease& operator=(const arena_lease&) = delete;

  /// At least size bytes, aligned to 64. Throws memory_error.
  std::byte* at_least(std::size_t size) {
    arena& a = *arena_;
    if (a.size >= size) return a.data;
    ::operator delete (a.data, std::align_val_t{64});
    a.size = 0;
    a.data = static_cast<std::byte*>(::operator new (size, std::align_val_t{64}, std::nothrow));
    if (!a.data)
      throw_error<memory_error>(
          "weft: a program needs %zu bytes for its intermediate values, which could not be had",
          size);
    a.size = size;
    return a.data;
  }

  /// What is kept beside the arena; T is the same for all leases of a pool.
  template <class T>
  T& attachment() {
    if (!arena_->attached) arena_->attached = std::make_unique<T>();
    return static_cast<T&>(*arena_->attached);
  }

 private:
  static bool take(std::atomic<bool>& busy) {
    if (!only_thread()) return !busy.exchange(true, std::memory_order_acquire);
    busy.store(true, std::memory_order_relaxed);
    return true;
  }
  std::unique_ptr<arena> own_;
  arena* arena_ = nullptr;
};

}  // namespace weft::detail
