// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "cuda/fake_driver.hpp"

#include <doctest/doctest.h>

#include <string>
#include <weft/cuda/driver.hpp>
#include <weft/cuda/nvrtc.hpp>
#include <weft/cuda/stream.hpp>

namespace cuda = weft::detail::cuda;
using weft_tests::fake_driver;

namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

// The text of the device_error that `call` throws.
template <class Call>
std::string error_of(Call&& call) {
  try {
    call();
  } catch (const weft::device_error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace

TEST_CASE("loading: a missing library is named, with every place where it was looked for") {
  const cuda::driver_state state =
      cuda::load_driver({"libno_such_driver.so.1"}, {"/nowhere/one", "/nowhere/two"});
  CHECK(has(state.failure, "libcuda was not found"));
  CHECK(has(state.failure, "Everything that does not use it still works"));
  CHECK(has(state.failure, "\n  the loader's path (LD_LIBRARY_PATH"));
  CHECK(has(state.failure, "\n  /nowhere/one/libno_such_driver.so.1: no such file"));
  CHECK(has(state.failure, "\n  /nowhere/two/libno_such_driver.so.1: no such file"));

  const cuda::nvrtc_state compiler = cuda::load_nvrtc({"libno_such.so"}, {"/nowhere"});
  CHECK(has(compiler.failure, "libnvrtc was not found; it is needed to compile kernels"));
  cuda::disk_cache off("");
  const std::string text = error_of([&] {
    cuda::compile_source(compiler, {"k", "void f() {}"}, {}, off);
  });
  CHECK(text == compiler.failure);
}

TEST_CASE("loading: a library that is something else is told from a missing one") {
  // The C library is everywhere, and has no cuInit.
  const cuda::driver_state state = cuda::load_driver({"libc.so.6"}, {});
  CHECK(has(state.failure, "has no cuInit"));
  CHECK(has(state.failure, "CUDA 12.0 or newer is needed"));
  CHECK(has(cuda::load_nvrtc({"libc.so.6"}, {}).failure, "is not an NVRTC"));
}

TEST_CASE("loading: a file that is no library is reported with the loader's words") {
  const cuda::library found = cuda::open_library({"passwd"}, {"/etc"});
  REQUIRE(found.handle == nullptr);
  REQUIRE(found.places.size() == 2);
  CHECK(has(found.places[1], "/etc/passwd: "));
  CHECK_FALSE(has(found.places[1], "no such file"));
}

TEST_CASE("loading: devices are counted without an error where there is no driver") {
  std::string why;
  if (cuda::find_driver(&why) == nullptr) {
    CHECK(cuda::device_count() == 0);
    CHECK_FALSE(why.empty());
    CHECK(error_of([] { cuda::driver(); }) == why);
  } else {
    CHECK(cuda::device_count() >= 0);
  }
}

TEST_CASE("loading: libraries of the driver's own generation come first") {
  fake_driver fake;
  cuda::driver_override() = &fake.api();
  fake.version = 12080;
  CHECK(cuda::toolkit_library_names("libnvrtc").front() == "libnvrtc.so.12");
  fake.version = 13000;
  CHECK(cuda::toolkit_library_names("libnvrtc").front() == "libnvrtc.so.13");
  cuda::driver_override() = nullptr;
}

TEST_CASE("driver: what a card is, and a card that is not there") {
  fake_driver fake;
  const cuda::card_facts facts = cuda::read_card_facts(fake.api(), 0);
  CHECK(facts.name == "Fake 9000");
  CHECK(facts.major == 9);
  CHECK(facts.multiprocessors == 132);
  CHECK(error_of([&] { cuda::read_card_facts(fake.api(), 3); }) ==
        "weft: there is no cuda(3): the driver finds 1 device");
}

TEST_CASE("driver: every failure says what was being done, and where") {
  fake_driver fake;
  const cuda::stream stream(fake.context());
  const cuda::kernel_launch how{reinterpret_cast<cuda::function_handle>(0x50)};
  const cuda::device_address pointers[] = {1, 2};
  fake.fail("launch", 1, cuda::driver_status::launch_out_of_resources);
  std::string text = error_of([&] {
    cuda::launch(fake.api(), how, pointers, stream.get(), {"launch softmax", "train.cpp:12"});
  });
  CHECK(has(text, "launch softmax (train.cpp:12) failed: CUDA_ERROR_OTHER (701): a fake error"));
  CHECK(has(text, "more registers or shared memory"));
  fake.fail("stream_synchronize", 1, cuda::driver_status::illegal_address);
  text = error_of([&] { stream.synchronize({"read the result of sum", "train.cpp:13"}); });
  CHECK(has(text, "read the result of sum (train.cpp:13) failed: CUDA_ERROR_ILLEGAL_ADDRESS"));
  CHECK(has(text, "launched before"));
  cuda::launch(fake.api(), how, pointers, stream.get(), "launch softmax");
  REQUIRE(fake.launches.size() == 1);
  CHECK(fake.launches[0].pointers == std::vector<cuda::device_address>{1, 2});
  const std::vector<cuda::device_address> many(cuda::max_kernel_pointers + 1);
  CHECK(has(error_of([&] { cuda::launch(fake.api(), how, many, stream.get(), "launch"); }),
            "more than 512"));
}

TEST_CASE("driver: copies move bytes, and copies of nothing call nothing") {
  fake_driver fake;
  const cuda::stream stream(fake.context());
  int from[4] = {1, 2, 3, 4};
  int middle[4] = {};
  int to[4] = {};
  const auto device = reinterpret_cast<cuda::device_address>(&middle);
  cuda::copy_to_device(fake.api(), device, from, sizeof(from), stream.get());
  cuda::copy_to_host(fake.api(), to, device, sizeof(to), stream.get());
  CHECK(to[3] == 4);
  cuda::fill_words(fake.api(), device, 7, 4, stream.get());
  CHECK(middle[2] == 7);
  cuda::fill_bytes(fake.api(), device, 0, sizeof(middle), stream.get());
  CHECK(middle[2] == 0);
  cuda::copy_to_host(fake.api(), to, device, 0, stream.get());
  CHECK(fake.calls["copy_to_host"] == 1);
}

TEST_CASE("driver: times and order of streams") {
  fake_driver fake;
  const cuda::stream stream(fake.context());
  const cuda::event start(fake.context(), cuda::event::use::timing);
  const cuda::event end(fake.context(), cuda::event::use::timing);
  start.record(stream.get());
  fake.clock_milliseconds += 2.5;
  end.record(stream.get());
  CHECK(end.milliseconds_since(start) == 2.5f);
  fake.fail("event_query", 1, cuda::driver_status::not_ready);
  CHECK_FALSE(end.reached());
  CHECK(end.reached());
  end.delay(stream.get());
  CHECK(fake.calls["stream_wait"] == 1);
}

TEST_CASE("bytes for people") {
  CHECK(cuda::bytes_text(0) == "0 B");
  CHECK(cuda::bytes_text(1023) == "1023 B");
  CHECK(cuda::bytes_text(1536) == "1.50 KiB");
  CHECK(cuda::bytes_text(std::size_t(3) << 30) == "3.00 GiB");
  CHECK(cuda::bytes_text((std::size_t(1) << 20) * 1029 / 1024) == "1.00 MiB");
}
