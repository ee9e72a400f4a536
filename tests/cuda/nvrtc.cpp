// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <weft/cuda/nvrtc.hpp>

namespace cuda = weft::detail::cuda;

namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

const std::string good = R"(extern "C" __global__ void twice(const float* x, float* y) {
  y[threadIdx.x] = 2 * x[threadIdx.x];
})";

// A cache whose folder is gone at the end of the test, with the sources that did not compile.
struct scratch_cache {
  std::string folder = (std::filesystem::temp_directory_path() / "weft-nvrtc-XXXXXX").string();
  cuda::disk_cache cache{make(folder)};
  ~scratch_cache() { std::filesystem::remove_all(folder); }
  static std::string make(std::string& name) {
    REQUIRE(mkdtemp(name.data()) != nullptr);
    return name;
  }
};

// NVRTC, or null and a message that the test was skipped.
const cuda::nvrtc_state* compiler() {
  if (cuda::nvrtc().failure.empty()) return &cuda::nvrtc();
  MESSAGE("SKIPPED: no NVRTC here");
  return nullptr;
}

// A cubin is an ELF file.
bool is_cubin(const std::string& image) {
  return image.starts_with(
      "\x7f"
      "ELF");
}

}  // namespace

TEST_CASE("nvrtc: a kernel becomes a cubin for each architecture") {
  const cuda::nvrtc_state* state = compiler();
  if (!state) return;
  scratch_cache scratch;
  for (const int major : {8, 9, 10}) {
    cuda::compile_settings settings;
    settings.major = major;
    const cuda::compiled_kernel result =
        cuda::compile_source(*state, {"twice", good}, settings, scratch.cache);
    CAPTURE(major);
    CHECK(is_cubin(result.image));
    CHECK(has(result.image, "twice"));
    CHECK(result.milliseconds > 0);
    CHECK(result.log.empty());
  }
}

TEST_CASE("nvrtc: headers come from memory, and from nowhere else") {
  const cuda::nvrtc_state* state = compiler();
  if (!state) return;
  scratch_cache scratch;
  cuda::compile_settings settings;
  settings.includes = {{"weft/cuda/prelude.hpp", "inline float triple(float x) { return 3 * x; }"}};
  std::string source =
      "#include <weft/cuda/prelude.hpp>\n"
      "extern \"C\" __global__ void f(float* y) { *y = triple(*y); }";
  CHECK(is_cubin(cuda::compile_source(*state, {"f", source}, settings, scratch.cache).image));
  // A header that only the disk has is not found: no kernel depends on a file of this machine.
  source = "#include <cuda_bf16.h>\n" + good;
  CHECK_THROWS_WITH_AS(cuda::compile_source(*state, {"twice", source}, settings, scratch.cache),
                       doctest::Contains("cuda_bf16.h"), weft::device_error);
}

TEST_CASE("nvrtc: products and sums stay apart, since an fma is a node of the program") {
  const cuda::nvrtc_state* state = compiler();
  if (!state) return;
  const auto options = cuda::compile_options(*state, {});
  CHECK(std::find(options.begin(), options.end(), "--fmad=false") != options.end());
  CHECK(options.front() == "--gpu-architecture=sm_90");
}

TEST_CASE("nvrtc: a source that does not compile is kept, and the whole log is told") {
  const cuda::nvrtc_state* state = compiler();
  if (!state) return;
  scratch_cache scratch;
  const std::string source = "extern \"C\" __global__ void bad() { first_name = second_name; }";
  std::string text;
  try {
    cuda::compile_source(*state, {"bad", source}, {}, scratch.cache);
  } catch (const weft::device_error& error) {
    text = error.what();
  }
  CHECK(has(text, "kernel bad does not compile"));
  CHECK(has(text, "--fmad=false"));
  CHECK(has(text, "first_name"));
  CHECK(has(text, "second_name"));
  const std::size_t at = text.find("source: ") + 8;
  std::ifstream saved(text.substr(at, text.find('\n', at) - at));
  CHECK(std::string(std::istreambuf_iterator<char>(saved), {}) == source);
}

