// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/cross_entropy.hpp>
#include <weft/op/mse.hpp>

// Losses are ops like any other; here they have the names under which a training loop looks for
// them. Both return rank 0.
namespace weft::nn {

/// `cross_entropy(logits, labels)`: logits (..., C), integer labels (...).
using weft::cross_entropy;
/// `mse(x, y)`: the mean squared difference.
using weft::mse;

}  // namespace weft::nn
