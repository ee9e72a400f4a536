// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
//
// Gradients: of expressions, which are expressions again, and of functions, which compose.
#include <weft/weft.hpp>

#include <iomanip>
#include <iostream>

namespace w = weft;

int main() {
  std::cout << std::fixed << std::setprecision(3);

  // The gradient of an expression is an expression. Here it finds the M with X M = Y.
  w::matrix<float> X{{1, 2}, {3, -1}, {0, 1}};
  w::matrix<float> Y{{5, 1}, {1, 10}, {2, -1}};  // X times {{1, 3}, {2, -1}}
  w::matrix<float> M = w::zeros<float>(2, 2);

  auto x = w::variable<"x">(X);
  auto m = w::variable<"m">(M);
  auto loss = w::mean(w::square(w::matmul(x, m) - Y));
  for (int i = 0; i < 80; ++i) {
    if (i % 20 == 0) std::cout << "loss " << w::item(loss) << "\n";
    M -= 0.1f * w::grad(loss, m);
  }
  std::cout << "M:\n" << M << "\n\n";

  // Transforms of functions compose.
  w::vector<double> u{0, 1, 2}, v{1, 10, 100};
  auto f = [](auto x, auto y) { return w::sum(w::sin(x) * y); };
  auto [value, gx, gy] = w::value_and_grad<0, 1>(f)(u, v);
  std::cout << "value " << value << "\ngradients " << gx << " and " << gy << "\n";

  // Forward over reverse: products with the Hessian. The second derivative of f by x is -sin(x) y.
  auto curvature = w::jvp(w::grad(f));
  w::vector<double> direction{1, 1, 1}, none{0, 0, 0};
  auto [gradient, turned] = curvature(u, v, direction, none);
  std::cout << "the Hessian times ones " << turned << "\n";

  // Reverse over reverse: the third derivative of x^4 is 24 x.
  auto quartic = [](auto x) { return x * x * x * x; };
  std::cout << "24 x at 2: " << w::item(w::grad(w::grad(w::grad(quartic)))(2.0)) << "\n";
}
