// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/array/extents.hpp>

#include <cmath>

// Learning rates as functions of the step: `train.optimizer.learning_rate = schedule(step)`.
namespace weft::optim {

/// Linear from 0 to peak over `warmup` steps, then along half a cosine to `floor` at `total` steps,
/// then floor (Loshchilov and Hutter 2017, without restarts). Steps count from 0.
struct cosine_schedule {
  float peak = 1e-3f;
  index_t warmup = 0;
  index_t total = 1;
  float floor = 0;
  float operator()(index_t step) const {
    if (step < warmup) return peak * static_cast<float>(step + 1) / static_cast<float>(warmup);
    if (step >= total) return floor;
    const double part = static_cast<double>(step - warmup) / static_cast<double>(total - warmup);
    return static_cast<float>(floor + (static_cast<double>(peak) - floor) * 0.5 *
                                          (1 + std::cos(3.14159265358979323846 * part)));
  }
};

/// peak * factor^(step / every), the exponent rounded down.
struct step_schedule {
  float peak = 1e-3f;
  index_t every = 1000;
  float factor = 0.1f;
  float operator()(index_t step) const {
    return static_cast<float>(
        peak * std::pow(static_cast<double>(factor), static_cast<double>(step / every)));
  }
};

}  // namespace weft::optim
