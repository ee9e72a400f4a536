// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/array/range.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <vector>

using weft::index_t;
using weft::open;
using weft::range;

namespace {

std::vector<index_t> picks(const range& r, index_t extent) {
  const auto q = weft::detail::resolve(r, extent);
  std::vector<index_t> out;
  for (index_t i = 0; i < q.count; ++i) out.push_back(q.first + i * q.step);
  return out;
}

// Slices by their definition: walk from start, stop at stop, keep what lies on the axis. Ends are
// clipped one before and one after the axis, where the walk enters it.
std::vector<index_t> walked(const range& r, index_t extent) {
  const bool forward = r.step > 0;
  const auto place = [&](range::end e, index_t if_open) {
    if (e.is_open) return if_open;
    return e.value < 0 ? e.value + extent : e.value;
  };
  index_t at = place(r.start, forward ? 0 : extent - 1);
  const index_t stop = place(r.stop, forward ? extent : -1);
  if (forward && at < 0) at = 0;
  if (!forward && at > extent - 1) at = extent - 1;
  std::vector<index_t> out;
  for (; forward ? at < stop : at > stop; at += r.step)
    if (at >= 0 && at < extent)
      out.push_back(at);
    else
      break;
  return out;
}

using list = std::vector<index_t>;
constexpr index_t lowest = std::numeric_limits<index_t>::min();
constexpr index_t highest = std::numeric_limits<index_t>::max();

}  // namespace

TEST_CASE("ranges pick as NumPy slices do") {
  CHECK(picks(range(), 3) == list{0, 1, 2});
  CHECK(picks(range(2), 3) == list{0, 1});
  CHECK(picks(range(-1), 3) == list{0, 1});
  CHECK(picks(range(1, 3), 5) == list{1, 2});
  CHECK(picks(range(0, 4, 2), 5) == list{0, 2});
  CHECK(picks(range(-2, open), 5) == list{3, 4});
  CHECK(picks(range(open, open, -1), 3) == list{2, 1, 0});
  CHECK(picks(range(3, 0, -2), 5) == list{3, 1});
  CHECK(picks(range(-1, -4, -1), 5) == list{4, 3, 2});
  CHECK(picks(range(4, 1), 5).empty());
  CHECK(picks(range(7, 9), 5).empty());
  CHECK(picks(range(-9, 9), 3) == list{0, 1, 2});
  CHECK(picks(range(), 0).empty());
  CHECK(picks(range(open, open, -1), 0).empty());
}

TEST_CASE("every small range agrees with a walk") {
  std::vector<range::end> ends{open};
  for (index_t e = -7; e <= 7; ++e) ends.emplace_back(e);
  int wrong = 0;
  for (index_t extent = 0; extent <= 5; ++extent)
    for (const index_t step : {-7, -3, -2, -1, 1, 2, 3, 7})
      for (const auto& start : ends)
        for (const auto& stop : ends)
          if (picks(range(start, stop, step), extent) != walked(range(start, stop, step), extent))
            ++wrong;
  CHECK(wrong == 0);
}

TEST_CASE("extreme ends and steps") {
  CHECK(picks(range(lowest, highest), 3) == list{0, 1, 2});
  CHECK(picks(range(highest, lowest, -1), 3) == list{2, 1, 0});
  CHECK(picks(range(open, open, highest), 3) == list{0});
  CHECK(picks(range(open, open, lowest), 3) == list{2});
}

TEST_CASE("a step of 0 is an error") {
  CHECK_THROWS_AS(range(0, 3, 0), weft::value_error);
  CHECK_THROWS_AS(range(open, open, 0), weft::value_error);
}
