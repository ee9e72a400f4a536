// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/capture/control.hpp>
#include <weft/capture/data_shapes.hpp>
#include <weft/compile/compile.hpp>

// Control flow on tensors: compiled for their types, and run.
namespace weft {

namespace detail {

template <class Then, class Else>
struct eager_cond {
  template <class... X>
  constexpr auto operator()(symbol predicate, const X&... x) const {
    return cond(located_symbol(predicate), Then{}, Else{}, x...);
  }
};
template <class F>
struct eager_scan {
  template <class C, class X>
  constexpr auto operator()(const C& carry, const X& xs) const {
    return scan(F{}, carry, xs);
  }
};
template <class F>
struct eager_map {
  template <class X>
  constexpr auto operator()(const X& xs) const {
    return map(F{}, xs);
  }
};
template <class F>
struct eager_fori {
  template <class S>
  constexpr S operator()(symbol n, const S& state) const {
    return fori(n, F{}, state);
  }
};
template <class P, class F>
struct eager_while {
  template <class S>
  constexpr S operator()(const S& state) const {
    return while_loop(P{}, F{}, state);
  }
};

struct eager_nonzero {
  constexpr auto operator()(auto x) const { return nonzero(x); }
};
struct eager_masked_select {
  constexpr auto operator()(auto x, auto mask) const { return masked_select(x, mask); }
};
struct eager_unique {
  constexpr auto operator()(auto x) const { return unique(x); }
};

template <class... F>
constexpr bool check_stateless() {
  static_assert((stateless<F> && ...),
                "weft: control flow on tensors: its functions hold no state, since the program "
                "follows from their types alone: pass what they capture as part of the state, or "
                "write it in a captured function");
  return true;
}

}  // namespace detail

template <class P, class Then, class Else, class... X>
  requires(!detail::symbolic<P, Then, Else, X...>)
auto cond(const P& condition, Then, Else, const X&... args) {
  static_assert(detail::check_stateless<Then, Else>());
  return compiled<detail::eager_cond<Then, Else>>{}(condition, args...);
}
template <class F, class C, class X>
  requires(!detail::symbolic<F, C, X>)
auto scan(F, const C& carry, const X& xs) {
  static_assert(detail::check_stateless<F>());
  return compiled<detail::eager_scan<F>>{}(carry, xs);
}
template <class F, class X>
  requires(!detail::symbolic<F, X>)
auto map(F, const X& xs) {
  static_assert(detail::check_stateless<F>());
  return compiled<detail::eager_map<F>>{}(xs);
}
template <class F, class S>
  requires(!detail::symbolic<F, S>)
auto fori(index_t n, F, const S& state) {
  static_assert(detail::check_stateless<F>());
  return compiled<detail::eager_fori<F>>{}(n, state);
}
template <class P, class F, class S>
  requires(!detail::symbolic<P, F, S>)
auto while_loop(P, F, const S& state) {
  static_assert(detail::check_stateless<P, F>());
  return compiled<detail::eager_while<P, F>>{}(state);
}

template <detail::tensorial X>
  requires(!detail::is_symbol_type<X>)
auto nonzero(const X& x) {
  return compiled<detail::eager_nonzero>{}(x);
}
template <detail::tensorial X, detail::tensorial M>
  requires(!detail::is_symbol_type<X> && !detail::is_symbol_type<M>)
auto masked_select(const X& x, const M& mask) {
  return compiled<detail::eager_masked_select>{}(x, mask);
}
template <detail::tensorial X>
  requires(!detail::is_symbol_type<X>)
auto unique(const X& x) {
  return compiled<detail::eager_unique>{}(x);
}

}  // namespace weft
