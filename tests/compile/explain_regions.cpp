// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/compile/explain.hpp>

#include <weft/array/creation.hpp>
#include <weft/compile/control.hpp>
#include <weft/compile/draw.hpp>
#include <weft/op/all.hpp>

#include <doctest/doctest.h>
#include <support/text.hpp>

#include <string>

namespace w = weft;
using weft_test::contains;

namespace {

using counts = std::vector<w::report::op_count>;

const auto look = [](w::view<const float, 1>) {};

/// Two breaks, each before something that needs the host's word.
const auto three = [](auto x, auto m) {
  auto y = w::tanh(w::matmul(m, x));
  auto k = w::item(w::sum(y));
  auto z = w::exp(y * k) + w::exp(x);
  return z * w::item(w::max(z)) * k;
};

}  // namespace

TEST_CASE("explain counts ops by name, kernels, bytes and arithmetic of every region") {
  const w::vector<float> x = w::ones<float>(8);
  const w::matrix<float> m = w::ones<float>(8, 8);
  const w::report r = w::explain(three, x, m);
  REQUIRE(r.regions() == 3);
  const auto g = r.by_region();
  REQUIRE(g.size() == 3);
  // exp(x) needs no word of the host, and may be computed in any region before it is read.
  CHECK(contains(w::detail::ops_text(g[0].work), "matmul"));
  CHECK(contains(w::detail::ops_text(g[0].work), "tanh, sum"));
  CHECK(g[2].work == counts{{"multiply", 2}});
  CHECK(g[2].kernels == 1);
  CHECK(g[2].launches == 1);
  CHECK(g[2].bytes == 4 * (8 + 1 + 1 + 8));
  CHECK(g[2].ops == 2 * 8);
  int exps = 0, launches = 0;
  std::int64_t bytes = 0, ops = 0;
  for (const w::report::region& one : g) {
    for (const w::report::op_count& c : one.work)
      if (c.op == "exp") exps += c.count;
    launches += one.launches;
    bytes += one.bytes;
    ops += one.ops;
    CHECK(one.kernels > 0);
  }
  CHECK(exps == 2);
  CHECK(launches == r.launches() - 2);  // the breaks are none
  CHECK(bytes == r.bytes());
  CHECK(ops == r.ops());

  const std::string text = w::to_text(r);
  CHECK(contains(text, "region  kernels  launches  moved  ops  of\n"));
  CHECK(contains(text, "2        1         1   72 B   16  2 multiply\n"));
  const std::string json = w::to_json(r);
  CHECK(contains(json,
                 "{\"kernels\": 1, \"launches\": 1, \"bytes\": 72, \"ops\": 16, \"work\": "
                 "{\"multiply\": 2}}\n]"));
  CHECK(contains(json, "\"region\": 2"));
  CHECK(contains(w::to_dot(r), ", region 2"));
}

TEST_CASE("a program without breaks is one region, its ops counted by name") {
  const w::vector<float> x = w::ones<float>(8);
  const w::report r = w::explain([](auto a) { return w::exp(w::exp(a)) + w::sin(a); }, x);
  REQUIRE(r.by_region().size() == 1);
  CHECK(r.by_region()[0].work == counts{{"exp", 2}, {"sin"}, {"add"}});
  CHECK(contains(w::to_text(r), "ops by name: 2 exp, sin, add\n"));
  CHECK_FALSE(contains(w::to_text(r), "region  kernels"));
  CHECK(contains(w::to_json(r), "\"work\": {\"exp\": 2, \"sin\": 1, \"add\": 1}"));
}

TEST_CASE("a body's steps are in the region of their loop, and equal kernels count once") {
  const w::vector<float> x = w::ones<float>(8);
  const w::report r = w::explain(
      [](auto a) {
        auto b = w::fori(
            5, [](auto, auto s) { return w::sin(s); }, a);
        return w::fori(
            7, [](auto, auto s) { return w::sin(s); }, w::graph_break(b, "look", look));
      },
      x);
  const auto g = r.by_region();
  REQUIRE(g.size() == 2);
  CHECK(g[0].work == counts{{"scan"}, {"sin"}});
  CHECK(g[0].work == g[1].work);
  CHECK(g[0].ops == 5 * 8);
  CHECK(g[1].ops == 7 * 8);
}

TEST_CASE("parts of a program are regions, too") {
  const w::vector<float> x = w::ones<float>(8);
  const w::report r =
      w::explain([](auto a) { return w::exp(w::masked_select(w::sin(a), a > 0.5)); }, x);
  REQUIRE(r.parts == 2);
  const auto g = r.by_region();
  REQUIRE(static_cast<int>(g.size()) == r.regions());
  CHECK(contains(w::detail::ops_text(g.front().work), "sin"));
  CHECK(contains(w::detail::ops_text(g.back().work), "exp"));
  CHECK_FALSE(contains(w::detail::ops_text(g.front().work), "exp"));
}
