// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// A mismatch in the model of a training: its extents are known, so the compiler knows.
// expect: matmul: inner extents differ: float32 \(.*\) and float32 \(
// expect: BAD_LINE
namespace w = weft;

template <class T>
struct layer {
  w::leaf<T, 2> weight;
  constexpr auto operator()(auto x) const {
    return w::matmul(x, weight);  // BAD
  }
};
template <class T>
struct pair {
  layer<T> first, second;
  constexpr auto operator()(auto x) const { return second(first(x)); }
};
#ifdef BAD
constexpr pair<w::spec> shape{{{.extent = {4, 8}}}, {{.extent = {9, 2}}}};
#else
constexpr pair<w::spec> shape{{{.extent = {4, 8}}}, {{.extent = {8, 2}}}};
#endif

void f(pair<w::parameters>& model, const w::tensor<float, w::dyn, 4>& x) {
  auto objective = [](const auto& m, auto a) { return w::sum(m(a)); };
  auto train = w::training<shape>(objective, w::optim::sgd{});
  train.step(model, x);
}
