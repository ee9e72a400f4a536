// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/capture/model.hpp>

namespace weft {

/// A model's parameters copied to a device: `auto there = to(model, cuda(0))`. Throws device_error,
/// memory_error.
template <template <class> class M>
M<parameters> to(const M<parameters>& model, device where) {
  M<parameters> there{};
  detail::walk<true>(model, there, [&]<class P>(const P& from, P& p) { p = from.to(where); });
  return there;
}

/// A tensor copied to a device.
template <class T, index_t... E>
tensor<T, E...> to(const tensor<T, E...>& x, device where) {
  return x.to(where);
}

}  // namespace weft
