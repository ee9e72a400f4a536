// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/array/scalar.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

using weft::detail::scalar_to;

static_assert(scalar_to<float>(1) == 1.0f);
static_assert(scalar_to<std::uint8_t>(255) == 255);
static_assert(scalar_to<bool>(1));

TEST_CASE("scalars take the tensor's dtype") {
  CHECK(scalar_to<float>(0.1) == 0.1f);
  CHECK(scalar_to<double>(0.1f) == static_cast<double>(0.1f));
  CHECK(scalar_to<std::int32_t>(true) == 1);
  CHECK(scalar_to<std::int32_t>('a') == 97);
  CHECK(scalar_to<std::uint64_t>(~0ULL) == ~std::uint64_t{0});
}

TEST_CASE("an integer outside the dtype is an error") {
  CHECK_THROWS_AS(scalar_to<std::uint8_t>(256), weft::value_error);
  CHECK_THROWS_AS(scalar_to<std::uint8_t>(-1), weft::value_error);
  CHECK_THROWS_AS(scalar_to<std::int32_t>(std::int64_t{1} << 31), weft::value_error);
  CHECK_THROWS_AS(scalar_to<std::int64_t>(~std::uint64_t{0}), weft::value_error);
  CHECK_THROWS_AS(scalar_to<std::uint64_t>(std::numeric_limits<int>::min()), weft::value_error);
  CHECK_THROWS_AS(scalar_to<bool>(2), weft::value_error);
}
