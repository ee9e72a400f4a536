// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/grad/transforms.hpp>

// Functions with a gradient of the user's own.
namespace weft {

namespace detail {

template <class F, class B>
struct custom_vjp_of {
  [[no_unique_address]] F f;
  [[no_unique_address]] B backward;

  template <class... X>
  constexpr auto operator()(const X&... x) const {
    if constexpr (any_symbol<X...>) {
      static_assert(
          (is_symbol_type<X> && ...),
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
    }
    (std::make_index_sequence<N>{});
    auto put = [&](std::size_t k, const auto& part) {
      if constexpr (is_symbol_type<std::remove_cvref_t<decltype(part)>>)
        if (check(b, x[k], part)) out[k] = part;
    };
    if constexpr (is_symbol_type<std::remove_cvref_t<decltype(parts)>>) {
      static_assert(N == 1,
                    "weft: custom_vjp(f, backward): backward returns a tuple with one gradient "
                    "for each argument");
      put(0, parts);
    } else {
      std::apply(
          [&](const auto&... part) {
            static_assert(
                sizeof...(part) == N,
                "weft: custom_vjp(f, backward): backward returns a tuple with one gradient for "
                "each argument");
            std::size_t k = 0;
            (put(k++, part), ...);
          },
          parts);
    }
  }
  static constexpr bool check(builder& b, symbol x, symbol g) {
    if (g.type() == x.type() && g.shape() == x.shape()) return true;
    message m;
    m.put("weft: custom_vjp: a gradient must have the dtype and shape of its argument: got ");
    const symbol both[]{g, x};
    put_operands(m, both, 2);
    b.fail(m);
    return false;
  }
};

}  // namespace detail

/// The function f with a gradient of its own: `backward(g, x..., y)` gives the gradients of sum(g *
/// f(x...)) with respect to the arguments, as one value or a tuple (`no_gradient` where there is
/// none), from the cotangent g, the arguments and the result y. Forward mode goes through f.
/// backward holds no state, since programs follow from types alone.
template <class F, class B>
constexpr auto custom_vjp(F f, B backward) {
  return detail::custom_vjp_of<F, B>{f, backward};
}

/// In a tuple that backward returns: no gradient for this argument.
using no_gradient = detail::no_gradient;

}  // namespace weft
