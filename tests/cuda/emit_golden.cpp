// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/capture/derived.hpp>
#include <weft/cuda/emit.hpp>
#include <weft/grad/transforms.hpp>
#include <weft/pass/pipeline.hpp>
#include <weft/plan/make_plan.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "paths.hpp"
#include "support/capture.hpp"

// Emitted sources of common patterns, word for word: golden/NAME.txt. A change that is meant is
// recorded by running this test with WEFT_WRITE_GOLDEN=1, and reviewed as a diff.

namespace w = weft;
namespace cuda = weft::detail::cuda;
using namespace weft_test;

namespace {

std::string emitted(const graph& g) {
  REQUIRE(std::string(g.error.view()) == "");
  const auto p = w::detail::make_plan(w::detail::optimised(g));
  REQUIRE(std::string(p.error.view()) == "");
  const std::vector<index_t> none(p.extents.size() + 1);
  std::string s;
  for (int t = 0; t < static_cast<int>(p.steps.size()); ++t) {
    const cuda::emitted_step e = cuda::emit(p, t, none.data(), cuda::card{});
    for (const cuda::emitted_kernel& k : e.kernels) {
      s += "== step " + std::to_string(t) + ": " + k.name + ", grid " + std::to_string(k.grid[0]) +
           " x " + std::to_string(k.grid[1]) + ", block " + std::to_string(k.block[0]) +
           ", workspace " + std::to_string(e.workspace) + "\n" + k.source;
    }
    // The same text again: a pure function.
    const cuda::emitted_step again = cuda::emit(p, t, none.data(), cuda::card{});
    for (std::size_t k = 0; k < e.kernels.size(); ++k)
      CHECK(again.kernels[k].source == e.kernels[k].source);
  }
  return s;
}
void check_golden(const std::string& name, const graph& g) {
  CAPTURE(name);
  const std::string text = emitted(g);
  const std::string path = std::string(source_dir()) + "/tests/cuda/golden/" + name + ".txt";
  if (std::getenv("WEFT_WRITE_GOLDEN")) {
    std::ofstream(path) << text;
    return;
  }
  std::ifstream file(path);
  REQUIRE_MESSAGE(file.good(), path);
  std::stringstream recorded;
  recorded << file.rdbuf();
  CHECK(recorded.str() == text);
}

constexpr auto bf = [](std::initializer_list<index_t> e) { return spec(dtype::bfloat16, e); };
constexpr auto golden_norm_loss = [](auto x, auto weight, auto bias, auto g) {
  return w::sum(w::layer_norm(x, weight, bias) * g);
};
constexpr auto class_loss = [](auto x, auto labels) { return w::cross_entropy(x, labels); };
constexpr auto golden_take_loss = [](auto x, auto i) { return w::sum(w::square(w::take(x, i))); };

}  // namespace

TEST_CASE("golden sources: pointwise") {
  check_golden("chain", capture({f32({8192, 8192}), f32({8192, 8192}), f32({8192, 8192})},
                                [](auto a, auto b, auto c) {
                                  return w::tanh(a * b + c) * w::sigmoid(a) - b;
                                }));
  check_golden("bias_gelu", capture({bf({16384, 4096}), bf({4096})},
                                    [](auto x, auto b) { return w::gelu_tanh(x + b); }));
  check_golden("dropout", capture({bf({16384, 4096}), spec(dtype::uint32, {2})},
                                  [](auto x, auto key) { return w::dropout(x, key, 0.1) + x; }));
  check_golden("odd", capture({f32({1001})}, [](auto x) { return w::exp(x); }));
  check_golden("transpose",
               capture(f32({16384, 4096}), [](auto x) { return w::transpose(x) + 1; }));
}

TEST_CASE("golden sources: rows and columns") {
  check_golden("softmax", capture(f32({16384, 4096}), [](auto x) { return w::softmax(x); }));
  check_golden("softmax_short", capture(f32({1000, 10}), [](auto x) { return w::softmax(x); }));
  check_golden("softmax_long", capture(f32({2, 1000000}), [](auto x) { return w::softmax(x); }));
  check_golden("layer_norm",
               capture({bf({16384, 4096}), bf({4096}), bf({4096})},
                       [](auto x, auto a, auto b) { return w::layer_norm(x, a, b); }));
  check_golden("layer_norm_backward",
               capture({bf({16384, 4096}), bf({4096}), bf({4096}), bf({16384, 4096})},
                       [](auto x, auto a, auto b, auto g) {
                         return w::grad<0, 1, 2>(golden_norm_loss)(x, a, b, g);
                       }));
  check_golden("sum_columns",
               capture(f32({16384, 4096}), [](auto x) { return w::sum(x, w::axis<0>); }));
  check_golden("sum_all", capture(f32({16384, 4096}), [](auto x) { return w::sum(x); }));
  check_golden("cross_entropy", capture({bf({8192, 50304}), i32({8192})}, [](auto x, auto i) {
                 return w::value_and_grad(class_loss)(x, i);
               }));
}

TEST_CASE("golden sources: indices") {
  check_golden("take_gradient", capture({f32({50000, 768}), i32({4096})}, [](auto x, auto i) {
                 return w::grad(golden_take_loss)(x, i);
               }));
  check_golden("argmax",
               capture(f32({1000, 512}), [](auto x) { return w::argmax(x, w::axis<1>); }));
}

TEST_CASE("the first candidate is the emitter's choice, and all of them are kernels") {
  const graph g = capture(f32({300, 512}), [](auto x) {
    return std::tuple{w::softmax(x), w::sum(x * x, w::axis<0>)};
  });
  const auto p = w::detail::make_plan(w::detail::optimised(g));
  const std::vector<index_t> none(p.extents.size() + 1);
  for (int t = 0; t < static_cast<int>(p.steps.size()); ++t) {
    const auto all = cuda::candidates(p, t, none.data(), cuda::card{});
    REQUIRE(all.size() > 2);
    CHECK(all[0].threads == 0);
    for (const cuda::tuning& u : all)
      for (const auto& k : cuda::emit(p, t, none.data(), cuda::card{}, u).kernels) {
        CHECK(k.block[0] % 32 == 0);
        CHECK(k.block[0] <= 1024);
        CHECK(k.source.find(k.name) != std::string::npos);
      }
  }
}
