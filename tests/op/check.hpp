// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

// What several tests of ops share: elements as a list, and comparisons that say which one differs.

#include <doctest/doctest.h>
#include <weft/array/tensor.hpp>

#include <cmath>
#include <limits>
#include <vector>

namespace op_test {

inline constexpr float inf = std::numeric_limits<float>::infinity();
inline constexpr float nan_v = std::numeric_limits<float>::quiet_NaN();

template <class T, weft::index_t... E>
std::vector<T> list(const weft::tensor<T, E...>& x) {
  return std::vector<T>(x.data(), x.data() + x.size());
}

/// Whether each element is within a relative error of what is expected, NaN and infinities where
/// they are expected.
template <class X>
bool near(const X& x, const std::vector<double>& expected, double relative = 1e-6) {
  const auto have = list(x);
  bool good = have.size() == expected.size();
  CHECK(have.size() == expected.size());
  for (std::size_t i = 0; good && i < have.size(); ++i) {
    const double a = static_cast<double>(have[i]), b = expected[i];
    const bool same =
        a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= relative * std::abs(b);
    if (!same) MESSAGE("element " << i << " is " << a << ", not " << b);
    good = good && same;
  }
  return good;
}

}  // namespace op_test
