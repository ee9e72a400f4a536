// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include "capture.hpp"
#include "values.hpp"

// Derivatives by differences, of what the reference evaluates.
namespace weft_test {

/// The sum of all elements of an output, by which gradients are judged.
inline long double total(const reference_value& x) {
  long double s = 0;
  for (index_t i = 0; i < x.size(); ++i) s += x[i];
  return s;
}

/// The gradient of the sum of output 0 of a graph by central differences of fourth order. Steps are about 1e-4 of
/// the argument, which is changed in long double: float64 graphs give about 12 digits, float32 ones about 8.
inline reference_value reference_gradient(const graph& g, std::vector<reference_value> arguments, std::size_t wrt = 0) {
  reference_value r(arguments[wrt].type, arguments[wrt].shape);
  for (std::size_t i = 0; i < r.reals.size(); ++i) {
    const long double at = arguments[wrt].reals[i];
    const long double h = (r.type == dtype::float32 ? 1e-3L : 1e-4L) * std::fmax(1.0L, std::fabs(at));
    auto value = [&](long double x) {
      arguments[wrt].reals[i] = x;
      return total(weft::detail::reference_evaluate(g, arguments)[0]);
    };
    const long double near = value(at + h) - value(at - h), far = value(at + 2 * h) - value(at - 2 * h);
    r.reals[i] = (8 * near - far) / (12 * h);
    arguments[wrt].reals[i] = at;
  }
  return r;
}

}  // namespace weft_test
