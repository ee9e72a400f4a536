// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/base/philox.hpp>
#include <weft/capture/model.hpp>

#include <cmath>

namespace weft {

namespace detail {
template <class T>
[[gnu::cold, gnu::noinline]] void fill_leaf(T* to, index_t count, initializer how, float scale,
                                            philox_key key) {
  for (index_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::uint64_t>(i);
    double v = 0;
    switch (how) {
      case initializer::zeros:
        break;
      case initializer::ones:
        v = 1;
        break;
      case initializer::uniform:
        v = scale * (2 * random_double(key, at) - 1);
        break;
      case initializer::normal: {
        // Box-Muller on words 4i .. 4i + 3: a radius from a number in (0, 1], and an angle.
        const double radius = std::sqrt(-2 * std::log(1 - random_double(key, 2 * at)));
        v = scale * radius * std::cos(2 * 3.14159265358979323846 * random_double(key, 2 * at + 1));
        break;
      }
    }
    to[i] = static_cast<T>(v);
  }
}
template <class S, class P>
[[gnu::cold, gnu::noinline]] void init_leaf(const S& s, P& p, philox_key key) {
  shape_t<S::rank> extents{};
  for (int i = 0; i < S::rank; ++i) extents[static_cast<std::size_t>(i)] = s.extent[i];
  p = P::uninitialized(extents);
  fill_leaf(p.data(), p.size(), s.fill, s.scale, key);
}
}  // namespace detail

/// The parameters of a model with their first values: leaf i is filled from the i-th child of the
/// key, so the same shape and key give the same parameters everywhere.
template <template <class> class M>
[[gnu::cold]] M<parameters> init(const M<spec>& shape, philox_key key) {
  M<parameters> model{};
  std::uint64_t number = 0;
  detail::walk<true>(
      shape, model, [&](const auto& s, auto& p) { detail::init_leaf(s, p, split(key, number++)); });
  return model;
}

}  // namespace weft
