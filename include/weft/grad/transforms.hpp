// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/capture/tree.hpp>
#include <weft/grad/forward.hpp>
#include <weft/grad/reverse.hpp>

#include <tuple>

namespace weft {

namespace detail {

/// Runs a function on tensors: compiled for their types. Defined in compile/.
template <class F, class... X>
struct eager_call;

template <class... X>
concept symbolic_arguments = (holds_symbols<std::remove_cvref_t<X>> || ...);

/// Arguments replaced by fresh nodes, so that a derivative sees only what this call depends on.
template <class... X>
constexpr std::tuple<std::remove_cvref_t<X>...> freshened(const X&... x) {
  std::tuple<std::remove_cvref_t<X>...> fresh{x...};
  std::apply(
      [](auto&... t) {
        (for_each_symbol(t,
                         [](symbol& s) {
                           builder& b = s.builder();
                           s = make_node<fresh_>(b, s.type(), s.shape(), {{b.next_unique()}}, s);
                         }),
         ...);
      },
      fresh);
  return fresh;
}

/// Fails unless the function's result is one floating value.
constexpr bool check_loss(symbol y, std::string_view transform) {
  if (y.rank() == 0 && is_floating(y.type())) return true;
  message m;
  m.put("weft: ").put(transform).put(": the function must return rank 0 of a floating dtype: got ");
  m.put(name(y.type())).put(" ");
  put_shape(m, y.shape());
  y.builder().fail(m);
  return false;
}

template <class T>
constexpr void collect(T& tree, std::vector<int>& ids) {
  for_each_symbol(tree, [&](symbol& s) { ids.push_back(s.id()); });
}
/// A copy of a tree with its symbols taken from a list.
template <class T>
constexpr T replaced(T tree, const std::vector<symbol>& values, std::size_t& next) {
  for_each_symbol(tree, [&](symbol& s) { s = values[next++]; });
  return tree;
}

/// One gradient alone, several as a tuple.
template <class... G>
constexpr auto unwrap(std::tuple<G...> t) {
  if constexpr (sizeof...(G) == 1)
    return std::get<0>(std::move(t));
  else
    return t;
}

template <int... I, class Args>
constexpr auto gradients(symbol y, symbol seed, Args& args) {
  std::vector<int> wrt;
  (collect(std::get<static_cast<std::size_t>(I)>(args), wrt), ...);
  const std::vector<symbol> g = reverse(y, seed, wrt);
  std::size_t next = 0;
  return std::tuple<std::tuple_element_t<static_cast<std::size_t>(I), Args>...>{
      replaced(std::get<static_cast<std::size_t>(I)>(args), g, next)...};
}

/// The numbers of arguments to differentiate with respect to, of N.
template <std::size_t N, int... I>
inline constexpr message number_problem_of_grad = [] {
  message m;
  for (int i : {I...})
    if (m.empty() && (i < 0 || i >= static_cast<int>(N)))
      m.put("weft: grad<")
          .put(i)
          .put(">: there is no argument ")
          .put(i)
          .put(": the function was called with ")
          .put(static_cast<std::int64_t>(N))
          .put(", counted from 0");
  return m;
}();

template <class F, int... I>
struct value_and_grad_of {
  [[no_unique_address]] F f;
  template <class... X>
  constexpr auto operator()(const X&... x) const {
    static_assert(reported<number_problem_of_grad<sizeof...(X), I...>>::nothing);
    if constexpr (symbolic_arguments<X...>) {
      auto args = freshened(x...);
      const symbol y = std::apply(f, args);
      if (!check_loss(y, "grad")) {
        return std::tuple_cat(std::tuple{y},
                              std::tuple{std::get<static_cast<std::size_t>(I)>(args)...});
      }
      return std::tuple_cat(std::tuple{y}, gradients<I...>(y, y.number(1), args));
    } else {
      return eager_call<value_and_grad_of, X...>::run(*this, x...);
    }
  }
};

template <class F, int... I>
struct grad_of {
  [[no_unique_address]] F f;
  template <class... X>
  constexpr auto operator()(const X&... x) const {
    static_assert(reported<number_problem_of_grad<sizeof...(X), I...>>::nothing);
    if constexpr (symbolic_arguments<X...>) {
      return std::apply([](auto, auto... g) { return unwrap(std::tuple{g...}); },
                        value_and_grad_of<F, I...>{f}(x...));
    } else {
      return eager_call<grad_of, X...>::run(*this, x...);
    }
  }
};

template <class F>
struct vjp_of_function {
  [[no_unique_address]] F f;
  /// (x..., g) to (f(x...), gradients of sum(f * g)).
  template <class... X>
  constexpr auto operator()(const X&... x) const {
    if constexpr (symbolic_arguments<X...>) {
      constexpr std::size_t n = sizeof...(X) - 1;
      const auto all = std::tuple<const X&...>{x...};
      return [&]<std::size_t... I>(std::index_sequence<I...>) {
        auto args = freshened(std::get<I>(all)...);
        const symbol y = std::apply(f, args);
        const symbol seed = std::get<n>(all);
        complaint why([&] {
          message m;
          m.put("weft: vjp: the cotangent must have the dtype and shape of the result: got ");
          const symbol both[]{seed, y};
          put_operands(m, both, 2);
          return m;
        });
        if (!y.builder().require_equal(seed.shape(), y.shape(), y.node().op, why) ||
            seed.type() != y.type()) {
          why.fail(y.builder());
          return std::tuple_cat(std::tuple{y}, std::tuple{std::get<I>(args)...});
        }
        return std::tuple_cat(std::tuple{y}, gradients<static_cast<int>(I)...>(y, seed, args));
      }
      (std::make_index_sequence<n>{});
    } else {
      return eager_call<vjp_of_function, X...>::run(*this, x...);
    }
  }
};

template <class F>
struct jvp_of_function {
  [[no_unique_address]] F f;
  /// (x..., t...) to (f(x...), tangent).
  template <class... X>
  constexpr auto operator()(const X&... x) const {
    static_assert(sizeof...(X) % 2 == 0,
                  "weft: jvp(f) takes the arguments of f, then a tangent for each");
    if constexpr (symbolic_arguments<X...>) {
      constexpr std::size_t n = sizeof...(X) / 2;
      auto all = std::tuple<std::remove_cvref_t<X>...>{x...};
      return [&]<std::size_t... I>(std::index_sequence<I...>) {
        auto args = freshened(std::get<I>(all)...);
        const auto y = std::apply(f, args);
        std::vector<int> wrt, tangent_ids;
        (collect(std::get<I>(args), wrt), ...);
        (collect(std::get<n + I>(all), tangent_ids), ...);
        auto tangent = y;
        builder* b = nullptr;
        for_each_symbol(tangent, [&](symbol& s) { b = &s.builder(); });
        std::vector<symbol> t;
        for (std::size_t k = 0; k < tangent_ids.size(); ++k) {
          const symbol value{b, wrt[k]}, tan{b, tangent_ids[k]};
          complaint why([&] {
            message m;
            m.put("weft: jvp: a tangent must have the dtype and shape of its argument: got ");
            const symbol both[]{tan, value};
            put_operands(m, both, 2);
            return m;
          });
          if (!b->require_equal(value.shape(), tan.shape(), value.node().op, why) ||
              value.type() != tan.type())
            why.fail(*b);
          t.push_back(tan);
        }
        if (!b->failed()) {
          std::vector<int> roots;
          collect(tangent, roots);
          const sequence<symbol> d = forward(*b, roots, wrt, t);
          std::size_t k = 0;
          for_each_symbol(tangent, [&](symbol& s) {
            s = d[k].id() >= 0 ? d[k] : s.number(0).broadcast_to(s);
            ++k;
          });
        }
        return std::tuple{y, tangent};
      }
      (std::make_index_sequence<n>{});
    } else {
      return eager_call<jvp_of_function, X...>::run(*this, x...);
    }
  }
};

}  // namespace detail

/// A function that returns the gradient of f, whose result is one number, with respect to argument
/// 0 (or to each of I..., as a tuple). Works on symbols, so transforms nest; on tensors it compiles
/// and runs.
template <int... I, class F>
  requires(!detail::operand<F>)
constexpr auto grad(F f) {
  if constexpr (sizeof...(I) == 0)
    return detail::grad_of<F, 0>{f};
  else
    return detail::grad_of<F, I...>{f};
}

/// A function that returns (value, gradients...) of f.
template <int... I, class F>
constexpr auto value_and_grad(F f) {
  if constexpr (sizeof...(I) == 0)
    return detail::value_and_grad_of<F, 0>{f};
  else
    return detail::value_and_grad_of<F, I...>{f};
}

/// Reverse mode with a cotangent: `vjp(f)(x..., g)` is (f(x...), the gradients of sum(f(x...) *
/// g)).
template <class F>
constexpr auto vjp(F f) {
  return detail::vjp_of_function<F>{f};
}

/// Forward mode: `jvp(f)(x..., t...)` is (f(x...), the derivative of f in the direction t).
template <class F>
constexpr auto jvp(F f) {
  return detail::jvp_of_function<F>{f};
}

}  // namespace weft
