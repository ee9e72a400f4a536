// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/base/reflect.hpp>

#include <doctest/doctest.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace {

struct leaf {
  int extent[2]{};
  float scale = 1;
};
struct none {};
struct one {
  leaf a;
};
struct nested {
  leaf a;
  one b;
  int c = 3;
};
struct with_arrays {
  leaf a[2];
  std::array<leaf, 3> b;
  int c[2][2];
  leaf d;
};
struct with_containers {
  std::vector<leaf> a;
  std::optional<leaf> b;
  std::string c;
  std::tuple<leaf, leaf> d;
};
struct with_an_empty_one {
  none a;
  leaf b;
};
struct with_a_reference {
  int& a;
  leaf b;
};
struct thirteen {
  leaf a, b, c, d, e, f, g, h, i, j, k, l, m;
};
struct twenty_four {
  int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x;
};

using weft::detail::field_count;
static_assert(field_count<none>() == 0);
static_assert(field_count<one>() == 1);
static_assert(field_count<leaf>() == 2);
static_assert(field_count<nested>() == 3);
static_assert(field_count<with_arrays>() == 4);
static_assert(field_count<with_containers>() == 4);
static_assert(field_count<with_an_empty_one>() == 2);
static_assert(field_count<thirteen>() == 13);
static_assert(field_count<twenty_four>() == 24);
static_assert(field_count<leaf[3]>() == 3);

}  // namespace

TEST_CASE("fields are references to the members in their order") {
  nested n;
  auto [a, b, c] = weft::detail::fields(n);
  c = 7;
  b.a.scale = 2;
  CHECK(&a == &n.a);
  CHECK(n.c == 7);
  CHECK(n.b.a.scale == 2);
  with_arrays w{};
  auto f = weft::detail::fields(w);
  std::get<0>(f)[1].scale = 5;
  CHECK(w.a[1].scale == 5);
  CHECK(&std::get<3>(f) == &w.d);
}
