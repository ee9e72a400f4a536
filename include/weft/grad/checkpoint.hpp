// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/grad/transforms.hpp>

namespace weft {

namespace detail {

template <class F>
struct checkpoint_of {
  [[no_unique_address]] F f;

  template <class... X>
  constexpr auto operator()(const X&... x) const {
    if constexpr (symbolic_arguments<F, X...>) {
      builder* b = nullptr;
      auto find = [&](const symbol& s) {
        if (s.id() >= 0) b = &s.builder();
      };
      auto trees = std::tuple<std::remove_cvref_t<X>..., F>{x..., f};
      for_each_symbol(trees, find);
      const builder::checkpoint_scope inside(*b);
      return f(x...);
    } else {
      return eager_call<checkpoint_of, X...>::run(*this, x...);
    }
  }
};

}  // namespace detail

/// A function like f whose intermediate values are not kept for the backward pass but computed
/// again from its arguments (Griewank and Walther 2000): less memory for more arithmetic. f is a
/// function of symbols, or a layer of a model. The values are the same to the last bit. Within a
/// checkpointed function another one changes nothing.
template <class F>
constexpr auto checkpoint(F f) {
  return detail::checkpoint_of<F>{f};
}

}  // namespace weft
