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

inline reference_value as_value(const reference_value& x) {
  return x;
}
inline reference_value as_value(double x) {
  return scalar(x);
}

/// The results of f, a function of symbols, for reference values or numbers (as rank-0 float64);
/// floats in their own dtype's arithmetic, so that they overflow where a program's would.
template <class F, class... X>
std::vector<reference_value> results(F f, const X&... x) {
  const std::vector<reference_value> arguments{as_value(x)...};
  value_spec specs[sizeof...(X)];
  for (std::size_t k = 0; k < sizeof...(X); ++k) {
    specs[k].type = arguments[k].type;
    for (index_t e : arguments[k].shape) specs[k].extent[specs[k].rank++] = e;
  }
  return weft::detail::reference_evaluate(capture(specs, f), arguments,
                                          weft::detail::reference_arithmetic::own);
}
template <class F, class... X>
reference_value result(F f, const X&... x) {
  return results(f, x...)[0];
}
/// The only element of a rank-0 result.
template <class F, class... X>
double number(F f, const X&... x) {
  return static_cast<double>(result(f, x...)[0]);
}

/// The gradient of the sum of output 0 of a graph by central differences of fourth order. Steps are
/// about 1e-4 of the argument, which is changed in long double: float64 graphs give about 12
/// digits, float32 ones about 8.
inline reference_value reference_gradient(const graph& g, std::vector<reference_value> arguments,
                                          std::size_t wrt = 0) {
  reference_value r(arguments[wrt].type, arguments[wrt].shape);
  for (std::size_t i = 0; i < r.reals.size(); ++i) {
    const long double at = arguments[wrt].reals[i];
    const long double h =
        (r.type == dtype::float32 ? 1e-3L : 1e-4L) * std::fmax(1.0L, std::fabs(at));
    auto value = [&](long double x) {
      arguments[wrt].reals[i] = x;
      return total(weft::detail::reference_evaluate(g, arguments)[0]);
    };
    const long double near = value(at + h) - value(at - h),
                      far = value(at + 2 * h) - value(at - 2 * h);
    r.reals[i] = (8 * near - far) / (12 * h);
    arguments[wrt].reals[i] = at;
  }
  return r;
}

}  // namespace weft_test
