// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <doctest/doctest.h>

#include <weft/base/error.hpp>
#include <weft/graph/verify.hpp>

#include <string>

#include "../support/capture.hpp"

namespace w = weft;
using namespace weft_test;
using weft::detail::id_of;
using weft::detail::verify;

namespace {

constexpr auto everything = [](auto x, auto y, auto i) {
  const auto p = w::matmul(x, w::transpose(x));
  const auto c = w::concat(w::axis<1>, x, x + y);
  return std::tuple{w::sum(p),
                    w::mean(x, w::axis<0>),
                    w::take(x, i),
                    c.reshaped(weft::detail::shape_of{1, {12}}),
                    x.sliced(1, 2, -1, 2),
                    w::where(x > 0, x, y),
                    w::cast<std::int32_t>(y)};
};
constexpr value_spec specs[]{f32({2, 3}), f32({3}), i32({4})};

/// A well-formed graph after a change; the fault that the verifier finds.
template <class F>
std::string fault_of(F&& change) {
  auto g = capture(specs, everything);
  REQUIRE(verify(g).empty());
  change(g);
  return std::string(verify(g).view());
}
template <class Op>
auto& find(graph& g) {
  for (auto& n : g.nodes)
    if (n.op == id_of<Op>) return n;
  throw w::value_error("no such node");
}
bool mentions(const std::string& text, const std::string& what) {
  return text.find(what) != std::string::npos;
}

}  // namespace

TEST_CASE(
    "verify: accepts what capture makes, with known and open extents, in constant evaluation too") {
  static_assert(verify(capture(specs, everything)).empty());
  const value_spec open[]{opened(f32({2, 3})), opened(f32({3}))};
  constexpr auto f = [](auto x, auto y) {
    const auto d = w::concat(w::axis<0>, y, y);
    return std::tuple{w::mean(x * y), w::matmul(x, y), d, w::sum(x, w::axis<0>).sum_to(y)};
  };
  CHECK(std::string(verify(capture(open, f)).view()) == "");
  CHECK(std::string(verify(capture(open, f, true)).view()) == "");
}

TEST_CASE("verify: finds the fault of each kind") {
  using namespace weft::detail;
  CHECK(mentions(fault_of([](graph& g) { find<w::add_>(g).in[1] = g.size(); }),
                 "add: an operand comes later"));
  CHECK(mentions(fault_of([](graph& g) { find<w::add_>(g).in[1] = -1; }),
                 "add: wrong number of operands"));
  CHECK(mentions(fault_of([](graph& g) { find<w::add_>(g).in[2] = 0; }),
                 "add: wrong number of operands"));
  CHECK(mentions(fault_of([](graph& g) { find<w::add_>(g).in[1] = 1; }),
                 "add: operands need the shape"));
  CHECK(mentions(fault_of([](graph& g) { find<w::add_>(g).in[1] = 2; }),
                 "operands of different dtypes"));
  CHECK(mentions(fault_of([](graph& g) { find<w::add_>(g).type = dtype::float64; }),
                 "add: needs numbers"));
  CHECK(mentions(fault_of([](graph& g) { find<w::add_>(g).op = 255; }), "no such op"));
  CHECK(mentions(fault_of([](graph& g) { find<w::greater_>(g).type = dtype::float32; }),
                 "greater: must give bool"));
  CHECK(mentions(fault_of([](graph& g) { find<w::where_>(g).in[0] = 0; }),
                 "where: needs a bool condition"));
  CHECK(mentions(fault_of([](graph& g) { find<cast_>(g).at.v[0] = 0; }), "cast: another dtype"));
  CHECK(mentions(fault_of([](graph& g) { find<permute_>(g).at.v[1] = 1; }),
                 "permute: not a permutation"));
  CHECK(mentions(fault_of([](graph& g) { find<permute_>(g).shape.d[0] = 2; }),
                 "permute: extents do not follow"));
  CHECK(mentions(fault_of([](graph& g) {
                   find<reshape_>(g).shape = {1, {7}};
                 }),
                 "reshape: the number of elements"));
  CHECK(mentions(fault_of([](graph& g) { find<broadcast_>(g).shape.d[1] = 4; }),
                 "broadcast: shapes do not"));
  CHECK(mentions(fault_of([](graph& g) { find<slice_>(g).at.v[1] = 3; }), "slice: out of range"));
  CHECK(mentions(fault_of([](graph& g) { find<slice_>(g).at.v[2] = -3; }), "slice: out of range"));
  CHECK(mentions(fault_of([](graph& g) { find<reduce_sum_>(g).at.v[0] = 4; }),
                 "sum: axes out of range"));
  CHECK(mentions(fault_of([](graph& g) { find<reduce_sum_>(g).shape.d[0] = 2; }),
                 "sum: reduced axes have"));
  CHECK(mentions(fault_of([](graph& g) { find<product_>(g).in[1] = 0; }),
                 "matmul: inner extents differ"));
  CHECK(mentions(fault_of([](graph& g) { find<concat_>(g).shape.d[1] = 5; }),
                 "concat: extents do not add up"));
  CHECK(mentions(fault_of([](graph& g) { find<gather_>(g).at.v[0] = 2; }),
                 "take: the axis is out of range"));
  CHECK(mentions(fault_of([](graph& g) { find<gather_>(g).in[1] = 1; }),
                 "take: indices must be integers"));
  CHECK(mentions(fault_of([](graph& g) { find<gather_>(g).shape.d[0] = 5; }),
                 "take: extents do not follow"));
  CHECK(mentions(fault_of([](graph& g) { g.nodes[0].at.v[0] = 3; }), "argument: no such argument"));
  CHECK(mentions(fault_of([](graph& g) { g.nodes[0].shape.d[0] = symbol_extent(0); }),
                 "an extent is unknown"));
  CHECK(mentions(fault_of([](graph& g) { g.outputs[0] = g.size(); }), "does not exist"));
  CHECK(mentions(fault_of([](graph& g) { g.where.pop_back(); }), "a place for each node"));
}

TEST_CASE("verify: a message shows the node and its operands") {
  const std::string m = fault_of([](graph& g) { find<w::add_>(g).in[1] = 1; });
  CHECK(mentions(m, "float32(2, 3) from float32(2, 3) from float32(3)"));
}
