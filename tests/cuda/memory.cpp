// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "cuda/fake_driver.hpp"

#include <doctest/doctest.h>

#include <thread>
#include <weft/cuda/memory.hpp>
#include <weft/cuda/pinned.hpp>

using weft_tests::fake_driver;
namespace cuda = weft::detail::cuda;

namespace {

const auto stream_a = reinterpret_cast<cuda::stream_handle>(0x10);
const auto stream_b = reinterpret_cast<cuda::stream_handle>(0x20);

}  // namespace

TEST_CASE("device memory: sizes are rounded up to few classes, and waste at most a quarter") {
  using pool = cuda::device_memory;
  CHECK(pool::round_up(0) == 512);
  CHECK(pool::round_up(1) == 512);
  CHECK(pool::round_up(513) == 1024);
  CHECK(pool::round_up(4096) == 4096);
  CHECK(pool::round_up(4097) == 5120);
  CHECK(pool::round_up(1 << 20) == 1 << 20);
  CHECK(pool::round_up((1 << 20) + 1) == 2 << 20);
  for (std::size_t bytes = 2049; bytes < (4 << 20); bytes += 977) {
    const std::size_t rounded = pool::round_up(bytes);
    CAPTURE(bytes);
    REQUIRE(rounded >= bytes);
    REQUIRE(pool::round_up(rounded) == rounded);
    REQUIRE(rounded % 512 == 0);
    if (bytes <= (1 << 20)) REQUIRE(rounded - bytes < std::max<std::size_t>(512, bytes / 4 + 1));
  }
}

TEST_CASE("device memory: a freed block is lent again on its stream without the driver") {
  fake_driver fake;
  cuda::device_memory pool(fake.context());
  cuda::memory_owner* me = pool.owner("program");
  for (const std::size_t bytes : {100u, 5000u, 600'000u, 3'000'000u}) {
    CAPTURE(bytes);
    cuda::memory_block* first = pool.allocate(bytes, stream_a, me);
    const cuda::device_address address = first->address;
    CHECK(address % 512 == 0);
    CHECK(first->bytes >= bytes);
    pool.free(first);
    const int calls = fake.calls["memory_allocate"];
    // Another stream may still wait for the first one's work, so it gets another block.
    cuda::memory_block* other = pool.allocate(bytes, stream_b, me);
    CHECK(other->address != address);
    cuda::memory_block* again = pool.allocate(bytes, stream_a, me);
    CHECK(again->address == address);
    CHECK(fake.calls["memory_allocate"] <= calls + 1);
    pool.free(again);
    pool.free(other);
  }
  CHECK(pool.statistics().in_use == 0);
}

TEST_CASE("device memory: a block freed on another stream goes to that stream") {
  fake_driver fake;
  cuda::device_memory pool(fake.context());
  cuda::memory_owner* me = pool.owner("program");
  cuda::memory_block* block = pool.allocate(1000, stream_a, me);
  const cuda::device_address address = block->address;
  pool.free(block, stream_b);
  cuda::memory_block* on_a = pool.allocate(1000, stream_a, me);
  cuda::memory_block* on_b = pool.allocate(1000, stream_b, me);
  CHECK(on_a->address != address);
  CHECK(on_b->address == address);
}

TEST_CASE("device memory: live blocks never overlap") {
  fake_driver fake;
  cuda::device_memory pool(fake.context());
  cuda::memory_owner* me = pool.owner("program");
  std::vector<cuda::memory_block*> live;
  std::uint32_t random = 12345;
  for (int step = 0; step < 4000; ++step) {
    random = random * 1664525 + 1013904223;
    if (live.size() > 60 || (!live.empty() && random % 5 < 2)) {
      const std::size_t at = random / 7 % live.size();
      pool.free(live[at], random & 64 ? stream_a : stream_b);
      live.erase(live.begin() + std::ptrdiff_t(at));
    } else {
      const std::size_t bytes = std::size_t(1) << (random >> 8) % 22;
      live.push_back(pool.allocate(bytes + random % 100, random & 128 ? stream_a : stream_b, me));
    }
    if (step % 500 == 499) pool.trim();
  }
  std::vector<std::pair<cuda::device_address, std::size_t>> ranges;
  std::size_t total = 0;
  for (const cuda::memory_block* each : live) {
    ranges.emplace_back(each->address, each->bytes);
    total += each->bytes;
  }
  std::sort(ranges.begin(), ranges.end());
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    REQUIRE(ranges[i - 1].first + ranges[i - 1].second <= ranges[i].first);
  }
  CHECK(pool.statistics().in_use == total);
  CHECK(pool.statistics().reserved == fake.memory_used);
  for (cuda::memory_block* each : live) pool.free(each);
  pool.trim();
  CHECK(fake.memory_used == 0);
  CHECK(pool.statistics().reserved == 0);
}

TEST_CASE("device memory: what is cached is given back before memory runs out") {
  fake_driver fake;
  fake.memory_bytes = 64u << 20;
  cuda::device_memory pool(fake.context());
  cuda::memory_owner* me = pool.owner("program");
  pool.free(pool.allocate(40u << 20, stream_a, me));
  pool.free(pool.allocate(1000, stream_b, me));
  cuda::memory_block* large = pool.allocate(60u << 20, stream_b, me);
  CHECK(large->bytes == 60u << 20);
  CHECK(pool.statistics().cached == 0);
  pool.free(large);
}

