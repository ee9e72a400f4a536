// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/expm1.hpp>
#include <weft/op/log.hpp>
#include <weft/op/rsqrt.hpp>
#include <weft/op/sqrt.hpp>
#include <weft/op/square.hpp>
#include <weft/op/subtract.hpp>
#include <weft/optim/optimizer.hpp>

namespace weft::optim {

/// AdamW: Adam with decoupled weight decay (Loshchilov and Hutter 2019, Algorithm 2), in which the
/// decay is multiplied by the learning rate too, as in PyTorch. With b1 = beta1 and b2 = beta2:
/// m = b1 m + (1 - b1) g, v = b2 v + (1 - b2) g^2,
/// p -= learning_rate (m / (1 - b1^step) / (sqrt(v / (1 - b2^step)) + epsilon) + weight_decay p).
template <class T>
struct adamw_of {
  using value_type = T;
  T learning_rate = setting<T>(1e-3f);
  T beta1 = setting<T>(0.9f);
  T beta2 = setting<T>(0.999f);
  T epsilon = setting<T>(1e-8f);
  T weight_decay = setting<T>(0.01f);

  static constexpr std::size_t slots = 2;

  constexpr updated<2> update(symbol p, symbol g, const std::array<symbol, 2>& state,
                              symbol step) const {
    // Each node here but those of single numbers depends on g: the whole update can follow the
    // gradient's last product while its tile is in cache.
    const symbol m = state[0] + (1 - beta1) * (g - state[0]);
    const symbol v = state[1] + (beta2 - 1) * (state[1] - square(g));
    // 1 - beta^step, without the loss of a difference of numbers near 1.
    const symbol rest1 = -expm1(step * log(beta1)), rest2 = -expm1(step * log(beta2));
    const symbol deviation = sqrt(v) * (rest1 * rsqrt(rest2)) + rest1 * epsilon;
    const symbol down = -learning_rate;
    return {p + down * (m / deviation + weight_decay * p), {m, v}};
  }
};
using adamw = adamw_of<float>;

}  // namespace weft::optim
