// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/cuda/strided_copy.hpp>

#include "grid_driver.hpp"

// Row-major elements put into views with gaps, on the host grid.

using namespace weft_test;

namespace {

/// Copies into a view of a larger block; empty if just the view's elements changed, to the right
/// values.
std::string copied(grid_driver& driver, std::vector<index_t> shape, std::vector<index_t> strides,
                   index_t offset) {
  index_t count = 1;
  for (index_t n : shape) count *= n;
  std::vector<float> from(static_cast<std::size_t>(count) + 1), to(20000, -1), wanted(20000, -1);
  for (index_t i = 0; i < count; ++i) {
    from[static_cast<std::size_t>(i)] = static_cast<float>(i);
    index_t at = offset, rest = i;
    for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d])
      at += rest % shape[d] * strides[d];
    wanted[static_cast<std::size_t>(at)] = static_cast<float>(i);
  }
  auto address = [](const float* p) { return reinterpret_cast<std::uintptr_t>(p); };
  // Vectors want the alignment of a device's memory.
  guarded_memory source(from.size() * 4), target(to.size() * 4);
  std::memcpy(source.data(), from.data(), source.size());
  std::memcpy(target.data(), to.data(), target.size());
  cuda::copy_strided(driver.gpu(), address(reinterpret_cast<const float*>(target.data()) + offset),
                     strides.data(), address(reinterpret_cast<const float*>(source.data())),
                     dtype::float32, shape.data(), static_cast<int>(shape.size()));
  std::memcpy(to.data(), target.data(), target.size());
  for (std::size_t i = 0; i < to.size(); ++i)
    if (to[i] != wanted[i])
      return "element " + std::to_string(i) + " is " + std::to_string(to[i]) + ", not " +
             std::to_string(wanted[i]);
  return "";
}

}  // namespace

TEST_CASE("copies into views with gaps: columns, steps, other orders, backwards") {
  if (has_gpu()) {
    MESSAGE("SKIPPED: its memory is the host's");
    return;
  }
  grid_driver driver;
  CHECK(copied(driver, {10, 8}, {64, 1}, 16) == "");
  CHECK(copied(driver, {10, 7}, {64, 1}, 3) == "");
  CHECK(copied(driver, {100}, {3}, 0) == "");
  CHECK(copied(driver, {30, 20}, {1, 40}, 0) == "");
  CHECK(copied(driver, {5, 6, 7}, {1000, 100, 2}, 1) == "");
  CHECK(copied(driver, {50}, {-2}, 200) == "");
  CHECK(copied(driver, {1, 12}, {1, 2}, 0) == "");
  const std::size_t before = driver.gpu().modules.size();
  CHECK(copied(driver, {11, 12}, {80, 1}, 32) == "");
  CHECK(copied(driver, {77}, {5}, 0) == "");
  CHECK(driver.gpu().modules.size() == before);
}
