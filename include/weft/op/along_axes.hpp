// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/op/primitive.hpp>
#include <weft/op/reduce.hpp>

namespace weft {

namespace detail {

/// What softmax, layer_norm and their like share: they act along axes, the last one by default, and
/// keep the shape.
template <class Derived, fixed_string Name>
struct along_axes : named_op<Name, 1>, derived_tag {
  template <operand X>
  constexpr auto operator()(const X& x,
                            std::source_location where = std::source_location::current()) const {
    return apply_with<Derived, attributes{{pack_axes<-1>(), 1, 0}}>(where, x);
  }
  template <operand X, index_t... A>
  constexpr auto operator()(const X& x, axis_tag<A...>,
                            std::source_location where = std::source_location::current()) const {
    return apply_with<Derived, attributes{{pack_axes<A...>(), 1, 0}}>(where, x);
  }
};

}  // namespace detail

}  // namespace weft
