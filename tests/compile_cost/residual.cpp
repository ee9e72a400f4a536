// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
// limit: 15 s, 1024 MiB

// A 24-layer residual network as one expression, and its gradient as another.
#include <weft/weft.hpp>

namespace w = weft;

template <int Layers>
auto residual(auto const& h, auto const& m) {
  if constexpr (Layers == 0)
    return h;
  else
    return residual<Layers - 1>(h + w::tanh(w::matmul(h, m)), m);
}

int main() {
  const w::matrix<float> x = w::ones<float>(64, 128);
  w::matrix<float> m = w::zeros<float>(128, 128);
  auto v = w::variable<"m">(m);
  auto loss = w::mean(w::square(residual<24>(w::variable<"x">(x), v)));
  m -= 0.1f * w::grad(loss, v);
  const float after = loss;
  return after >= 0 ? 0 : 1;
}
