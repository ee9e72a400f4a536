// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <doctest/doctest.h>

#include <weft/grad/transforms.hpp>
#include <weft/graph/encode.hpp>
#include <weft/graph/print.hpp>
#include <weft/graph/verify.hpp>
#include <weft/pass/pipeline.hpp>

#include "../support/capture.hpp"

// Duplicates and dead code go, and the order of nodes is the same wherever the passes run.
namespace w = weft;
using namespace weft_test;
using weft::detail::canonical;

namespace {

constexpr value_spec specs[]{f32({4, 3}), f32({3, 2}), f32({2})};
constexpr auto loss = [](auto x, auto m, auto b) {
  const auto h = w::tanh(w::matmul(x, m) + b);
  return w::mean(h * h + w::where(h > 0, w::sqrt(h), w::exp(h) - 1.0f));
};
constexpr graph differentiated() {
  return capture(specs, w::value_and_grad<0, 1, 2>(loss));
}

}  // namespace

TEST_CASE("canonical: equal nodes are one") {
  const graph g = capture(f32({3}), [](auto x) { return w::exp(x) * w::exp(x) + w::exp(x); });
  CHECK(count_of<w::exp_>(g) == 1);
  // Duplicates that only a rewriting makes.
  const graph h = weft::detail::simplify(
      capture(f32({3}), [](auto x) { return w::exp(x * 1.0f) - w::exp(x - 0.0f); }));
  CHECK(count_of<w::exp_>(h) == 1);
}

TEST_CASE("canonical: dead code goes, arguments keep their numbers") {
  const graph g = canonical(capture(specs, [](auto x, auto, auto b) {
    (void)w::exp(x);
    return b * 2.0f;
  }));
  CHECK(count_of<w::exp_>(g) == 0);
  CHECK(count_of<weft::detail::argument_>(g) == 1);
  CHECK(g.arguments == 3);
  CHECK(g.nodes[0].at.v[0] == 2);
}

TEST_CASE("canonical: the order comes from the outputs, not from the order of capture") {
  const auto text = [](auto f) {
    graph g = canonical(capture(specs, f));
    for (auto& place : g.where) place = {};
    return to_text(g);
  };
  CHECK(text([](auto, auto, auto b) {
          const auto p = w::sin(b), q = w::cos(b);
          return p * q;
        }) == text([](auto, auto, auto b) {
          const auto q = w::cos(b), p = w::sin(b);
          return p * q;
        }));
}

TEST_CASE("canonical: constant evaluation and run time make the same graph") {
  struct encoding {
    weft::index_t words[2048]{};
    int size = 0;
  };
  static constexpr encoding fixed = [] {
    encoding e;
    for (const weft::index_t w :
         weft::detail::encoded_graph(weft::detail::optimised(differentiated())))
      e.words[e.size++] = w;
    return e;
  }();
  static_assert(weft::detail::verify(weft::detail::decoded_graph(fixed.words)).empty());
  const graph run = weft::detail::optimised(differentiated()),
              compiled = weft::detail::decoded_graph(fixed.words);
  REQUIRE(run.size() == compiled.size());
  for (std::size_t i = 0; i < run.nodes.size(); ++i) CHECK(run.nodes[i] == compiled.nodes[i]);
  CHECK(run.outputs == compiled.outputs);
  CHECK(run.extents == compiled.extents);
}
