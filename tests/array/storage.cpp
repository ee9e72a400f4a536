// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/array/storage.hpp>

#include <base/allocations.hpp>
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <thread>
#include <utility>

using weft::detail::allocate_elements;
using weft::detail::storage_ptr;

TEST_CASE("a block is aligned, and is one allocation") {
  for (const std::size_t bytes : {0u, 1u, 63u, 64u, 1000u}) {
    const std::size_t before = weft_test::allocations();
    const storage_ptr block = storage_ptr::allocate(bytes);
    CHECK(weft_test::allocations() == before + 1);
    CHECK(block.bytes() == bytes);
    CHECK(reinterpret_cast<std::uintptr_t>(block.data()) % 64 == 0);
  }
}

TEST_CASE("handles share and count") {
  storage_ptr a = storage_ptr::allocate(16);
  CHECK(a.owners() == 1);
  storage_ptr b = a;
  CHECK(a.owners() == 2);
  CHECK(a == b);
  storage_ptr c = std::move(b);
  CHECK(a.owners() == 2);
  CHECK(!b);
  CHECK(b.data() == nullptr);
  c = storage_ptr::allocate(1);
  CHECK(a.owners() == 1);
  CHECK(!(a == c));
  storage_ptr& self = a;
  a = self;
  CHECK(a.owners() == 1);
}

TEST_CASE("counting is atomic") {
  const storage_ptr block = storage_ptr::allocate(8);
  const auto copy_often = [&block] {
    for (int i = 0; i < 20000; ++i) {
      const storage_ptr one = block;
      const storage_ptr two = one;
      if (!two) return;
    }
  };
  std::thread other(copy_often);
  copy_often();
  other.join();
  CHECK(block.owners() == 1);
}

TEST_CASE("memory that is not there is an error that says what was asked") {
  CHECK_THROWS_WITH_AS(storage_ptr::allocate(weft_test::allocation_limit),
                       "weft: out of memory: asked for 1099511627776 bytes", weft::memory_error);
  CHECK_THROWS_AS(storage_ptr::allocate(~std::size_t{0}), weft::memory_error);
  const weft::index_t large[2] = {weft::index_t{1} << 30, 1 << 20};
  CHECK_THROWS_WITH_AS(allocate_elements(weft::dtype::float64, large, 2),
                       "weft: out of memory: asked for a float64 tensor of shape (1073741824, "
                       "1048576), 1125899906842624 elements",
                       weft::memory_error);
  const weft::index_t wraps[3] = {weft::index_t{1} << 40, weft::index_t{1} << 40, 16};
  CHECK_THROWS_AS(allocate_elements(weft::dtype::uint8, wraps, 3), weft::memory_error);
  const weft::index_t bytes_wrap[1] = {weft::index_t{1} << 61};
  CHECK_THROWS_AS(allocate_elements(weft::dtype::float64, bytes_wrap, 1), weft::memory_error);
}

TEST_CASE("shapes are checked, and an empty one takes no memory") {
  const weft::index_t negative[2] = {2, -3};
  CHECK_THROWS_WITH_AS(allocate_elements(weft::dtype::float32, negative, 2),
                       "weft: extent -3 of axis 1 is negative; extents are 0 or more",
                       weft::shape_error);
  const weft::index_t empty[2] = {0, 5};
  const std::size_t before = weft_test::allocations();
  CHECK(!allocate_elements(weft::dtype::float32, empty, 2));
  CHECK(weft_test::allocations() == before);
  CHECK(allocate_elements(weft::dtype::float32, nullptr, 0).bytes() == 4);
}
