// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/array/extents.hpp>

#include <doctest/doctest.h>

#include <array>
#include <limits>

using weft::dyn;
using weft::extents;
using weft::index_t;

namespace {

constexpr index_t huge = std::numeric_limits<index_t>::max();

static_assert(extents<>::rank == 0 && extents<>::all_static);
static_assert(extents<2, 3>::rank == 2 && extents<2, 3>::all_static);
static_assert(!extents<dyn, 3>::all_static && !extents<dyn, 3>::all_dynamic);
static_assert(extents<dyn, dyn>::all_dynamic);
static_assert(extents<dyn, 3>::array[0] == dyn && extents<dyn, 3>::array[1] == 3);
static_assert(extents<dyn, 3>::accepts({7, 3}) && !extents<dyn, 3>::accepts({7, 4}));

static_assert(weft::product(std::array<index_t, 0>{}) == 1);
static_assert(weft::product(std::array<index_t, 3>{2, 3, 4}) == 24);
static_assert(weft::product(std::array<index_t, 2>{huge, 1}) == huge);
static_assert(weft::product(std::array<index_t, 2>{huge, 2}) == -1);
static_assert(weft::product(std::array<index_t, 3>{huge, huge, 0}) == 0);
static_assert(weft::row_major(std::array<index_t, 3>{2, 3, 4}) == std::array<index_t, 3>{12, 4, 1});

}  // namespace

TEST_CASE("shapes as text") {
  CHECK(weft::to_text(std::array<index_t, 0>{}) == "()");
  CHECK(weft::to_text(std::array<index_t, 1>{5}) == "(5)");
  CHECK(weft::to_text(std::array<index_t, 2>{2, 3}) == "(2, 3)");
  CHECK(weft::to_text(std::array<index_t, 3>{dyn, 0, 128}) == "(?, 0, 128)");
  CHECK(weft::to_text(std::array<index_t, 1>{huge}) == "(9223372036854775807)");
}
