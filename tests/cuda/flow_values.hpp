// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <support/values.hpp>

#include <cstdint>
#include <utility>
#include <vector>

// Arguments of the tests of control flow on a device.
namespace weft_test {

inline reference_value floats(std::vector<index_t> shape, std::uint64_t seed = 1) {
  return filled(dtype::float32, std::move(shape), seed);
}
inline reference_value truth(bool v) {
  reference_value r(dtype::boolean, {});
  r.bits[0] = v;
  return r;
}

inline reference_value number(float v) {
  reference_value r(dtype::float32, {});
  r.reals[0] = static_cast<long double>(v);
  return r;
}

}  // namespace weft_test
