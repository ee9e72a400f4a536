// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "kernel_fused.hpp"

// Fused and unfused give the same bits.
namespace w = weft;
using namespace weft_test;

namespace {

struct chain {
  constexpr auto operator()(auto a, auto b) const {
    return w::tanh(a * b + 0.5) * w::sigmoid(a) - b / (a * a + 1);
  }
};
struct integers {
  constexpr auto operator()(auto a, auto b) const {
    return std::tuple{a * b + (a << 3), w::sum(a ^ b, w::axis<1>)};
  }
};

}  // namespace

TEST_CASE("fused equals unfused: a pointwise chain") {
  check_fusion<chain, f32({3, 2 * lanes + 1}), f32({2 * lanes + 1})>();
}
TEST_CASE("fused equals unfused: integers") {
  check_fusion<integers, i32({4, 33}), i32({4, 33})>();
}
