// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// An objective with captures.
// expect: the objective of a training holds no state
// expect: BAD_LINE
namespace w = weft;

template <class T>
struct line {
  w::leaf<T, 1> slope;
};
constexpr line<w::spec> shape{.slope = {.extent = {3}}};

float f(line<w::parameters>& model, const w::matrix<float>& x, float rate) {
#ifdef BAD
  auto objective = [rate](const auto& m, auto a) { return w::sum(w::matmul(a, m.slope)) * rate; };
#else
  auto objective = [](const auto& m, auto a) { return w::sum(w::matmul(a, m.slope)); };
#endif
  static_cast<void>(rate);
  auto train = w::training<shape>(objective, w::optim::sgd{});  // BAD
  return w::item(w::tensor<float>(train.step(model, x)));
}
