// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/array/creation.hpp>
#include <weft/data/batches.hpp>

#include <doctest/doctest.h>
#include <base/allocations.hpp>

#include <set>

namespace w = weft;

namespace {

/// Row i is (10 i, 10 i + 1), label i.
w::matrix<float> rows(w::index_t n) {
  auto x = w::zeros<float>(n, 2);
  for (w::index_t i = 0; i < n; ++i) x(i, 0) = 10.0f * static_cast<float>(i), x(i, 1) = x(i, 0) + 1;
  return x;
}

/// The labels of one epoch, one batch after another; checks that images and labels stay together.
template <class B>
std::vector<int> epoch(B& batches) {
  std::vector<int> seen;
  for (auto [x, y] : batches) {
    REQUIRE(x.extent(0) == y.extent(0));
    REQUIRE(x.extent(1) == 2);
    for (w::index_t i = 0; i < y.size(); ++i) {
      CHECK(x(i, 0) == 10.0f * static_cast<float>(y(i)));
      CHECK(x(i, 1) == x(i, 0) + 1);
      seen.push_back(y(i));
    }
  }
  return seen;
}

}  // namespace

TEST_CASE("batches go over all rows in order, the last batch the rest") {
  const auto x = rows(7);
  const auto y = w::arange<std::int32_t>(7);
  auto batches = w::data::batches(x, y, {.size = 3});
  CHECK(batches.size() == 3);
  CHECK(batches.rows() == 7);
  CHECK(epoch(batches) == std::vector<int>{0, 1, 2, 3, 4, 5, 6});
  std::vector<w::index_t> sizes;
  for (auto [a, b] : batches) sizes.push_back(b.size());
  CHECK(sizes == std::vector<w::index_t>{3, 3, 1});

  auto whole = w::data::batches(x, y, {.size = 3, .drop_last = true});
  CHECK(whole.size() == 2);
  CHECK(epoch(whole) == std::vector<int>{0, 1, 2, 3, 4, 5});
  auto one = w::data::batches(x, y, {.size = 100});
  CHECK(one.size() == 1);
  CHECK(epoch(one).size() == 7);
}

TEST_CASE("a shuffle is the permutation of the epoch's child key") {
  const auto x = rows(50);
  const auto y = w::arange<std::int32_t>(50);
  const auto key = w::seed_key(3);
  auto batches = w::data::batches(x, y, {.size = 8, .shuffle = key});
  std::set<std::vector<int>> orders;
  for (std::uint64_t e = 0; e < 3; ++e) {
    const auto order = w::detail::permutation(w::split(key, e), 50);
    const std::vector<int> want(order.begin(), order.end());
    CHECK(epoch(batches) == want);
    orders.insert(want);
  }
  CHECK(orders.size() == 3);
  CHECK(batches.epoch() == 3);
  batches.epoch(1);
  const auto again = w::detail::permutation(w::split(key, 1), 50);
  CHECK(epoch(batches) == std::vector<int>(again.begin(), again.end()));
}

TEST_CASE("batches of any number of tensors, of views, of nothing") {
  const auto x = rows(6);
  const auto y = w::arange<std::int32_t>(6);
  const auto z = w::full<double>({6, 2, 2}, 0.5);
  int batches = 0;
  for (auto [a] : w::data::batches(x, {.size = 4})) batches += static_cast<int>(a.extent(0));
  CHECK(batches == 6);
  for (auto [a, b, c] : w::data::batches(x, y, z, {.size = 6})) {
    CHECK(c.shape() == z.shape());
    CHECK(c(5, 1, 1) == 0.5);
    CHECK(b(5) == 5);
  }
  for (auto [a, b, c, d] : w::data::batches(std::tie(x, y, z, y), {.size = 6})) CHECK(d(2) == 2);
  // Contiguous and not: every other row, from the end.
  std::vector<float> seen;
  const auto odd = x(w::range(5, 0, -2), w::range(0, 2));
  for (auto [a] : w::data::batches(odd, {.size = 2}))
    for (w::index_t i = 0; i < a.extent(0); ++i) seen.push_back(a(i, 0));
  CHECK(seen == std::vector<float>{50, 30, 10});
  for (auto [a, b] : w::data::batches(x(w::range(2, 6), w::range(0, 2)), y(w::range(2, 6)))) {
    CHECK(a(0, 0) == 20);
    CHECK(b(0) == 2);
  }
  for (auto [a] : w::data::batches(rows(0), {.shuffle = w::seed_key(0)})) {
    static_cast<void>(a);
    FAIL("a batch of no rows");
  }
}

TEST_CASE("batches see later writes of the tensors") {
  auto x = rows(4);
  auto batches = w::data::batches(x, {.size = 4});
  x(2, 0) = -1;
  for (auto [a] : batches) CHECK(a(2, 0) == -1);
}

TEST_CASE("batches allocate nothing after the first epoch") {
  const auto x = rows(23);
  const auto y = w::arange<std::int64_t>(23);
  auto batches = w::data::batches(x, y, {.size = 5, .shuffle = w::seed_key(1)});
  float sum = 0;
  for (auto [a, b] : batches) sum += a(0, 0) + static_cast<float>(b(0));
  const std::size_t before = weft_test::allocations();
  for (int e = 0; e < 3; ++e)
    for (auto [a, b] : batches) sum += a(0, 0) + static_cast<float>(b(0));
  CHECK(weft_test::allocations() == before);
  CHECK(sum > 0);
}

TEST_CASE("batches refuse sizes and tensors that do not fit") {
  const auto x = rows(4);
  const auto y = w::arange<std::int32_t>(5);
  CHECK_THROWS_WITH_AS(w::data::batches(x, y),
                       "weft: batches: the tensors have 4 and 5 rows: first extents must be equal",
                       w::shape_error);
  CHECK_THROWS_AS(w::data::batches(x, {.size = 0}), w::value_error);
}
