// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <doctest/doctest.h>

#include <weft/grad/transforms.hpp>

#include "../support/gradients.hpp"

// Gradient conventions of derived ops, many of which have rules of their own.
namespace w = weft;
using namespace weft_test;

namespace {

template <class F>
std::string gradient_differs(F f, const reference_value& x,
                             const std::vector<long double>& expected, double relative = 0) {
  return difference(result(w::grad(f), x), expected, {.relative = relative});
}
/// Reverse mode against differences, and the second derivative along v against differences of
/// reverse mode.
template <class F>
std::string rule_differs(F f, std::vector<index_t> shape, double low = -2, double high = 2) {
  const auto loss = [f](auto x) {
    const auto y = f(x);
    return w::sum(y * w::sin(y + 1));
  };
  const auto x = filled(dtype::float64, shape, 3, low, high), v = filled(dtype::float64, shape, 4);
  value_spec s = spec(dtype::float64);
  for (index_t e : shape) s.extent[s.rank++] = e;
  const auto g = capture(s, w::grad(loss));
  if (!g.error.empty()) return std::string(g.error.view());
  const std::string first =
      difference(reference_evaluate(g, {x})[0], reference_gradient(capture(s, loss), {x}),
                 {.relative = 1e-8, .absolute = 1e-10});
  if (!first.empty()) return "first: " + first;
  const auto along = [loss](auto a, auto b) { return w::sum(w::grad(loss)(a) * b); };
  const value_spec two[]{s, s};
  const auto second = reference_evaluate(capture(two, w::grad(along)), {x, v})[0];
  const std::string d = difference(second, reference_gradient(capture(two, along), {x, v}),
                                   {.relative = 1e-7, .absolute = 1e-9});
  return d.empty() ? "" : "second: " + d;
}

}  // namespace

TEST_CASE("gradient: clamp is 1 on the closed interval, 0 outside") {
  const auto f = [](auto x) { return w::sum(w::clamp(x, -1, 2)); };
  CHECK(gradient_differs(f, vector_of({-2, -1, 0, 2, 3}), {0, 1, 1, 1, 0}) == "");
}

TEST_CASE("gradient: norms, spreads") {
  CHECK(gradient_differs([](auto x) { return w::norm(x); }, vector_of({0, 0}), {0, 0}) == "");
  CHECK(gradient_differs([](auto x) { return w::norm(x); }, vector_of({3, 4}), {0.6L, 0.8L},
                         1e-15) == "");
  CHECK(gradient_differs([](auto x) { return w::square(w::norm(x)); }, vector_of({0, 0}), {0, 0}) ==
        "");
  CHECK(gradient_differs([](auto x) { return w::stddev(x); }, vector_of({5, 5, 5}), {0, 0, 0}) ==
        "");
  CHECK(gradient_differs([](auto x) { return w::stddev(x); }, vector_of({0.1, 0.1, 0.1}),
                         {0, 0, 0}) == "");
  CHECK(gradient_differs([](auto x) { return w::var(x); }, vector_of({1, 3}), {-1, 1}) == "");
  CHECK(gradient_differs([](auto x) { return w::var(x, w::ddof<1>); }, vector_of({1}), {qnan}) ==
        "");
}

TEST_CASE("gradient: logsumexp, softplus") {
  const auto f = [](auto x) { return w::logsumexp(x); };
  CHECK(gradient_differs(f, vector_of({-inf, 0}), {0, 1}) == "");
  CHECK(gradient_differs(f, vector_of({-inf, -inf}), {0, 0}) == "");
  CHECK(gradient_differs([](auto x) { return w::sum(w::softplus(x)); }, vector_of({1000, -1000, 0}),
                         {1, 0, 0.5}) == "");
}

TEST_CASE("gradient: cross entropy") {
  const auto f = [](auto x, auto labels) { return w::cross_entropy(x, labels); };
  const auto logits = values(dtype::float32, {1, 2}, {0, -1000});
  const auto label = vector_of({1}, dtype::int32);
  const auto r = results(w::value_and_grad(f), logits, label);
  CHECK(difference(r[0], {1000}) == "");
  CHECK(difference(r[1], {1, -1}) == "");
}

TEST_CASE("gradient: stop_gradient") {
  CHECK(number(w::grad([](auto x) { return x * w::stop_gradient(x); }), 3.0) == 3);
  CHECK(static_cast<double>(
            results(w::jvp([](auto x) { return x * w::stop_gradient(x); }), 3.0, 1.0)[1][0]) == 3);
}

TEST_CASE("gradient: derived ops against differences, first and second order") {
  CHECK(rule_differs([](auto x) { return w::softmax(x); }, {2, 3}) == "");
  CHECK(rule_differs([](auto x) { return w::softmax(x, w::axis<0>); }, {2, 3}) == "");
  CHECK(rule_differs([](auto x) { return w::log_softmax(x); }, {2, 3}) == "");
  CHECK(rule_differs([](auto x) { return w::logsumexp(x, w::axis<1>); }, {2, 3}) == "");
  CHECK(rule_differs([](auto x) { return w::layer_norm(x); }, {2, 4}) == "");
  CHECK(rule_differs([](auto x) { return w::rms_norm(x); }, {2, 4}) == "");
  CHECK(rule_differs([](auto x) { return w::norm(x, w::axis<1>); }, {2, 3}) == "");
  CHECK(rule_differs([](auto x) { return w::var(x, w::axis<0>, w::ddof<1>); }, {3, 2}) == "");
  CHECK(rule_differs([](auto x) { return w::stddev(x, w::axis<1>); }, {2, 3}) == "");
}

TEST_CASE("gradient: derived pointwise ops against differences, first and second order") {
  CHECK(rule_differs([](auto x) { return w::gelu(x); }, {7}, -6, 6) == "");
  CHECK(rule_differs([](auto x) { return w::gelu_tanh(x); }, {7}, -6, 6) == "");
  CHECK(rule_differs([](auto x) { return w::silu(x); }, {7}, -6, 6) == "");
  CHECK(rule_differs([](auto x) { return w::softplus(x); }, {7}, -6, 6) == "");
  CHECK(rule_differs([](auto x) { return w::clamp(x, -1, 1); }, {7}) == "");
  CHECK(rule_differs([](auto x) { return w::mse(x, 2 * w::cos(x)); }, {5}) == "");
}
