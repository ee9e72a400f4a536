// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/expm1.hpp>
#include <weft/op/log.hpp>
#include <weft/op/sqrt.hpp>
#include <weft/op/square.hpp>
#include <weft/op/subtract.hpp>
#include <weft/optim/optimizer.hpp>

namespace weft::optim {

/// AdamW (Loshchilov and Hutter 2019, Algorithm 2, with the learning rate as schedule multiplier as in PyTorch).
template <class T> struct adamw_of {
  T learning_rate = setting<T>(1e-3f);
  T beta1 = setting<T>(0.9f);
  T beta2 = setting<T>(0.999f);
  T epsilon = setting<T>(1e-8f);
  T weight_decay = setting<T>(0.01f);

  static constexpr std::size_t slots = 2;

  constexpr updated<2> update(symbol p, symbol g, const std::array<symbol, 2>& state, symbol step) const {
    const symbol m = beta1 * state[0] + (1 - beta1) * g;
    const symbol v = beta2 * state[1] + (1 - beta2) * square(g);
    // 1 - beta^step, without the loss of a difference of numbers near 1.
    const symbol rest1 = -expm1(step * log(beta1)), rest2 = -expm1(step * log(beta2));
    const symbol direction = (m / rest1) / (sqrt(v / rest2) + epsilon);
    return {p - learning_rate * (direction + weight_decay * p), {m, v}};
  }
};
using adamw = adamw_of<float>;

}  // namespace weft::optim
