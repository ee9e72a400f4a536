// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/weft.hpp>

#include <doctest/doctest.h>

#include <cmath>

#include "on_gpu.hpp"

// What tests of programs on a GPU share.
namespace weft_test {

inline bool no_gpu() {
  if (has_gpu()) return false;
  MESSAGE("SKIPPED: no GPU here");
  return true;
}

/// The largest difference, relative to 1 + |value|; NaN agrees with NaN.
template <class A, class B>
double difference(const A& there, const B& here) {
  const auto back = there.to(weft::cpu);
  REQUIRE(back.shape() == here.shape());
  double worst = 0;
  for (weft::index_t i = 0; i < here.size(); ++i) {
    const auto x = static_cast<double>(back.data()[i]), y = static_cast<double>(here.data()[i]);
    if (std::isnan(x) && std::isnan(y)) continue;
    const double d = x == y ? 0 : std::abs(x - y) / (1 + std::abs(y));
    if (!(d <= worst)) worst = d;
  }
  return worst;
}

inline const weft::device gpu = weft::cuda(0);
inline weft::matrix<float> numbers(int key, weft::index_t rows, weft::index_t columns) {
  return weft::random::normal<float>(weft::random::key(static_cast<std::uint64_t>(key)), rows,
                                     columns);
}

}  // namespace weft_test
