// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/capture/model.hpp>
#include <weft/op/add.hpp>
#include <weft/op/matmul.hpp>

#include <source_location>

namespace weft::nn {

/// The affine map x W + b: weight of shape (in, out), bias of shape (out); x of shape (..., in).
template <class T>
struct linear {
  leaf<T, 2> weight;
  leaf<T, 1> bias;
  constexpr auto operator()(
      const auto& x, std::source_location where = std::source_location::current()) const {
    return add(matmul(x, weight, where), bias, where);
  }
};

namespace detail {
/// 1 / sqrt(n), by Newton's method, for constant evaluation.
constexpr float inverse_root(index_t n) {
  double r = 1;
  for (int i = 0; i < 64; ++i) r = 0.5 * (r + static_cast<double>(n) / r);
  return static_cast<float>(1 / r);
}
}  // namespace detail

/// The shape of a linear layer; weight and bias start uniform in +-1/sqrt(inputs), as in PyTorch.
constexpr linear<spec> linear_spec(index_t inputs, index_t outputs) {
  const float scale = detail::inverse_root(inputs > 0 ? inputs : 1);
  return {.weight = {{inputs, outputs}, initializer::uniform, scale},
          .bias = {{outputs}, initializer::uniform, scale}};
}

}  // namespace weft::nn
