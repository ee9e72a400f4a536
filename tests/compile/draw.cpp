// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/compile/draw.hpp>

#include <weft/array/creation.hpp>
#include <weft/compile/control.hpp>
#include <weft/op/all.hpp>

#include <doctest/doctest.h>

#include <string>

namespace w = weft;

namespace {

int count(const std::string& text, const std::string& part) {
  int n = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++n;
  return n;
}
w::report example() {
  const w::matrix<float> x = w::ones<float>(8, 8);
  return w::explain([](auto a) { return w::matmul(w::softmax(a), a) < 2.0f; }, x);
}

}  // namespace

TEST_CASE("a report knows its nodes and the launch of each") {
  const w::report r = example();
  REQUIRE(r.launches() == 2);
  int softmax = 0, results = 0, none = 0;
  for (const w::report::node& n : r.nodes) {
    softmax += n.step == 0;
    results += n.result;
    none += n.step < 0;
    CHECK((n.op != "less" || (n.result && n.step == 1 && n.value == "bool(8, 8)")));
    CHECK((n.op != "exp" || n.value == "float32(8, 8)"));
    for (int x : n.operands) CHECK(x < static_cast<int>(&n - r.nodes.data()));
  }
  CHECK(softmax == 5);  // max, subtract, exp, sum, divide
  CHECK(results == 1);
  CHECK(none == static_cast<int>(r.nodes.size()) - 5 - 2);
  CHECK(w::to_json(r).find("\"op\": \"exp\", \"value\": \"float32(8, 8)\"") != std::string::npos);
}

TEST_CASE("parts of a program are drawn beside each other") {
  const w::vector<float> x = w::ones<float>(8);
  const w::report r =
      w::explain([](auto a) { return w::exp(w::masked_select(w::sin(a), a > 0.5)); }, x);
  REQUIRE(r.parts > 1);
  int sin = -1, exp = -1;
  for (const w::report::node& n : r.nodes) {
    if (n.op == "sin") sin = n.step;
    if (n.op == "exp") exp = n.step;
    for (int k : n.operands) CHECK(k < static_cast<int>(&n - r.nodes.data()));
  }
  CHECK(sin >= 0);
  CHECK(exp > sin);
  CHECK(exp < r.launches());
}

TEST_CASE("dot has a frame for each launch and an edge for each operand") {
  const w::report r = example();
  const std::string dot = w::to_dot(r);
  int edges = 0;
  for (const w::report::node& n : r.nodes) edges += static_cast<int>(n.operands.size());
  CHECK(count(dot, "subgraph cluster_") == 2);
  CHECK(count(dot, " -> ") == edges);
  CHECK(count(dot, "peripheries=2") == 1);
  CHECK(count(dot, "[label=\"%") == static_cast<int>(r.nodes.size()));
  CHECK(count(dot, "{") == count(dot, "}"));
}

TEST_CASE("the picture has every node, none on another, and a legend") {
  const w::report r = example();
  const std::string svg = w::to_svg(r);
  CHECK(svg.starts_with("<svg "));
  CHECK(count(svg, "<g>") == static_cast<int>(r.nodes.size()));
  CHECK(count(svg, "0: max_subtract_exp_sum_divide, ") == 1);
  CHECK(count(svg, "<text") == 3 * static_cast<int>(r.nodes.size()) + r.launches());
  const w::detail::drawing d(r);
  for (const auto& layer : d.layers)
    for (std::size_t i = 0; i + 1 < layer.size(); ++i) {
      const auto &a = d.boxes[static_cast<std::size_t>(layer[i])],
                 &b = d.boxes[static_cast<std::size_t>(layer[i + 1])];
      CHECK(a.x + a.width < b.x);
    }
  for (const auto& b : d.boxes) {
    CHECK(b.x >= 0);
    CHECK(b.x + b.width <= d.width);
    for (int a : b.above) CHECK(d.boxes[static_cast<std::size_t>(a)].layer + 1 == b.layer);
  }
  CHECK(w::detail::xml_text("a<b&c>") == "a&lt;b&amp;c&gt;");
}
