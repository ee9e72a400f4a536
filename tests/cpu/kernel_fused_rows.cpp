// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include "kernel_fused.hpp"

// Fused and unfused give the same bits, reductions too.
namespace w = weft;
using namespace weft_test;

namespace {

struct soft_rows {
  constexpr auto operator()(auto a, auto b) const {
    return std::tuple{w::softmax(a * b), w::sum(a, w::axis<0>)};
  }
};
struct normal_gradient {
  constexpr auto operator()(auto a, auto b) const {
    return w::grad<0, 1>([](auto x, auto s) { return w::sum(w::square(w::layer_norm(x) * s)); })(a,
                                                                                                 b);
  }
};

}  // namespace

// A sum has the same accumulators whatever else its kernel computes (cpu/accumulate.hpp).
TEST_CASE("fused equals unfused: rows and columns") {
  check_fusion<soft_rows, f32({5, 1030}), f32({1030})>();
}
TEST_CASE("fused equals unfused: the gradient of a layer norm") {
  check_fusion<normal_gradient, f32({5, 40}), f32({40})>();
}
