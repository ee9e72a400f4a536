// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/add.hpp>
#include <weft/op/multiply.hpp>
#include <weft/op/subtract.hpp>
#include <weft/optim/optimizer.hpp>

namespace weft::optim {

/// Stochastic gradient descent with momentum and weight decay, as in PyTorch (no dampening, no
/// Nesterov step): b = momentum * b + (g + weight_decay * p), p -= learning_rate * b; the buffer
/// starts at zero.
template <class T>
struct sgd_of {
  using value_type = T;
  T learning_rate = setting<T>(1e-2f);
  T momentum = setting<T>(0.0f);
  T weight_decay = setting<T>(0.0f);

  static constexpr std::size_t slots = 1;

  constexpr updated<1> update(symbol p, symbol g, const std::array<symbol, 1>& state,
                              symbol) const {
    const symbol b = momentum * state[0] + (g + weight_decay * p);
    return {p - learning_rate * b, {b}};
  }
};
using sgd = sgd_of<float>;

}  // namespace weft::optim
