// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "cuda/fake_driver.hpp"

#include <doctest/doctest.h>

#include <vector>
#include <weft/cuda/gpu.hpp>
#include <weft/cuda/graph.hpp>

namespace cuda = weft::detail::cuda;
using weft_tests::fake_driver;

TEST_CASE("gpu: a kernel goes from its source to a launch and into a graph") {
  if (!cuda::nvrtc().failure.empty()) {
    MESSAGE("SKIPPED: no NVRTC here");
    return;
  }
  fake_driver fake;
  cuda::disk_cache off("");
  cuda::gpu card(fake.api(), 0, {{"weft/cuda/prelude.hpp", "#define WEFT_TEST_TWO 2\n"}}, off);
  CHECK(card.title() == "cuda(0), Fake 9000");
  const std::vector<cuda::kernel_request> wanted{
      {"twice",
       "#include <weft/cuda/prelude.hpp>\nextern \"C\" __global__ void twice(const float* x, "
       "float* y) { *y = WEFT_TEST_TWO * *x; }",
       0}};
  const cuda::loaded_kernel kernel = card.modules.load(wanted)[0];
  CHECK(kernel.report.compile_milliseconds > 0);
  CHECK(kernel.report.image_bytes > 500);
  cuda::memory_block* block =
      card.memory.allocate(100, card.stream.get(), card.memory.owner("test"));
  const cuda::device_address pointers[] = {block->address, block->address};
  cuda::recorded_graph graph(card.context);
  const auto body = [&](cuda::work_queue& queue) {
    queue.launch({kernel.function}, pointers, "launch twice");
  };
  graph.run(card.stream.get(), body, "run twice");
  REQUIRE(fake.launches.size() == 1);
  CHECK(fake.launches[0].function == kernel.function);
  card.memory.free(block);
  CHECK_THROWS_WITH_AS(cuda::gpu(fake.api(), 1, {}, off), doctest::Contains("there is no cuda(1)"),
                       weft::device_error);
}
