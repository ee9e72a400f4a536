// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "conventions.hpp"

using namespace weft_test;

TEST_CASE("values: integers wrap in their own width") {
  using u8 = std::uint8_t;
  CHECK(is(many<u8>(200) + many<u8>(100), u8{44}));
  CHECK(is(many<u8>(128) + many<u8>(128), u8{0}));
  CHECK(is(w::cast<float>(many<u8>(128) + many<u8>(128)), 0.0f));
  CHECK(is(w::cast<std::int32_t>(many<u8>(200) + many<u8>(100)), std::int32_t{44}));
  CHECK(is(many<u8>(0) - many<u8>(1), u8{255}));
  CHECK(is(many<u8>(200) * many<u8>(3), u8{88}));
  CHECK(is(-many<u8>(1), u8{255}));
  const std::int32_t least = std::numeric_limits<std::int32_t>::min(), most = ~least;
  CHECK(is(many(most) + many(1), least));
  CHECK(is(many(least) - many(1), most));
  CHECK(is(-many(least), least));
  CHECK(is(w::abs(many(least)), least));
  CHECK(is(many(most) * many(most), 1));
  const std::int64_t big = std::numeric_limits<std::int64_t>::max();
  CHECK(is(many(big) + many(std::int64_t{1}), -big - 1));
  CHECK(is(many(big) * many(big), std::int64_t{1}));
}

TEST_CASE("values: integer division never traps") {
  const auto divided = [](int x, int y, int quotient, int floored, int rest) {
    CAPTURE(x);
    CAPTURE(y);
    CHECK(is(many(x) / many(y), quotient));
    CHECK(is(w::floor_divide(many(x), many(y)), floored));
    CHECK(is(w::remainder(many(x), many(y)), rest));
    CHECK(is(many<std::int64_t>(x) / many<std::int64_t>(y), std::int64_t{quotient}));
    CHECK(is(w::floor_divide(many<std::int64_t>(x), many<std::int64_t>(y)), std::int64_t{floored}));
    CHECK(is(w::remainder(many<std::int64_t>(x), many<std::int64_t>(y)), std::int64_t{rest}));
  };
  divided(7, 2, 3, 3, 1);
  divided(-7, 2, -3, -4, 1);
  divided(7, -2, -3, -4, -1);
  divided(-7, -2, 3, 3, -1);
  divided(5, 0, 0, 0, 5);
  divided(-5, 0, 0, 0, -5);
  const std::int32_t least = std::numeric_limits<std::int32_t>::min();
  CHECK(is(many(least) / many(-1), least));
  CHECK(is(w::remainder(many(least), many(-1)), 0));
  const std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  CHECK(is(many(lowest) / many(std::int64_t{-1}), lowest));
  CHECK(is(many(lowest) / many(std::int64_t{0}), std::int64_t{0}));
  CHECK(is(many<std::uint8_t>(7) / many<std::uint8_t>(0), std::uint8_t{0}));
}

TEST_CASE("values: shifts by the width or more") {
  CHECK(is(many(1) << many(31), std::numeric_limits<std::int32_t>::min()));
  CHECK(is(many(1) << many(32), 0));
  CHECK(is(many(1) << many(1000), 0));
  CHECK(is(many(-8) >> many(1), -4));
  CHECK(is(many(-8) >> many(32), -1));
  CHECK(is(many(8) >> many(99), 0));
  CHECK(is(many<std::uint8_t>(255) << many<std::uint8_t>(8), std::uint8_t{0}));
  CHECK(is(many<std::uint8_t>(255) >> many<std::uint8_t>(8), std::uint8_t{0}));
  CHECK(is(many<std::uint64_t>(1) << many<std::uint64_t>(64), std::uint64_t{0}));
}

TEST_CASE("values: floats to integers truncate and saturate") {
  CHECK(is(w::cast<std::int32_t>(many(2.9f)), 2));
  CHECK(is(w::cast<std::int32_t>(many(-2.9f)), -2));
  CHECK(is(w::cast<std::int32_t>(many(1e20f)), std::numeric_limits<std::int32_t>::max()));
  CHECK(is(w::cast<std::int32_t>(many(-1e20f)), std::numeric_limits<std::int32_t>::min()));
  CHECK(is(w::cast<std::int32_t>(many(nan_f)), 0));
  CHECK(is(w::cast<std::uint8_t>(many(300.0f)), std::uint8_t{255}));
  CHECK(is(w::cast<std::uint8_t>(many(-1.0f)), std::uint8_t{0}));
  CHECK(is(w::cast<std::uint64_t>(many(1e30)), std::numeric_limits<std::uint64_t>::max()));
  CHECK(is(w::cast<std::int64_t>(many(-inf_f)), std::numeric_limits<std::int64_t>::min()));
  CHECK(is(w::cast<bool>(many(nan_f)), true));
  CHECK(is(w::cast<bool>(many(-0.0f)), false));
}

TEST_CASE("values: sums of integers and bools are of 64 bits") {
  const auto ones = w::ones<std::uint8_t>(1000);
  static_assert(std::is_same_v<decltype(w::item(w::sum(ones))), std::uint64_t>);
  CHECK(w::item(w::sum(ones)) == 1000);
  const auto yes = w::ones<bool>(1000);
  static_assert(std::is_same_v<decltype(w::item(w::sum(yes))), std::int64_t>);
  CHECK(w::item(w::sum(yes)) == 1000);
  const auto big = w::full<std::int32_t>({100}, 2000000000);
  CHECK(w::item(w::sum(big)) == 200000000000);
  CHECK(w::item(w::sum(w::full<std::uint32_t>({3}, 4000000000u))) == 12000000000u);
}

TEST_CASE("values: casts round, between fused ops too") {
  const auto third = many(1.0 / 3);
  CHECK(is(w::cast<double>(w::cast<float>(third)) * 3.0,
           static_cast<double>(static_cast<float>(1.0 / 3)) * 3.0));
  CHECK(is(w::cast<float>(many(16777217)), 16777216.0f));
}
