// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "pointwise.hpp"

// Every dtype to every other, exactly: truncated, saturated, wrapped, NaN to 0.
namespace {

using namespace weft_test;

template <dtype From, int Rank>
struct cast_batch {
  static constexpr graph build(weft::detail::capture_mode mode) {
    builder b;
    b.general = mode.general;
    const symbol x = weft::detail::make_argument(b, matrix_spec(From, Rank), 0);
    for (int t = 0; t < weft::detail::dtype_count; ++t)
      if (static_cast<dtype>(t) != From) b.g.outputs.push_back(x.as(static_cast<dtype>(t)).id());
    return b.finished();
  }
};

template <dtype From>
void check_casts() {
  CAPTURE(name(From));
  using flat = cast_batch<From, 1>;
  const auto x = sample(From, {1025}, 5);
  const auto found = run<flat>({x});
  CHECK(bits_differ(found, expected<flat>({x}, reference_arithmetic::own)) == "");
  for (index_t n = 0; n <= 2 * lanes + 1; ++n) {
    std::vector<reference_value> wanted;
    for (const auto& v : found) wanted.push_back(prefix(v, n));
    CAPTURE(n);
    CHECK(bits_differ(run<flat>({prefix(x, n)}, {layout::shifted}), wanted) == "");
  }
  for (layout how : all_layouts) {
    auto y = sample(From, {3, 2 * lanes + 1}, 6);
    if (how == layout::expanded) y = levelled(y);
    CHECK(bits_differ(run<cast_batch<From, 2>>({y}, {how}),
                      expected<cast_batch<From, 2>>({y}, reference_arithmetic::own)) == "");
  }
}

}  // namespace

TEST_CASE("op matrix: casts from floats") {
  check_casts<dtype::float32>();
  check_casts<dtype::float64>();
}
TEST_CASE("op matrix: casts from floats of 16 bits") {
  check_casts<dtype::float16>();
  check_casts<dtype::bfloat16>();
}
TEST_CASE("op matrix: casts from bool and narrow integers") {
  check_casts<dtype::boolean>();
  check_casts<dtype::uint8>();
  check_casts<dtype::int32>();
  check_casts<dtype::uint32>();
}
TEST_CASE("op matrix: casts from wide integers") {
  check_casts<dtype::int64>();
  check_casts<dtype::uint64>();
}
