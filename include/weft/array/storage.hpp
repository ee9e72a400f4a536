// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <string>
#include <utility>

#include <weft/array/dtype.hpp>
#include <weft/array/extents.hpp>
#include <weft/base/error.hpp>

namespace weft::detail {

inline constexpr std::size_t storage_alignment = 64;

/// The head of a reference-counted block; the elements follow it, 64-byte aligned, in the same
/// allocation, so that a tensor costs one.
struct alignas(storage_alignment) storage {
  std::atomic<std::size_t> owners{1};
  std::size_t bytes = 0;

  [[nodiscard]] std::byte* data() { return reinterpret_cast<std::byte*>(this + 1); }
};
static_assert(sizeof(storage) == storage_alignment);

/// A shared handle to a block. Copying counts, and is safe from several threads.
class storage_ptr {
 public:
  constexpr storage_ptr() noexcept = default;
  storage_ptr(const storage_ptr& other) noexcept : block_(other.block_) {
    if (block_) block_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  storage_ptr(storage_ptr&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  storage_ptr& operator=(storage_ptr other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~storage_ptr() {
    // acq_rel: whoever frees the block must see what every other owner wrote.
    if (block_ && block_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      block_->~storage();
      ::operator delete(static_cast<void*>(block_), std::align_val_t{storage_alignment});
    }
  }

  /// A block of that many bytes, not filled; null where there is no memory.
  static storage_ptr try_allocate(std::size_t bytes) noexcept {
    storage_ptr handle;
    if (bytes > static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) -
                    2 * storage_alignment)
      return handle;
    try {
      void* place =
          ::operator new(sizeof(storage) + bytes, std::align_val_t{storage_alignment});
      handle.block_ = ::new (place) storage;
      handle.block_->bytes = bytes;
    } catch (const std::bad_alloc&) {
      // The caller says what it wanted the memory for.
    }
    return handle;
  }

  /// A block of that many bytes, not filled. Throws memory_error.
  static storage_ptr allocate(std::size_t bytes) {
    storage_ptr handle = try_allocate(bytes);
    if (!handle)
      throw memory_error("weft: out of memory: asked for " + std::to_string(bytes) + " bytes");
    return handle;
  }

  [[nodiscard]] std::byte* data() const noexcept { return block_ ? block_->data() : nullptr; }
  [[nodiscard]] std::size_t bytes() const noexcept { return block_ ? block_->bytes : 0; }
  [[nodiscard]] std::size_t owners() const noexcept {
    return block_ ? block_->owners.load(std::memory_order_acquire) : 0;
  }
  explicit operator bool() const noexcept { return block_ != nullptr; }
  friend bool operator==(const storage_ptr&, const storage_ptr&) = default;

 private:
  storage* block_ = nullptr;
};

/// Storage for a shape, not filled; null for no elements. Throws shape_error for a negative
/// extent, memory_error where there is not that much memory.
inline storage_ptr allocate_elements(dtype d, const index_t* shape, int rank) {
  for (int i = 0; i < rank; ++i)
    if (shape[i] < 0)
      throw shape_error("weft: extent " + std::to_string(shape[i]) + " of axis " +
                        std::to_string(i) + " is negative; extents are 0 or more");
  const index_t count = product(shape, rank);
  if (count == 0) return {};
  const auto size = static_cast<std::uint64_t>(size_of(d));
  storage_ptr block;
  if (count > 0 && static_cast<std::uint64_t>(count) <= ~std::uint64_t{0} / size)
    block = storage_ptr::try_allocate(static_cast<std::uint64_t>(count) * size);
  if (!block) {
    std::string text = "weft: out of memory: asked for a " + std::string(name(d)) +
                       " tensor of shape " + to_text(shape, rank);
    if (count > 0) text += ", " + std::to_string(count) + " elements";
    throw memory_error(text);
  }
  return block;
}

}  // namespace weft::detail
