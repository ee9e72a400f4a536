// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/base/fixed_string.hpp>

#include <doctest/doctest.h>

#include <string_view>
#include <type_traits>

namespace {

template <weft::fixed_string S>
struct named {
  static constexpr std::string_view name = S.view();
};

static_assert(named<"loss">::name == "loss");
static_assert(std::is_same_v<named<"a">, named<"a">>);
static_assert(!std::is_same_v<named<"a">, named<"b">>);
static_assert(weft::fixed_string("").empty() && weft::fixed_string("").view().empty());
static_assert(weft::fixed_string("ab") + weft::fixed_string("cd") == weft::fixed_string("abcd"));
static_assert(!(weft::fixed_string("ab") == weft::fixed_string("abc")));

}  // namespace

TEST_CASE("a fixed_string is its characters without the terminator") {
  const weft::fixed_string s("weft");
  CHECK(s.size() == 4);
  CHECK(s.c_str() == std::string_view("weft"));
  const std::string_view as_view = s;
  CHECK(as_view == "weft");
}
