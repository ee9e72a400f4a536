// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/base/error.hpp>

#include <atomic>
#include <cstddef>
#include <new>
#include <string>

namespace weft::detail {

/// Memory for the intermediate values of one call.
struct arena {
  std::byte* data = nullptr;
  std::size_t size = 0;
};

/// The arenas of one program. A call takes one and gives it back, so that two threads, or a call
/// within a call, never share one; after the first call of a size nothing is allocated.
class arena_pool {
 public:
  constexpr arena_pool() = default;
  arena_pool(const arena_pool&) = delete;
  arena_pool& operator=(const arena_pool&) = delete;
  ~arena_pool() {
    for (auto& p : idle_) destroy(p.exchange(nullptr));
  }

  /// At least size bytes, aligned to 64. Throws memory_error.
  arena* take(std::size_t size) {
    arena* a = nullptr;
    for (auto& p : idle_)
      if ((a = p.exchange(nullptr, std::memory_order_acquire))) break;
    if (!a) a = new arena;
    if (a->size < size) {
      ::operator delete (a->data, std::align_val_t{64});
      a->size = 0;
      a->data = static_cast<std::byte*>(::operator new (size, std::align_val_t{64}, std::nothrow));
      if (!a->data) {
        give(a);
        throw memory_error("weft: a program needs " + std::to_string(size) +
                           " bytes for its intermediate values, which could not be had");
      }
      a->size = size;
    }
    return a;
  }
  void give(arena* a) noexcept {
    for (auto& p : idle_) {
      arena* none = nullptr;
      if (p.compare_exchange_strong(none, a, std::memory_order_release)) return;
    }
    destroy(a);
  }

 private:
  static void destroy(arena* a) {
    if (!a) return;
    ::operator delete (a->data, std::align_val_t{64});
    delete a;
  }
  std::atomic<arena*> idle_[8]{};
};

/// An arena for the length of a call.
class arena_lease {
 public:
  arena_lease(arena_pool& pool, std::size_t size)
      : pool_(pool), arena_(size ? pool.take(size) : nullptr) {}
  ~arena_lease() {
    if (arena_) pool_.give(arena_);
  }
  arena_lease(const arena_lease&) = delete;
  arena_lease& operator=(const arena_lease&) = delete;
  std::byte* data() const { return arena_ ? arena_->data : nullptr; }

 private:
  arena_pool& pool_;
  arena* arena_;
};

}  // namespace weft::detail
