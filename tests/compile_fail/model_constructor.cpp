// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// A model with a constructor, which hides its fields.
// expect: a struct has public fields only: no constructor
// expect: BAD_LINE
namespace w = weft;

#ifdef BAD
template <class T>
struct layer {
  w::leaf<T, 2> weight;
  layer() = default;
};
using model = layer<w::spec>;
#else
template <class T>
struct layer {
  w::leaf<T, 2> weight;
};
using model = layer<w::spec>;
#endif

void f() {
  static constexpr model shape{};
  auto m = w::init(shape, w::random::key(0));  // BAD
  static_cast<void>(m);
}
