// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <base/allocations.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> count{0};

void* counted(std::size_t bytes, std::size_t alignment) {
  count.fetch_add(1, std::memory_order_relaxed);
  if (bytes > weft_test::allocation_limit) throw std::bad_alloc();
  const std::size_t rounded = (bytes + alignment) / alignment * alignment;  // never 0
  void* place = std::aligned_alloc(alignment, rounded);
  if (!place) throw std::bad_alloc();
  return place;
}

}  // namespace

std::size_t weft_test::allocations() {
  return count.load();
}

// Out of line: inlined, g++ takes the free() for one that does not match its new.
[[gnu::noinline]] void* operator new(std::size_t n) {
  return counted(n, alignof(std::max_align_t));
}
[[gnu::noinline]] void* operator new(std::size_t n, std::align_val_t a) {
  return counted(n, static_cast<std::size_t>(a));
}
[[gnu::noinline]] void* operator new(std::size_t n, const std::nothrow_t&) noexcept {
  try {
    return counted(n, alignof(std::max_align_t));
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
[[gnu::noinline]] void* operator new(std::size_t n, std::align_val_t a,
                                     const std::nothrow_t&) noexcept {
  try {
    return counted(n, static_cast<std::size_t>(a));
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
[[gnu::noinline]] void operator delete(void* p) noexcept {
  std::free(p);
}
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept {
  std::free(p);
}
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept {
  std::free(p);
}
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept {
  std::free(p);
}

TEST_CASE("operator new is counted") {
  const std::size_t before = weft_test::allocations();
  void* plain = ::operator new(8);
  void* aligned = ::operator new (8, std::align_val_t{64});
  void* quiet = ::operator new (8, std::align_val_t{64}, std::nothrow);
  CHECK(weft_test::allocations() == before + 3);
  ::operator delete(plain);
  ::operator delete (aligned, std::align_val_t{64});
  ::operator delete (quiet, std::align_val_t{64});
  CHECK_THROWS_AS(static_cast<void>(::operator new(weft_test::allocation_limit + 1)),
                  std::bad_alloc);
  CHECK(::operator new(weft_test::allocation_limit + 1, std::nothrow) == nullptr);
}