TEST_CASE("nvrtc: compile_all keeps the order, and throws when all have ended") {
  const cuda::nvrtc_state* state = compiler();
  if (!state) return;
  scratch_cache scratch;
  std::vector<cuda::kernel_source> sources;
  for (const char* name : {"first", "second", "third"}) {
    sources.push_back(
        {name, "extern \"C\" __global__ void " + std::string(name) + "(int* x) { *x = 1; }"});
  }
  const auto results = cuda::compile_all(*state, sources, {}, scratch.cache);
  REQUIRE(results.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) CHECK(has(results[i].image, sources[i].name));
  sources[1].text = "no kernel";
  CHECK_THROWS_WITH_AS(cuda::compile_all(*state, sources, {}, scratch.cache),
                       doctest::Contains("kernel second does not compile"), weft::device_error);
}

TEST_CASE("nvrtc: work in parallel is all done, and the first error is the lowest") {
  std::atomic<int> done{0};
  std::string text;
  try {
    cuda::for_each_in_parallel(20, [&](std::size_t i) {
      ++done;
      if (i == 7 || i == 3) throw weft::error("item " + std::to_string(i));
    });
  } catch (const weft::error& error) {
    text = error.what();
  }
  CHECK(done == 20);
  CHECK(text == "item 3");
  cuda::for_each_in_parallel(0, [&](std::size_t) { ++done; });
  CHECK(done == 20);
}

TEST_CASE("nvrtc: the key has all that a kernel depends on") {
  cuda::nvrtc_state state;
  state.major = 13;
  state.architectures = {80, 90, 100};
  cuda::compile_settings settings;
  settings.includes = {{"a.hpp", "text"}};
  const std::string key = cuda::compile_key(state, settings, "source");
  CHECK(has(key, "weft " + std::string(weft::version)));
  const auto differs = [&](const cuda::nvrtc_state& s, const cuda::compile_settings& c,
                           const std::string& source) {
    return cuda::compile_key(s, c, source) != key;
  };
  CHECK_FALSE(differs(state, settings, "source"));
  CHECK(differs(state, settings, "source2"));
  cuda::nvrtc_state newer = state;
  newer.minor = 1;
  CHECK(differs(newer, settings, "source"));
  cuda::compile_settings other = settings;
  other.major = 8;
  CHECK(differs(state, other, "source"));
  other = settings;
  other.includes[0].text = "texts";
  CHECK(differs(state, other, "source"));
  other = settings;
  other.extra_options = {"--maxrregcount=64"};
  CHECK(differs(state, other, "source"));
  // A header's end and the source's start are told apart.
  settings.includes[0].text = "textsource 6\nsource";
  CHECK(cuda::compile_key(state, settings, "") != key);
}

TEST_CASE("nvrtc: a card that is newer than the compiler gets PTX, one that is too old an error") {
  cuda::nvrtc_state state;
  state.major = 13;
  state.architectures = {75, 80, 90};
  CHECK(cuda::compile_target(state, 9, 0) == "sm_90");
  CHECK(cuda::compile_target(state, 12, 1) == "compute_90");
  CHECK(cuda::compile_target(state, 8, 6) == "compute_80");
  CHECK_THROWS_WITH_AS(cuda::compile_target(state, 7, 0),
                       doctest::Contains("does not compile for sm_70, only from sm_75 on"),
                       weft::device_error);
  cuda::nvrtc_state missing;
  missing.failure = "no NVRTC";
  CHECK_THROWS_WITH_AS(cuda::compile_key(missing, {}, "source"), "no NVRTC", weft::device_error);
  const cuda::nvrtc_state* real = compiler();
  if (!real) return;
  scratch_cache scratch;
  cuda::compile_settings future;
  future.major = 99;
  const auto result = cuda::compile_source(*real, {"twice", good}, future, scratch.cache);
  CHECK(has(result.image, ".target"));
  CHECK(has(result.image, ".visible .entry twice"));
}

TEST_CASE("the version is the one of CMakeLists.txt") {
  const std::filesystem::path root =
      std::filesystem::path(__FILE__).parent_path().parent_path().parent_path();
  std::ifstream file(root / "CMakeLists.txt");
  REQUIRE(file.good());
  const std::string text(std::istreambuf_iterator<char>(file), {});
  CHECK(has(text, "project(weft VERSION " + std::string(weft::version) + " "));
}
