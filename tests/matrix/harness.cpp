// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "pointwise.hpp"

// What the matrix is built on notices what it should.
namespace {

using namespace weft_test;

struct twice {
  constexpr auto operator()(auto x) const { return x + x; }
};
using twice_program = program_of_function<twice, strided(f32({weft::dyn, weft::dyn}))>;

}  // namespace

TEST_CASE("op matrix: every layout gives the same elements, and wrong ones are noticed") {
  auto x = filled(dtype::float32, {3, 5}, 1);
  for (layout how : all_layouts) {
    const auto v = how == layout::expanded ? levelled(x) : x;
    const auto found = run<twice_program>({v}, {how});
    auto wanted = expected<twice_program>({v});
    CHECK(bits_differ(found, wanted) == "");
    wanted[0].reals[7] = std::nextafter(static_cast<float>(wanted[0].reals[7]), 100.0f);
    CHECK(bits_differ(found, wanted) != "");
  }
}

TEST_CASE("op matrix: a write beside an array is noticed") {
  array_memory a(filled(dtype::float32, {4}, 1), layout::shifted);
  CHECK(a.margins_are_whole());
  static_cast<float*>(a.data())[4] = 1;
  CHECK(!a.margins_are_whole());
  array_memory b(filled(dtype::float32, {4}, 1), layout::shifted);
  static_cast<float*>(b.data())[-1] = 1;
  CHECK(!b.margins_are_whole());
}

TEST_CASE("op matrix: every pointwise op takes part") {
  std::vector<std::string_view> seen;
  auto note = [&](const auto& results) {
    for (const matrix_result& r : results) seen.push_back(r.op);
  };
  note(matrix_batch<dtype::float32, 1, false, false, 0, 1000>::results());
  note(matrix_batch<dtype::float32, 1, true, false, 0, 1000>::results());
  note(matrix_batch<dtype::int32, 1, false, false, 0, 1000>::results());
  note(matrix_batch<dtype::boolean, 1, false, false, 0, 1000>::results());
  const auto has = [&](std::string_view op) {
    for (auto s : seen)
      if (s == op) return true;
    return false;
  };
  for (const auto* op : {"add", "where", "exp", "fma", "shift_left", "gelu", "clamp"})
    CHECK(has(op));
  for (int i = 0; i < weft::detail::primitives::size; ++i) {
    const auto& f = weft::detail::info(static_cast<op_id>(i));
    CAPTURE(f.name);
    if (f.kind == weft::detail::op_kind::pointwise && f.types != typing::special)
      CHECK(has(f.name));
  }
}