TEST_CASE("device memory: an out-of-memory error says who holds what, and changes nothing") {
  fake_driver fake;
  fake.memory_bytes = 64u << 20;
  cuda::device_memory pool(fake.context(), "cuda(0), Fake 9000");
  cuda::memory_block* small = pool.allocate(6u << 20, stream_a, pool.owner("tensors"));
  cuda::memory_block* large = pool.allocate(40u << 20, stream_a, pool.owner("program train_step"));
  std::string text;
  try {
    pool.allocate(30u << 20, stream_a, pool.owner("program evaluate"),
                  {"hold the result of matmul", "model.cpp:12"});
  } catch (const weft::memory_error& error) {
    text = error.what();
  }
  CHECK(
      text ==
      "weft: out of memory on cuda(0), Fake 9000: 30.00 MiB were asked for by program evaluate to "
      "hold the result of matmul (model.cpp:12), and 18.00 MiB of 64.00 MiB are free. Weft holds "
      "46.00 MiB in use and 0 B cached. In use by:\n"
      "  40.00 MiB  program train_step\n"
      "  6.00 MiB  tensors\n"
      "Nothing was changed, and everything can be used as before.");
  CHECK(pool.statistics().in_use == 46u << 20);
  pool.free(large);
  cuda::memory_block* now = pool.allocate(30u << 20, stream_a, pool.owner("program evaluate"));
  CHECK(now->address != 0);
  pool.free(now);
  pool.free(small);
  CHECK(pool.usage().empty());
  // No size is too large to be refused in words.
  CHECK_THROWS_AS(pool.allocate(~std::size_t(0), stream_a, pool.owner("x")), weft::memory_error);
}

TEST_CASE("device memory: a fault that the driver reports is an error of the device") {
  fake_driver fake;
  cuda::device_memory pool(fake.context());
  fake.fail("memory_allocate", 1, cuda::driver_status::illegal_address);
  std::string text;
  try {
    pool.allocate(100, stream_a, pool.owner("p"), {"hold tanh", "a.cpp:3"});
  } catch (const weft::device_error& error) {
    text = error.what();
  }
  CHECK(text.find("hold tanh (a.cpp:3) failed: CUDA_ERROR_ILLEGAL_ADDRESS (700)") != text.npos);
  CHECK(text.find("A kernel that was launched before has failed") != text.npos);
  CHECK(pool.statistics().in_use == 0);
}

TEST_CASE("device memory: peak, and the memory of a stream that is gone") {
  fake_driver fake;
  cuda::device_memory pool(fake.context());
  cuda::memory_owner* me = pool.owner("program");
  cuda::memory_block* block = pool.allocate(8u << 20, stream_a, me);
  const cuda::device_address address = block->address;
  pool.free(block);
  CHECK(pool.statistics().peak == 8u << 20);
  pool.reset_peak();
  CHECK(pool.statistics().peak == 0);
  pool.forget(stream_a);
  CHECK(pool.allocate(8u << 20, stream_b, me)->address == address);
}

TEST_CASE("device memory: many threads") {
  fake_driver fake;
  cuda::device_memory pool(fake.context());
  const auto work = [&](std::uintptr_t id) {
    cuda::memory_owner* me = pool.owner("thread " + std::to_string(id));
    const auto on = reinterpret_cast<cuda::stream_handle>(id * 16);
    for (std::size_t i = 0; i < 3000; ++i) {
      cuda::memory_block* block = pool.allocate(i * 7 % 5000, on, me);
      *reinterpret_cast<std::size_t*>(block->address) = id;
      REQUIRE(*reinterpret_cast<std::size_t*>(block->address) == id);
      pool.free(block);
    }
  };
  std::thread first(work, 1), second(work, 2);
  first.join();
  second.join();
  CHECK(pool.statistics().in_use == 0);
  CHECK(pool.statistics().allocations == 6000);
}

TEST_CASE("device memory: direct mode asks the driver for each block's own size class") {
  fake_driver fake;
  cuda::device_memory pool(fake.context(), "the device", true);
  cuda::memory_owner* me = pool.owner("program");
  cuda::memory_block* first = pool.allocate(600, stream_a, me);
  cuda::memory_block* second = pool.allocate(600, stream_a, me);
  CHECK(fake.calls["memory_allocate"] == 2);
  CHECK(fake.memory_used == 2048);
  pool.free(first);
  pool.free(second);
  pool.trim();
  CHECK(fake.memory_used == 0);
}

TEST_CASE("pinned memory: a piece is lent again when the work that used it has ended") {
  fake_driver fake;
  cuda::pinned_memory pool(fake.context());
  const auto first = pool.allocate(1000);
  pool.free(first, stream_a);
  fake.fail("event_query", 1, cuda::driver_status::not_ready);
  const auto second = pool.allocate(1000);
  CHECK(second.address != first.address);
  const auto third = pool.allocate(1000);
  CHECK(third.address == first.address);
  fake.fail("host_allocate", 1, cuda::driver_status::out_of_memory);
  CHECK_THROWS_AS(pool.allocate(1 << 20), weft::memory_error);
}
