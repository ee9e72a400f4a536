// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include "pointwise.hpp"

// Gradients of the op matrix: compiled kernels against the same rules in the reference, and, at
// float64, against differences of the op's values.
namespace weft_test {

/// The gradient graph of a batch at one moment's operands, judged by differences: for each result
/// the sum of op(...) * cotangent, whose gradient the kernel computed.
template <dtype Type, bool Derived>
struct matrix_losses {
  static graph loss(int result) {
    builder b;
    symbol c[5];
    matrix_arguments(b, c, Type, 1, true);
    int n = 0;
    matrix_ops::all(b, c, Derived,
                    [&](std::string_view, const symbol* x, int arity, bool, symbol y) {
                      if (!is_floating(y.type())) return;
                      for (int k = 0; k < arity; ++k) {
                        if (!is_floating(x[k].type())) continue;
                        if (n == result) b.g.outputs.push_back((y * c[4]).id());
                        ++n;
                      }
                    });
    return b.finished();
  }
};

/// Far from kinks and poles: x in (0.3, 0.7), y in (1.2, 1.6), z in (0.8, 1).
inline std::vector<reference_value> smooth_arguments(dtype type, index_t n) {
  return {filled(dtype::boolean, {n}, 1), filled(type, {n}, 2, 0.3, 0.7),
          filled(type, {n}, 3, 1.2, 1.6), filled(type, {n}, 4, 0.8, 1), filled(type, {n}, 5)};
}

/// Which argument of the matrix a result's operand is: where has its condition first.
inline std::size_t argument_of(const matrix_result& r) {
  return static_cast<std::size_t>(r.op == "where" ? r.wrt : r.wrt + 1);
}

template <dtype Type, bool Derived, int First = 0>
void check_differences() {
  constexpr int most = 15;
  using batch = matrix_batch<Type, 1, Derived, true, First, most>;
  if constexpr (First < batch::total()) {
    const auto x = smooth_arguments(Type, 2 * lanes + 3);
    const auto found = run<batch>(x);
    const auto results = batch::results();
    for (std::size_t j = 0; j < results.size(); ++j) {
      const auto wanted =
          reference_gradient(matrix_losses<Type, Derived>::loss(First + static_cast<int>(j)), x,
                             argument_of(results[j]));
      CAPTURE(results[j].op);
      CAPTURE(results[j].wrt);
      // Stopped gradients are 0 whatever the values do.
      if (results[j].op == "stop_gradient") {
        CHECK(total(found[j]) == 0);
        continue;
      }
      CHECK(difference(found[j], wanted, {.relative = 1e-8, .absolute = 1e-8}) == "");
    }
    check_differences<Type, Derived, First + most>();
  }
}

template <dtype Type, bool Derived>
void check_gradients() {
  // Rules subtract what is nearly equal (1 - y * y), so a gradient is as near as its summands are.
  const bool single = Type == dtype::float32;
  const tolerance t{
      .ulp = 64, .relative = single ? 2e-5 : 1e-13, .absolute = single ? 2e-6 : 1e-14};
  check_matrix<Type, Derived, true>([=](const matrix_result&) { return t; });
}

}  // namespace weft_test
