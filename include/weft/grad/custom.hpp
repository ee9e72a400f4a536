// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/grad/transforms.hpp>

// Functions with a gradient of the user's own.
namespace weft {

namespace detail {

template <class F, class B> struct custom_vjp_of {
  [[no_unique_address]] F f;
  [[no_unique_address]] B backward;

  template <class... X> constexpr auto operator()(const X&... x) const {
    if constexpr (any_symbol<X...>) {
      static_assert((is_symbol_type<X> && ...),
                    "weft: custom_vjp(f, backward): its arguments are tensors, not numbers or models");
      static_assert(std::is_empty_v<B> && std::is_default_constructible_v<B>,
                    "weft: custom_vjp(f, backward): backward holds no state: pass what it captures "
                    "as an argument");
      static_assert(sizeof...(X) <= 8, "weft: custom_vjp(f, backward): f has at most 8 arguments");
      const symbol inputs[]{x...};
      const symbol y = f(x...);
      if (y.builder().failed()) return y;
      return with_rule(y, &run<sizeof...(X)>, inputs, static_cast<int>(sizeof...(X)), {});
    } else {
      return eager_call<custom_vjp_of, X...>::run(*this, x...);
    }
  }

 private:
  template <std::size_t N>
  static constexpr void run(builder& b, symbol g, const int* inputs, int result, symbol* out) {
    symbol x[N];
    for (std::size_t k = 0; k < N; ++k) x[k] = {&b, inputs[k]};
    const auto parts = [&]<std::size_t... I>(std::index_sequence<I...>) {
      return B{}(g, x[I]..., symbol{&b, result});
    }(std::make_index_sequence<N>{});
    place_parts(out, x, parts);
    for (std::size_t k = 0; k < N; ++k) check(b, x[k], out[k]);
  }
  static constexpr void check(builder& b, symbol x, symbol g) {
    if (g.id() < 0 || (g.type() == x.type() && g.shape() == x.shape())) return;
    message m;
    m.put("weft: custom_vjp: a gradient must have the dtype and shape of its argument: got ");
    const symbol both[]{g, x};
    put_operands(m, both, 2);
    b.fail(m);
  }
};

}  // namespace detail

/// The function f with a gradient of its own: `backward(g, x..., y)` gives the gradients of sum(g * f(x...)) with respect
/// to the arguments, as one value or a tuple (`no_gradient` where there is none), from the cotangent g, the arguments
/// and the result y. Forward mode goes through f. backward holds no state, since programs follow from types alone.
template <class F, class B> constexpr auto custom_vjp(F f, B backward) {
  return detail::custom_vjp_of<F, B>{f, backward};
}

/// In a tuple that backward returns: no gradient for this argument.
using no_gradient = detail::no_gradient;

}  // namespace weft
