// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cuda/export.hpp>
#include <weft/weft.hpp>

// The programs whose kernels are compiled when the test is built.
namespace built {

namespace w = weft;

inline constexpr auto softmax =
    w::compile([](auto x) { return w::softmax(x * 2.0f, w::axis<-1>); }, {.device = w::cuda(0)});
using matrix = w::matrix<float>;

}  // namespace built
