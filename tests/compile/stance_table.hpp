// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/array/tensor.hpp>

namespace weft_test {

/// Numbers between -0.3 and 0.7.
inline weft::matrix<float> table(weft::index_t rows, weft::index_t columns) {
  auto x = weft::matrix<float>::uninitialized({rows, columns});
  for (weft::index_t i = 0; i < x.size(); ++i)
    x.data()[i] = static_cast<float>(i % 89) / 89.0f - 0.3f;
  return x;
}

}  // namespace weft_test
