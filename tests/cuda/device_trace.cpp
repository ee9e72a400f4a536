// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "cuda/fake_driver.hpp"

#include <weft/cuda/device_trace.hpp>

#include <doctest/doctest.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

namespace cuda = weft::detail::cuda;
using weft_tests::fake_driver;

TEST_CASE("kernels of a GPU are spans of its track, at the device's times") {
  const std::string file = "weft_device_trace_test.json";
  fake_driver fake;
  const cuda::context context = cuda::retain_context(fake.api(), 0);
  {
    const cuda::stream stream(context);
    cuda::device_trace trace;
    weft::tracing::start(file);
    fake.clock_milliseconds = 10;
    cuda::device_trace::call c = trace.begin(context, stream, 1);
    fake.clock_milliseconds = 12;
    cuda::device_trace::launched(context, c, "run the kernel tanh");
    fake.clock_milliseconds = 12.5;
    cuda::device_trace::launched(context, c, "multiply");
    trace.end(std::move(c));
  }
  weft::tracing::flush();
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  weft::tracing::stop();
  std::remove(file.c_str());
  const std::string json = text.str();
  CHECK(json.find("\"tid\": 1001, \"ts\": 0.000, \"dur\": 2000.000, \"name\": \"run the kernel "
                  "tanh\", \"cat\": \"device\"") != std::string::npos);
  CHECK(json.find("\"ts\": 2000.000, \"dur\": 500.000, \"name\": \"multiply\"") !=
        std::string::npos);
  CHECK(json.find("\"tid\": 1001, \"name\": \"thread_name\", \"args\": {\"name\": \"GPU 1\"}") !=
        std::string::npos);
}
