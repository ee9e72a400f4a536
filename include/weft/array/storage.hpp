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

#include <weft/array/device.hpp>
#include <weft/array/dtype.hpp>
#include <weft/array/extents.hpp>
#include <weft/base/error.hpp>
#include <weft/base/only_thread.hpp>

namespace weft::detail {

inline constexpr std::size_t storage_alignment = 64;

/// The head of a reference-counted block. On the host the elements follow it, 64-byte aligned, in
/// the same allocation, so that a tensor costs one; elsewhere they are the back end's.
struct alignas(storage_alignment) storage {
  std::atomic<std::size_t> owners{1};
  std::size_t bytes = 0;
  std::byte* first = nullptr;                    ///< of the elements, an address on `where`
  void (*release)(storage&) noexcept = nullptr;  ///< gives them back; null on the host
  void* block = nullptr;                         ///< the back end's
  device where{};
};
static_assert(sizeof(storage) == storage_alignment);

/// A shared handle to a block. Copying counts, and is safe from several threads.
class storage_ptr {
 public:
  constexpr storage_ptr() noexcept = default;
  storage_ptr(const storage_ptr& other) noexcept : block_(other.block_) {
    if (block_) add_owner(*block_);
  }
  storage_ptr(storage_ptr&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  storage_ptr& operator=(storage_ptr other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~storage_ptr() {
    if (block_) drop(block_);
  }

  /// A block of that many bytes, not filled; null where there is no memory.
  static storage_ptr try_allocate(std::size_t bytes) noexcept {
    storage_ptr handle;
    if (bytes > static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) -
                    2 * storage_alignment)
      return handle;
    try {
      void* place = ::operator new (sizeof(storage) + bytes, std::align_val_t{storage_alignment});
      handle.block_ = ::new (place) storage;
      handle.block_->bytes = bytes;
      handle.block_->first = reinterpret_cast<std::byte*>(handle.block_ + 1);
    } catch (const std::bad_alloc&) {
      // The caller says what it wanted the memory for.
    }
    return handle;
  }

  /// A block of that many bytes, not filled. Throws memory_error.
  static storage_ptr allocate(std::size_t bytes) {
    storage_ptr handle = try_allocate(bytes);
    if (!handle) throw_error<memory_error>("weft: out of memory: asked for %zu bytes", bytes);
    return handle;
  }

  /// A handle to elements on a device.
  static storage_ptr of_device(device where, void* first, std::size_t bytes, void* block,
                               void (*release)(storage&) noexcept) {
    storage_ptr handle = allocate(0);
    handle.block_->bytes = bytes;
    handle.block_->first = static_cast<std::byte*>(first);
    handle.block_->release = release;
    handle.block_->block = block;
    handle.block_->where = where;
    return handle;
  }

  /// The first element's address, on whatever device it is.
  [[nodiscard]] std::byte* data() const noexcept { return block_ ? block_->first : nullptr; }
  [[nodiscard]] device where() const noexcept { return block_ ? block_->where : cpu; }
  [[nodiscard]] bool on_host() const noexcept { return !block_ || !block_->release; }
  /// Throws device_error where the host cannot use the elements.
  void require_host() const {
    if (!on_host()) [[unlikely]]
      throw_not_on_host(block_->where);
  }
  [[nodiscard]] std::size_t bytes() const noexcept { return block_ ? block_->bytes : 0; }
  [[nodiscard]] std::size_t owners() const noexcept {
    return block_ ? block_->owners.load(std::memory_order_acquire) : 0;
  }
  explicit operator bool() const noexcept { return block_ != nullptr; }
  friend bool operator==(const storage_ptr&, const storage_ptr&) = default;

 private:
  static void add_owner(storage& s) noexcept {
    if (only_thread())
      s.owners.store(s.owners.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    else
      s.owners.fetch_add(1, std::memory_order_relaxed);
  }
  /// Takes one owner away. Not inline, so that handles that hold nothing any more cost a test.
  [[gnu::noinline]] static void drop(storage* s) noexcept {
    std::size_t owners = 0;
    if (only_thread()) {
      owners = s->owners.load(std::memory_order_relaxed);
      s->owners.store(owners - 1, std::memory_order_relaxed);
    } else {
      // acq_rel: whoever frees the block must see what every other owner wrote.
      owners = s->owners.fetch_sub(1, std::memory_order_acq_rel);
    }
    if (owners == 1) free(s);
  }
  [[gnu::cold, gnu::noinline]] static void free(storage* block) noexcept {
    if (block->release) block->release(*block);
    block->~storage();
    ::operator delete (static_cast<void*>(block), std::align_val_t{storage_alignment});
  }

  storage* block_ = nullptr;
};

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_no_memory(dtype d, const index_t* shape,
                                                                   int rank, index_t count) {
  line_text elements;
  if (count > 0) elements.add(", %lld elements", static_cast<long long>(count));
  throw_error<memory_error>("weft: out of memory: asked for a %s tensor of shape %s%s",
                            name(d).data(), shape_text(shape, rank).text, elements.text);
}

/// Storage for a shape, not filled; null for no elements. Throws shape_error for a negative
/// extent, memory_error where there is not that much memory.
[[gnu::noinline]] inline storage_ptr allocate_elements(dtype d, const index_t* shape, int rank) {
  for (int i = 0; i < rank; ++i)
    if (shape[i] < 0)
      throw_error<shape_error>("weft: extent %lld of axis %d is negative; extents are 0 or more",
                               static_cast<long long>(shape[i]), i);
  const index_t count = product(shape, rank);
  if (count == 0) return {};
  const auto size = static_cast<std::uint64_t>(size_of(d));
  storage_ptr block;
  if (count > 0 && static_cast<std::uint64_t>(count) <= ~std::uint64_t{0} / size)
    block = storage_ptr::try_allocate(static_cast<std::uint64_t>(count) * size);
  if (!block) throw_no_memory(d, shape, rank, count);
  return block;
}

/// The same on any device.
inline storage_ptr allocate_elements(device where, dtype d, const index_t* shape, int rank) {
  if (where == cpu) return allocate_elements(d, shape, rank);
  const index_t count = product(shape, rank);
  if (count == 0) return {};
  const what_for what{[](line_text& to, const what_for& w) {
                        to.add("%s tensor of shape %s", name(static_cast<dtype>(w.type)).data(),
                               shape_text(w.shape, w.rank).text);
                      },
                      static_cast<unsigned char>(d), shape, rank};
  return memory_of(where).allocate(where.index, static_cast<std::size_t>(count * size_of(d)), what);
}

/// Row-major elements copied to a device: to it, from it, on it, or from one to another through
/// the host.
inline storage_ptr copied_elements(device to, const storage_ptr& from, const void* first, dtype d,
                                   const index_t* shape, int rank) {
  const device at = from.where();
  if (to != at && to != cpu && at != cpu) {
    const storage_ptr host = copied_elements(cpu, from, first, d, shape, rank);
    return copied_elements(to, host, host.data(), d, shape, rank);
  }
  storage_ptr made = allocate_elements(to, d, shape, rank);
  if (!made) return made;
  const auto bytes = static_cast<std::size_t>(product(shape, rank) * size_of(d));
  if (to == cpu && at == cpu)
    std::memcpy(made.data(), first, bytes);
  else if (at == cpu)
    memory_of(to).to_device(to.index, made.data(), first, bytes);
  else if (to == cpu)
    memory_of(at).to_host(at.index, made.data(), first, bytes);
  else
    memory_of(to).on_device(to.index, made.data(), first, bytes);
  return made;
}

/// One number, from wherever it is: waits for the device.
template <class T>
T read_number(const storage_ptr& of, const T* at) {
  if (of.on_host()) return *at;
  T value;
  memory_of(of.where()).to_host(of.where().index, &value, at, sizeof value);
  return value;
}

}  // namespace weft::detail
