// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
//
// Expressions: the type is the graph, assignment runs it as one fused loop.
#include <weft/weft.hpp>

#include <iomanip>
#include <iostream>

namespace w = weft;

int main() {
  // Nothing runs until a tensor or a number is asked for.
  w::matrix<float> a = w::random::normal<float>(w::random::key(1), 512, 512);
  w::matrix<float> b = w::ones<float>(512, 512);
  auto e = w::tanh(a * b + 0.5f) / 2.0f;  // nothing has run
  w::matrix<float> y = e;                 // one fused loop
  float total = w::sum(e);                // fused again: e is never stored
  std::cout << w::explain(e);             // kernels, bytes, flops
  std::cout << "the mean of y is " << std::setprecision(2) << total / 262144 << ", y(0, 0) is "
            << y(0, 0) << "\n\n"
            << std::setprecision(6);

  // Tensors are values; `*` is elementwise, the product is matmul.
  w::matrix<float> m{{1, 2}, {3, 4}};
  std::cout << "m:\n" << m << "\nm(0, 1) = " << m(0, 1) << "\n";
  w::matrix<float> squares = m * m, product = w::matmul(m, m);
  std::cout << "m * m:\n" << squares << "\nmatmul(m, m):\n" << product << "\n";
  w::matrix<float> copy = m;
  copy(0, 0) = 100;
  std::cout << "m(0, 0) is still " << m(0, 0) << "\n\n";

  // Reductions name their axes.
  w::vector<float> columns = w::sum(m, w::axis<0>);
  w::matrix<float> rows = w::max(m, w::axis<-1>, w::keepdims);
  std::cout << "sums of columns: " << columns << "\nlargest of rows:\n" << rows << "\n";

  // Views share the elements: to read, and to assign.
  w::matrix<float> c = w::full<float>({2, 4}, 7);
  c(w::all, w::range(0, 4, 2)) = m;
  std::cout << "every other column of c:\n" << c << "\n";
  m = m + w::transpose(m);  // reads the old values
  std::cout << "m + transpose(m):\n" << m << "\n\n";

  // eval makes the tensor of an expression, item its number, cast another dtype.
  auto t = w::eval(w::cast<double>(m) / 3);
  double mean = w::item(w::mean(t));
  std::cout << "mean of m / 3: " << mean << "\n";

  // Shapes that do not fit are an error that says where.
  try {
    w::matrix<float> wrong = w::matmul(c, m);
  } catch (const w::shape_error& error) {
    std::cout << error.what() << "\n";
  }
}
