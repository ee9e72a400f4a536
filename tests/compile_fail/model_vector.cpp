// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// A model whose number of parameters is known at run time.
// expect: a model holds leaves, numbers
// expect: BAD_LINE
namespace w = weft;

#ifdef BAD
template <class T>
struct layer {
  std::vector<w::leaf<T, 2>> weights;
};
using model = layer<w::spec>;
#else
template <class T>
struct layer {
  std::array<w::leaf<T, 2>, 2> weights;
};
using model = layer<w::spec>;
#endif

void f() {
  static constexpr model shape{};
  auto m = w::init(shape, w::random::key(0));  // BAD
  static_cast<void>(m);
}
