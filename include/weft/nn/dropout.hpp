// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/capture/model.hpp>
#include <weft/op/random.hpp>

namespace weft::nn {

/// Dropout (Srivastava et al. 2014) as a part of a model: with a key, each element falls out with
/// probability `rate` and the others are divided by 1 - rate; without one, x stays as it is, as it
/// should where nothing is learnt. The mask is a function of key and place, so a training passes
/// another key each step: `train.step(model, x, y, w::random::fold_in(key, train.steps()))`.
///
/// The rate is a setting of the model's shape. A function of a model whose shape it does not know
/// does not compile.
template <class T>
struct dropout {
  float rate = -1;

  constexpr auto operator()(const auto& x) const { return x; }
  constexpr auto operator()(const auto& x, const auto& key) const {
    if constexpr (std::is_same_v<T, symbols>)
      if (!(rate >= 0 && rate < 1))
        x.fail_because(
            "nn::dropout",
            "the rate is not in [0, 1), or not known here: settings of a model are known "
            "in training<shape>; elsewhere use dropout(x, key, rate)");
    return weft::dropout(x, key, rate);
  }
};

/// The shape of a dropout: its rate, 0 to less than 1.
constexpr dropout<spec> dropout_spec(float rate) {
  return {rate};
}

}  // namespace weft::nn
