// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <doctest/doctest.h>

#include <weft/graph/encode.hpp>
#include <weft/pass/pipeline.hpp>
#include <weft/plan/encode.hpp>
#include <weft/plan/make_plan.hpp>

#include "../support/capture.hpp"

// Encodings in arrays of a fixed size: the words of a sequence where they fit, their number where
// they do not.
namespace w = weft;
using namespace weft_test;
using weft::index_t;
using weft::detail::fixed_words;
using weft::detail::sequence;

namespace {

constexpr value_spec specs[]{f32({w::dyn, 5}), f32({w::dyn, 5}), f32({5})};

/// More nodes than are written at a time, with attributes, some of them extents, and outputs.
graph sample() {
  return weft::detail::optimised(capture(specs, [](auto a, auto b, auto c) {
    auto x = a;
    for (int i = 0; i < 70; ++i) x = w::tanh(x * b + c * static_cast<double>(i));
    return w::sum(w::transpose(x)) + w::mean(x * x);
  }));
}

/// Room for so many words, and one behind them that nothing may write.
template <class Encode>
bool fits_as_said(const sequence<index_t>& expected, std::size_t room, Encode encode) {
  std::vector<index_t> array(room + 1, -77);
  fixed_words words(array.data(), room);
  encode(words);
  if (words.size() != expected.size() || array[room] != -77) return false;
  if (words.size() > room) return true;
  for (std::size_t i = 0; i < words.size(); ++i)
    if (array[i] != expected[i]) return false;
  return true;
}
template <class Encode>
void check(Encode encode) {
  sequence<index_t> expected;
  encode(expected);
  const std::size_t n = expected.size();
  REQUIRE(n > 300);
  for (std::size_t room : {2 * n, n + 1, n, n - 1, n / 2, std::size_t{7}, std::size_t{0}})
    CHECK(fits_as_said(expected, room, encode));
  sequence<index_t> other = expected;
  other[n / 2] += 1;
  CHECK(!fits_as_said(other, n, encode));
  CHECK(!fits_as_said(sequence<index_t>(n + 1, 0), n, encode));
}

}  // namespace

TEST_CASE("encode: a graph's words go to arrays, and are counted where these are too small") {
  const graph g = sample();
  REQUIRE(g.size() > 130);
  check([&](auto& words) { weft::detail::encode_graph(g, words); });
  check([&](auto& words) { weft::detail::encode_capture(g, words); });
}

TEST_CASE("encode: so do a plan's") {
  const graph g = sample();
  const w::detail::plan p = w::detail::make_plan(g);
  REQUIRE(p.error.empty());
  check([&](auto& words) { w::detail::word_writer(g, p, words); });
}

TEST_CASE("encode: a graph planned in place has the plan of its copy") {
  const graph g = sample();
  const w::detail::planned r =
      w::detail::planned_from([] { return sample(); }, w::detail::target::cpu);
  sequence<index_t> own, copied;
  w::detail::word_writer(r.g, r.p, own);
  w::detail::word_writer(g, w::detail::make_plan(g), copied);
  CHECK(own == copied);
}
