// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/capture/bodies.hpp>

// Control flow inside a graph: cond, while_loop, fori, scan and map capture their functions once,
// as bodies.
namespace weft {

namespace detail {

template <class Then, class Else>
struct cond_of {
  [[no_unique_address]] Then then;
  [[no_unique_address]] Else other;
  bool on_host = false;
  std::source_location where{};

  template <class... X>
  constexpr auto operator()(symbol predicate, const X&... x) const {
    builder& b = predicate.builder();
    const builder::scope here(b, where);
    using R = std::remove_cvref_t<decltype(then(x...))>;
    static_assert(std::is_same_v<R, std::remove_cvref_t<decltype(other(x...))>>,
                  "weft: cond: both functions return the same: a symbol, or a tuple, array or "
                  "struct of symbols");
    R result{};
    if (predicate.rank() != 0 || predicate.type() != dtype::boolean) {
      message m;
      m.put("weft: cond: the condition must be one bool, as a comparison of rank 0 is: got ");
      put_shape(m.put(name(predicate.type())).put(" "), predicate.shape());
      b.fail(m);
    }
    const std::tuple<std::remove_cvref_t<X>...> args{x...};
    auto body = [&](const auto& f, R& into) {
      body_capture c(b);
      const auto p = c.parameters(args);
      into = std::apply(f, p);
      c.returns(into);
      return c.finish();
    };
    R second{};
    const sequence<int> bodies{body(then, result), body(other, second)};
    if (b.failed()) return result;
    const sequence<int> one = ids_of(result), two = ids_of(second);
    for (std::size_t k = 0; k < one.size(); ++k) {
      const symbol y{&b, one[k]}, z{&b, two[k]};
      complaint why([&] {
        message m;
        m.put("weft: cond: both functions must return the same dtype and shape: ");
        put_open_shape(m.put(name(y.type())).put(" "), y.shape());
        return put_open_shape(m.put(" and ").put(name(z.type())).put(" "), z.shape());
      });
      if (y.type() != z.type() || !b.require_equal(y.shape(), z.shape(), id_of<cond_>, why)) {
        why.fail(b);
        return result;
      }
    }
    sequence<int> operands{predicate.id()};
    for (int id : ids_of(args)) operands.push_back(id);
    close_bodies(b, bodies, operands, true);
    const int node =
        next_control(b, id_of<cond_>, {{bodies[0], bodies[1], on_host}}, operands, bodies);
    std::size_t at = 0;
    return with_symbols(result, b, results_like(b, node, bodies[0], one.size()), at);
  }
};

/// Steps of a loop: see scan_. The body is called on (step, carry, slice).
template <class F, class C, class X>
constexpr auto make_scan(builder& b, std::string_view op, const F& f, const C& carry, const X& xs,
                         index_t steps) {
  body_capture c(b);
  const symbol step{&b, make_parameter(b, dtype::int64, {})};
  c.record.parameters.push_back(step.id());
  const C in = c.parameters(carry);
  const X slice = c.parameters(xs, true);
  auto [next, made] = f(step, in, slice);
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(next)>, C>,
                "weft: scan, fori: the body returns its state as it got it");
  using Y = std::remove_cvref_t<decltype(made)>;
  c.returns(next);
  c.returns(made);
  const sequence<int> before = ids_of(carry), after = ids_of(next), sliced = ids_of(xs);
  std::tuple<C, Y> result{carry, made};
  const int body = c.finish();
  if (b.failed() || !check_carry(b, op, before, after)) return result;
  sequence<int> operands = before;
  for (int id : sliced) operands.push_back(id);
  close_bodies(b, {body}, operands);
  const int node = next_control(
      b, id_of<scan_>,
      {{body, steps, static_cast<index_t>(before.size()), static_cast<index_t>(sliced.size())}},
      operands, {body});
  sequence<int> out = results_like(b, node, body, before.size());
  for (int id : ids_of(made)) {
    const symbol y{&b, id};
    shape_of s = y.shape();
    if (s.rank == max_rank) {
      b.fail(
          message{}.put("weft: scan: a result of the body has 6 axes, and the stack of them "
                        "would have 7"));
      return result;
    }
    for (int d = s.rank++; d > 0; --d) s.d[d] = s.d[d - 1];
    s.d[0] = steps;
    out.push_back(make_result(b, node, static_cast<int>(out.size()), y.type(), s));
  }
  std::size_t at = 0;
  C last = with_symbols(carry, b, out, at);
  return std::tuple<C, Y>{last, with_symbols(made, b, out, at)};
}

/// The common extent of the first axis of all of xs.
template <class X>
constexpr index_t steps_of(builder& b, std::string_view op, const X& xs) {
  index_t steps = -1;
  for (int id : ids_of(xs)) {
    const symbol x{&b, id};
    if (x.rank() == 0) {
      b.fail(message{}.put("weft: ").put(op).put(
          ": what is scanned needs an axis to scan along: got rank 0"));
      return 0;
    }
    complaint why([&] {
      message m;
      m.put("weft: ").put(op).put(": the first extents must agree: ");
      put_extent(m, steps);
      return put_extent(m.put(" and "), x.extent(0));
    });
    if (steps == -1)
      steps = x.extent(0);
    else if (!b.require_equal(steps, x.extent(0), id_of<scan_>, why))
      why.fail(b);
  }
  return steps == -1 ? 0 : b.find(steps);
}

template <class F>
struct scan_of {
  [[no_unique_address]] F f;
  std::source_location where{};
  template <class C, class X>
  constexpr auto operator()(const C& carry, const X& xs) const {
    builder& b = *builder_of(carry, xs);
    const builder::scope here(b, where);
    return make_scan(
        b, "scan", [this](symbol, const C& c, const X& x) { return pair(f(c, x)); }, carry, xs,
        steps_of(b, "scan", xs));
  }

