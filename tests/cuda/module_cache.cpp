// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "cuda/fake_driver.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <atomic>
#include <filesystem>
#include <thread>
#include <weft/cuda/module_cache.hpp>

namespace cuda = weft::detail::cuda;
using origin = cuda::kernel_report::origin;
using weft_tests::fake_driver;

namespace {

// A fake device, an empty folder, and a compiler that answers "image of SOURCE".
struct bench {
  fake_driver fake;
  std::string folder = (std::filesystem::temp_directory_path() / "weft-modules-XXXXXX").string();
  std::string architecture = "sm_90";
  std::atomic<int> compiled{0};
  cuda::disk_cache disk;

  bench() : disk(make_folder(folder)) {}
  ~bench() { std::filesystem::remove_all(folder); }

  static std::string make_folder(std::string& name) {
    REQUIRE(mkdtemp(name.data()) != nullptr);
    return name;
  }

  cuda::module_cache cache() {
    return cuda::module_cache(
        fake.context(), disk,
        [this](const cuda::kernel_source& source) {
          ++compiled;
          if (source.text == "bad") throw weft::device_error("kernel " + source.name + " is bad");
          return cuda::compiled_kernel{"image of " + source.text, 60, ""};
        },
        [this](const std::string& source) { return architecture + "\n" + source; });
  }
};

cuda::kernel_request request(const std::string& name, const std::string& source,
                             unsigned shared = 0) {
  return {name, source, shared};
}

}  // namespace

TEST_CASE("module cache: compiled once, then from memory, then from the disk") {
  bench b;
  const std::vector<cuda::kernel_request> wanted{request("a", "text a"), request("b", "text b")};
  cuda::function_handle first = nullptr;
  {
    cuda::module_cache cache = b.cache();
    const auto made = cache.load(wanted);
    first = made[0].function;
    CHECK(made[0].report.from == origin::compiled);
    CHECK(made[0].report.compile_milliseconds == 60);
    CHECK(made[0].report.registers == 32);
    CHECK(made[1].report.name == "b");
    CHECK(b.compiled == 2);
    const auto again = cache.load(wanted);
    CHECK(again[0].function == first);
    CHECK(again[0].report.from == origin::memory);
    CHECK(b.compiled == 2);
    CHECK(cache.size() == 2);
  }
  cuda::module_cache cache = b.cache();
  const auto from_disk = cache.load(wanted);
  CHECK(from_disk[1].report.from == origin::disk);
  CHECK(from_disk[1].report.compile_milliseconds == 0);
  CHECK(b.compiled == 2);
  CHECK(std::count(b.fake.loaded_images.begin(), b.fake.loaded_images.end(), "image of text b") ==
        2);
}

TEST_CASE("module cache: another architecture never gets this one's code") {
  bench b;
  const std::vector<cuda::kernel_request> wanted{request("a", "text")};
  b.cache().load(wanted);
  b.architecture = "sm_80";
  CHECK(b.cache().load(wanted)[0].report.from == origin::compiled);
  CHECK(b.compiled == 2);
}

TEST_CASE("module cache: an entry of the disk that the driver refuses is compiled again") {
  bench b;
  b.disk.put("kernels", "sm_90\ntext", "stale image");
  b.fake.refused_image = "stale image";
  cuda::module_cache cache = b.cache();
  CHECK(cache.load(std::vector{request("a", "text")})[0].report.from == origin::compiled);
  CHECK(b.disk.get("kernels", "sm_90\ntext") == "image of text");
}

TEST_CASE("module cache: one bad kernel is an error, the others stay, and the next try is whole") {
  bench b;
  cuda::module_cache cache = b.cache();
  const std::vector<cuda::kernel_request> wanted{request("a", "text a"), request("x", "bad"),
                                                 request("b", "text b")};
  CHECK_THROWS_WITH_AS(cache.load(wanted), "kernel x is bad", weft::device_error);
  CHECK(b.compiled == 3);
  const auto good = cache.load(std::vector{wanted[0], wanted[2]});
  CHECK(good[1].report.from == origin::memory);
  CHECK(b.compiled == 3);
  CHECK_THROWS_AS(cache.load(wanted), weft::device_error);
  CHECK(b.compiled == 4);
}

TEST_CASE("module cache: a fault while loading says which kernel") {
  bench b;
  cuda::module_cache cache = b.cache();
  b.fake.fail("module_load", 1, cuda::driver_status::no_binary_for_gpu);
  CHECK_THROWS_WITH_AS(cache.load(std::vector{request("softmax", "text")}),
                       doctest::Contains("load kernel softmax failed"), weft::device_error);
  b.fake.fail("module_function", 1, cuda::driver_status::not_found);
  // The image is on no disk yet, so it is the compiled one that has no such function.
  CHECK_THROWS_AS(cache.load(std::vector{request("softmax", "text")}), weft::device_error);
  CHECK(b.fake.calls["module_unload"] == 1);
}

TEST_CASE("module cache: dynamic shared memory above 48 KiB is allowed, and raised when asked") {
  bench b;
  cuda::module_cache cache = b.cache();
  const auto load = [&](unsigned bytes) {
    return cache.load(std::vector{request("a", "text", bytes)})[0].function;
  };
  const cuda::function_handle function = load(1000);
  CHECK(b.fake.allowed_shared.empty());
  load(100'000);
  CHECK(b.fake.allowed_shared[function] == 100'000);
  load(60'000);
  CHECK(b.fake.allowed_shared[function] == 100'000);
  load(200'000);
  CHECK(b.fake.allowed_shared[function] == 200'000);
  CHECK(b.compiled == 1);
}

TEST_CASE("module cache: threads that ask for the same kernels at once compile each once") {
  bench b;
  cuda::module_cache cache = b.cache();
  std::vector<cuda::kernel_request> forward, backward;
  for (int i = 0; i < 20; ++i) forward.push_back(request("k", "text " + std::to_string(i)));
  backward.assign(forward.rbegin(), forward.rend());
  std::vector<cuda::loaded_kernel> one, two;
  std::thread first([&] { one = cache.load(forward); });
  std::thread second([&] { two = cache.load(backward); });
  first.join();
  second.join();
  CHECK(b.compiled == 20);
  for (std::size_t i = 0; i < 20; ++i) CHECK(one[i].function == two[19 - i].function);
}

TEST_CASE("module cache: a kernel in the binary needs no compiler, unless the driver refuses it") {
  bench b;
  const cuda::built_kernel built[] = {{"a source that was built", "built image", 11}};
  cuda::built_kernels::all().add(built);
  const std::vector<cuda::kernel_request> wanted{request("a", "a source that was built")};
  const auto made = b.cache().load(wanted);
  CHECK(made[0].report.from == origin::binary);
  CHECK(made[0].report.image_bytes == 11);
  CHECK(b.fake.loaded_images == std::vector<std::string>{"built image"});
  CHECK(b.compiled == 0);
  b.fake.refused_image = "built image";
  CHECK(b.cache().load(wanted)[0].report.from == origin::compiled);
}
