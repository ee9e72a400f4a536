// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <doctest/doctest.h>

#include <weft/graph/dot.hpp>

#include "../support/capture.hpp"

namespace w = weft;
using namespace weft_test;

namespace {

/// The text without places, which move with every edit of this file.
std::string without_places(std::string s) {
  for (std::size_t at; (at = s.find("   // ")) != std::string::npos;)
    s.erase(at, s.find('\n', at) - at);
  return s;
}
constexpr value_spec two_tables[]{f32({w::dyn, 128}), f32({w::dyn, 128})};
constexpr auto f = [](auto x, auto y) {
  return std::tuple{w::sum(x * y - 0.1f, w::axis<0>), w::transpose(x), w::concat(w::axis<0>, x, y)};
};

}  // namespace

TEST_CASE("print: a graph as text") {
  CHECK(without_places(to_text(capture(two_tables, f))) ==
        "graph of 2 arguments\n"
        "?0 = extent of argument 0 along axis 0\n"
        "?1 = extent of argument 1 along axis 0\n"
        "?2 = ?0 + ?0\n"
        "guard ?0 broadcasts with ?1\n"
        "%0 = argument 0 : float32(?0, 128)\n"
        "%1 = argument 1 : float32(?0, 128)\n"
        "%2 = multiply %0 %1 : float32(?0, 128)\n"
        "%3 = constant 0.1 : float32()\n"
        "%4 = broadcast %3 : float32(?0, 128)\n"
        "%5 = subtract %2 %4 : float32(?0, 128)\n"
        "%6 = sum<0> %5 : float32(1, 128)\n"
        "%7 = reshape %6 : float32(128)\n"
        "%8 = permute<1, 0> %0 : float32(128, ?0)\n"
        "%9 = concat<0> %0 %1 : float32(?2, 128)\n"
        "return %7 %8 %9\n");
}

TEST_CASE("print: nodes say where they come from") {
  const std::string s = to_text(capture(f32(), [](auto x) { return w::exp(x); }));
  CHECK(s.find("%1 = exp %0 : float32()   // print.cpp:") != std::string::npos);
}

TEST_CASE("print: numbers read back as themselves") {
  weft::detail::builder b;
  const auto text = [&](symbol s) { return weft::detail::number_text(s.node()); };
  CHECK(text(make_number(b, dtype::float64, 0.1)) == "0.1");
  CHECK(text(make_number(b, dtype::float32, 1e-45)) == "1e-45");
  CHECK(text(make_number(b, dtype::float32, -0.0)) == "-0");
  CHECK(text(make_constant(b, dtype::int32, static_cast<std::uint64_t>(-3))) == "-3");
  CHECK(text(make_constant(b, dtype::uint64, ~std::uint64_t{0})) == "18446744073709551615");
  CHECK(text(make_constant(b, dtype::boolean, 1)) == "true");
}

TEST_CASE("print: a graph for Graphviz") {
  CHECK(to_dot(capture(f32({2}), [](auto x) { return w::sum(x * x); })) ==
        "digraph weft {\n"
        "  node [shape=box, fontname=\"monospace\"];\n"
        "  n0 [label=\"argument 0\\nfloat32(2)\", shape=ellipse];\n"
        "  n1 [label=\"multiply\\nfloat32(2)\"];\n"
        "  n0 -> n1 [label=0];\n"
        "  n0 -> n1 [label=1];\n"
        "  n2 [label=\"sum<0>\\nfloat32(1)\", style=filled];\n"
        "  n1 -> n2;\n"
        "  n3 [label=\"reshape\\nfloat32()\", style=dashed, peripheries=2];\n"
        "  n2 -> n3;\n"
        "}\n");
}