 private:
  template <class R>
  static constexpr auto pair(const R& r) {
    static_assert(
        is_pair_of_results<R>,
        "weft: scan: the body returns std::tuple{carry, y}; where nothing is stacked y is "
        "std::tuple{}");
    return r;
  }
};
template <class F>
struct map_of {
  [[no_unique_address]] F f;
  std::source_location where{};
  template <class X>
  constexpr auto operator()(const X& xs) const {
    builder& b = *builder_of(xs);
    const builder::scope here(b, where);
    return std::get<1>(make_scan(
        b, "map",
        [this](symbol, std::tuple<>, const X& x) {
          return std::tuple{std::tuple<>{}, f(x)};
        },
        std::tuple<>{}, xs, steps_of(b, "map", xs)));
  }
};
template <class F>
struct fori_of {
  index_t steps;
  [[no_unique_address]] F f;
  std::source_location where{};
  template <class S>
  constexpr S operator()(const S& state) const {
    builder& b = *builder_of(state);
    const builder::scope here(b, where);
    return std::get<0>(make_scan(
        b, "fori",
        [this](symbol i, const S& s, std::tuple<>) {
          return std::tuple{f(i, s), std::tuple<>{}};
        },
        state, std::tuple<>{}, steps));
  }
};

template <class P, class F>
struct while_of {
  [[no_unique_address]] P condition;
  [[no_unique_address]] F f;
  std::source_location where{};
  template <class S>
  constexpr S operator()(const S& state) const {
    builder& b = *builder_of(state);
    const builder::scope here(b, where);
    body_capture test(b);
    const symbol go = condition(test.parameters(state));
    test.record.results.push_back(go.id());
    const int first = test.finish();
    if (!b.failed() && (go.rank() != 0 || go.type() != dtype::boolean))
      b.fail(message{}.put(
          "weft: while_loop: the condition must return one bool, as a comparison of rank 0 is"));
    body_capture step(b);
    const S next = f(step.parameters(state));
    step.returns(next);
    const int second = step.finish();
    const sequence<int> before = ids_of(state);
    if (b.failed() || !check_carry(b, "while_loop", before, ids_of(next))) return state;
    sequence<int> operands = before;
    close_bodies(b, {first, second}, operands);
    const int node =
        next_control(b, id_of<while_>, {{first, second, static_cast<index_t>(before.size())}},
                     operands, {first, second});
    std::size_t at = 0;
    return with_symbols(state, b, results_like(b, node, second, before.size()), at);
  }
};
/// At most N steps, so that its gradient is known: a scan that goes on with what it has once the
/// condition fails.
template <index_t N, class P, class F>
struct bounded_while_of {
  [[no_unique_address]] P condition;
  [[no_unique_address]] F f;
  std::source_location where{};
  template <class S>
  constexpr S operator()(const S& state) const {
    builder& b = *builder_of(state);
    const builder::scope here(b, where);
    const symbol on = make_constant(b, dtype::boolean, 1);
    auto step = [this](symbol, const std::tuple<symbol, S>& now) {
      const auto& [running, s] = now;
      const symbol go = logical_and(running, condition(s));
      return std::tuple<symbol, S>{go, cond_of<F, same>{f, {}, false, where}(go, s)};
    };
    return std::get<1>(fori_of<decltype(step)>{N, step, where}(std::tuple<symbol, S>{on, state}));
  }

