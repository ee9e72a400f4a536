// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "lane_check.hpp"

#include <weft/cpu/lane_math.hpp>

using namespace lane_check;
using namespace weft::simd;

namespace {

/// Every place of a lane of any width has the bits that a batch of the value has.
template <class T, class F, class G>
void agrees(F f, G) {
  constexpr auto batch = [](T x) { return G{}(xsimd::batch<T>(x)).get(0); };
  singles<T, 16>(f, batch);
  singles<T, 2>(f, batch);
}

}  // namespace

#define WEFT_AGREES(name) \
  agrees<T>([](auto x) { return name(x); }, [](auto x) { return math::name(x); })

TEST_CASE_TEMPLATE("lanes: elementary functions", T, float, double) {
  WEFT_AGREES(exp);
  WEFT_AGREES(expm1);
  WEFT_AGREES(log);
  WEFT_AGREES(log1p);
  WEFT_AGREES(sin);
  WEFT_AGREES(cos);
  WEFT_AGREES(tanh);
  WEFT_AGREES(erf);
  WEFT_AGREES(erfc);
  WEFT_AGREES(sigmoid);
  CHECK(exp(lane<T, 4>(T(0)))[3] == 1);
  CHECK(log(lane<T, 16>(T(1)))[15] == 0);
}
