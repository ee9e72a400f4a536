// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/cuda/prelude_text.hpp>
#include <weft/cuda/program_state.hpp>

#include "cuda/fake_driver.hpp"
#include "support/capture.hpp"

#include <doctest/doctest.h>

#include <weft/capture/derived.hpp>
#include <weft/pass/pipeline.hpp>

// How often programs are compiled while their extents change, with a driver that only counts.

namespace w = weft;
namespace cuda = weft::detail::cuda;
using namespace weft_test;
using weft::dyn;
using weft_tests::fake_driver;

namespace {

bool no_compiler() {
  if (cuda::nvrtc().failure.empty()) return false;
  MESSAGE("SKIPPED: no NVRTC here");
  return true;
}

/// A program on the fake driver, called with shapes.
class called {
 public:
  template <std::size_t N, class F>
  called(const value_spec (&specs)[N], F f)
      : gpu_(fake_.api(), 0, {{cuda::prelude_name, cuda::prelude_text}}, off_),
        words_(w::detail::encoded_graph(w::detail::optimised(capture(specs, f)))),
        state_(words_.data()) {}

  w::compile_options options{};

  /// Kernels that were compiled for the call, which gives one result.
  std::size_t operator()(std::vector<std::vector<index_t>> shapes, bool prepare = false) {
    std::vector<w::detail::argument_value> values;
    for (std::size_t i = 0; i < shapes.size(); ++i)
      values.push_back({prepare ? nullptr : memory_ + 4096 * i, shapes[i].data(), nullptr});
    std::vector<void*> out{prepare ? nullptr : memory_ + 32768};
    const std::vector<int> numbers(shapes.size() + 1, 0);
    w::detail::device_call c;
    c.where = w::cuda(0);
    c.options = options;
    c.arguments = values.data();
    c.number_bytes = numbers.data();
    c.results = out.data();
    const std::size_t before = gpu_.modules.size();
    c.prepare = prepare;
    const auto it = state_.find(gpu_, c);
    if (!prepare) it->run(c.arguments, c.number_bytes, c.results);
    return gpu_.modules.size() - before;
  }
  int recompiles() const { return state_.recompiles(gpu_); }
  std::string text() const { return state_.shapes_text(gpu_, options.dynamic); }
  fake_driver& fake() { return fake_; }

 private:
  alignas(64) std::byte memory_[65536];
  fake_driver fake_;
  cuda::disk_cache off_{""};
  cuda::gpu gpu_;
  std::vector<index_t> words_;
  cuda::program_state state_;
};

constexpr auto softmax = [](auto x) { return w::softmax(x); };
constexpr auto with_bias = [](auto x, auto b) { return w::tanh(x + b); };

}  // namespace

TEST_CASE("changing shapes: one compile more for all batches, the last one of an epoch too") {
  if (no_compiler()) return;
  called f({f32({dyn, 64})}, softmax);
  CHECK(f({{128, 64}}) == 1);  // literals
  CHECK(f({{128, 64}}) == 0);
  CHECK(f({{37, 64}}) == 1);  // the batch becomes a parameter
  for (const index_t batch : {128, 37, 64, 5, 1000, 2, 129, 99999}) CHECK(f({{batch, 64}}) == 0);
  CHECK(f.recompiles() == 1);
  CHECK(f({{1, 64}}) == 1);  // one row has no loop of rows
  CHECK(f({{0, 64}}) == 0);  // nothing to do
  CHECK(f.recompiles() == 2);
  CHECK(f.text() == "parameters of its kernels: argument 1, axis 0\nmade again 2 times\n");
}

TEST_CASE("changing shapes: batch sizes and sequence lengths over a run") {
  if (no_compiler()) return;
  called f({f32({dyn, dyn}), f32({dyn})}, with_bias);
  std::size_t kernels = 0;
  std::uint64_t random = 1;
  for (int i = 0; i < 200; ++i) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    const auto batch = static_cast<index_t>(2 + (random >> 33) % 63),
               length = static_cast<index_t>(2 + (random >> 41) % 500);
    kernels += f({{i % 10 ? 32 : batch, length}, {length}});
  }
  // Literals; the length; rows in vectors and not, for the batch of literals and for one that is a
  // parameter.
  CHECK(kernels <= 5);
  CHECK(f.recompiles() <= 4);
}

TEST_CASE("changing shapes: all are parameters from the start") {
  if (no_compiler()) return;
  called on({f32({dyn, 64})}, softmax);
  on.options.dynamic = w::dynamic_shapes::on;
  on.options.on_recompile = w::on_recompile::fail;
  CHECK(on({{128, 64}}) == 1);
  for (const index_t batch : {37, 64, 5}) CHECK(on({{batch, 64}}) == 0);
  CHECK(on.recompiles() == 0);
}

TEST_CASE("changing shapes: none is ever a parameter") {
  if (no_compiler()) return;
  called off({f32({dyn, 64})}, softmax);
  off.options.dynamic = w::dynamic_shapes::off;
  for (const index_t batch : {128, 37, 64}) CHECK(off({{batch, 64}}) == 1);
  CHECK(off.recompiles() == 2);
}

TEST_CASE("changing shapes: a recompile can be an error that says what changed") {
  if (no_compiler()) return;
  called f({f32({dyn, dyn}), f32({dyn})}, with_bias);
  f.options.on_recompile = w::on_recompile::fail;
  CHECK(f({{32, 60}, {60}}) == 1);
  CHECK_THROWS_WITH_AS(f({{32, 61}, {61}}), doctest::Contains("argument 1, axis 1: 61, was 60"),
                       w::shape_error);
  CHECK_THROWS_AS(f({{32, 61}, {61}}), w::shape_error);
  CHECK(f({{32, 60}, {60}}) == 0);  // as before
  f.options.on_recompile = w::on_recompile::allow;
  CHECK(f({{32, 61}, {61}}) == 1);
}

TEST_CASE("changing shapes: after the limit everything is a parameter") {
  if (no_compiler()) return;
  called f({f32({dyn, dyn}), f32({dyn})}, with_bias);
  f.options.recompile_limit = 1;
  CHECK(f({{32, 61}, {61}}) == 1);
  CHECK(f({{31, 61}, {61}}) == 1);  // the batch
  CHECK(f({{30, 63}, {63}}) == 1);  // all
  CHECK(f.text().find("axis 1") != std::string::npos);
  CHECK(f({{33, 65}, {65}}) == 0);
}

TEST_CASE("changing shapes: memory and launches are those of the call") {
  if (no_compiler()) return;
  called f({f32({dyn, 40})}, [](auto x) { return w::softmax(x, w::axis<0>) + w::sum(x); });
  for (const index_t batch : {128, 37, 300, 299, 1024}) {
    f.fake().launches.clear();
    f({{batch, 40}});
    CHECK(!f.fake().launches.empty());
  }
  for (const index_t batch : {128, 37, 300, 299, 1024}) CHECK(f({{batch, 40}}) == 0);
}

TEST_CASE("prepare: kernels are there at the first call, and nothing ran before") {
  if (no_compiler()) return;
  for (const w::mode mode : {w::mode::standard, w::mode::max_autotune}) {
    called f({f32({dyn, 64}), f32({64})}, with_bias);
    f.options.mode = mode;
    const std::size_t made = f({{128, 64}, {64}}, true);
    CHECK(made >= 1);
    if (mode == w::mode::standard) CHECK(f.fake().launches.empty());
    CHECK(f({{128, 64}, {64}}) == 0);
    CHECK(!f.fake().launches.empty());
  }
}