 private:
  struct same {
    template <class S>
    constexpr S operator()(const S& s) const {
      return s;
    }
  };
};

template <index_t N>
struct max_steps_tag {};

}  // namespace detail

/// The most steps that a while_loop takes: with a bound it has a gradient.
template <index_t N>
inline constexpr detail::max_steps_tag<N> max_steps{};

/// `then(args...)` where the condition, one bool, is true, else `otherwise(args...)`; only one of
/// them runs. Both return the same structure, dtypes and shapes. Differentiable; no graph break.
/// The functions may use other symbols of the program.
template <class Then, class Else, class... X>
constexpr auto cond(detail::located_symbol condition, Then then, Else otherwise, const X&... args) {
  return detail::cond_of<Then, Else>{then, otherwise, false, condition.where}(condition.value,
                                                                              args...);
}
/// Goes along the first axis of xs: `body(carry, x)` returns `std::tuple{next carry, y}`. The
/// result is `std::tuple{last carry, ys}`, where ys stacks the y along a new first axis. The body
/// is captured once, whatever the number of steps (Bird's mapAccumL). carry, x and y are symbols,
/// or tuples, arrays or structs of them; `std::tuple{}` for none.
template <class F, class C, class X>
  requires(detail::symbolic<F, C, X>)
constexpr auto scan(F body, const C& carry, const X& xs,
                    std::source_location where = std::source_location::current()) {
  return detail::scan_of<F>{body, where}(carry, xs);
}

/// `f` of every slice of xs along the first axis, stacked along a new first axis.
template <class F, class X>
  requires(detail::symbolic<F, X>)
constexpr auto map(F f, const X& xs, std::source_location where = std::source_location::current()) {
  return detail::map_of<F>{f, where}(xs);
}

/// `state = body(i, state)` for i from 0 to n - 1, an int64 of rank 0; the body is captured once.
/// n is a C++ integer, or one integer of the program: then there is no reverse-mode gradient.
template <class F, class S>
  requires(detail::symbolic<F, S>)
constexpr S fori(index_t n, F body, const S& state,
                 std::source_location where = std::source_location::current()) {
  return detail::fori_of<F>{n < 0 ? 0 : n, body, where}(state);
}
template <class F, class S>
constexpr S fori(symbol n, F body, const S& state,
                 std::source_location where = std::source_location::current()) {
  detail::builder& b = n.builder();
  const symbol end = n.as(dtype::int64), zero = detail::make_constant(b, dtype::int64, 0);
  auto go = [end](const std::tuple<symbol, S>& now) { return std::get<0>(now) < end; };
  auto step = [body](const std::tuple<symbol, S>& now) {
    const auto& [i, s] = now;
    return std::tuple<symbol, S>{i + 1, body(i, s)};
  };
  return std::get<1>(detail::while_of<decltype(go), decltype(step)>{
      go, step, where}(std::tuple<symbol, S>{zero, state}));
}

/// `state = body(state)` while `condition(state)`, one bool, is true. Differentiable in forward
/// mode; with `max_steps<N>`, which stops it after N steps, in reverse mode, too.
template <class P, class F, class S>
  requires(detail::symbolic<P, F, S>)
constexpr S while_loop(P condition, F body, const S& state,
                       std::source_location where = std::source_location::current()) {
  return detail::while_of<P, F>{condition, body, where}(state);
}
template <class P, class F, class S, index_t N>
  requires(detail::symbolic<P, F, S>)
constexpr S while_loop(P condition, F body, const S& state, detail::max_steps_tag<N>,
                       std::source_location where = std::source_location::current()) {
  return detail::bounded_while_of<N, P, F>{condition, body, where}(state);
}

}  // namespace weft
