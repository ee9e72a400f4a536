// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/capture/apply.hpp>
#include <weft/grad/transforms.hpp>

#include <concepts>

// Functions with a gradient of the user's own.
namespace weft {

namespace detail {

template <class F, class B>
struct custom_vjp_of;

/// The op that a custom_vjp is in an expression.
template <class F, class B, int N>
struct custom_op final : derived_with<custom_op<F, B, N>, "custom_vjp", N> {
  static constexpr auto body(std::same_as<symbol> auto... x) { return custom_vjp_of<F, B>{}(x...); }
};

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
    } else if constexpr ((is_expr<X> || ...)) {
      // Part of the expression, so that its gradient is found.
      static_assert(std::is_empty_v<F> && std::is_default_constructible_v<F>,
                    "weft: custom_vjp(f, backward) of expressions: f holds no state: pass what it "
                    "captures as an argument");
      static_assert(sizeof...(X) <= 3,
                    "weft: custom_vjp(f, backward) of expressions: f has at most 3 arguments; in a "
                    "captured function it may have 8");
      using op = custom_op<F, B, static_cast<int>(sizeof...(X))>;
      return application<op, X...>::run(std::source_location{}, x...);
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
        if (check(b, x[k], part)) out[k] = part.sum_to(x[k]);
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
    // A general program's shapes may be broadcast at the call: the other program has checked them.
    if (g.type() == x.type() && (g.shape() == x.shape() || b.general)) return true;
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
