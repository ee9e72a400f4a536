// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/capture/pointwise.hpp>

#include <array>
#include <cstddef>

// An optimizer is a struct template over its numbers: with float it holds the user's settings, with
// symbols it writes the update into the program of a step, so that a changed learning rate compiles
// nothing. `slots` values a parameter are its state; update(p, g, state, step) returns the new
// parameter and the new state; step counts from 1. All arrive in the parameter's dtype.
namespace weft::optim {

/// A setting's default: a number, or nothing yet where the optimizer is over symbols.
template <class T>
constexpr T setting(float v) {
  if constexpr (std::is_same_v<T, symbol>)
    return {};
  else
    return T(v);
}

/// A parameter and its state after a step.
template <std::size_t Slots>
struct updated {
  symbol parameter;
  std::array<symbol, Slots> state;
};

}  // namespace weft::optim
