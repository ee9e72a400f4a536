// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <doctest/doctest.h>

#include <weft/grad/transforms.hpp>

#include "../support/gradients.hpp"

// Gradients of gradients, forward over reverse, and no confusion between them.
namespace w = weft;
using namespace weft_test;

TEST_CASE("nesting: no perturbation confusion") {
  const auto f = [](auto x) { return x * w::grad([x](auto y) { return x + y; })(x); };
  CHECK(number(w::grad(f), 5.0) == 1);
  CHECK(static_cast<double>(results(w::jvp(f), 5.0, 1.0)[1][0]) == 1);
  const auto g = [](auto x) {
    const auto inner = w::jvp([x](auto y) { return x * y; });
    return std::get<1>(inner(x, x.number(1)));  // d(x y)/dy at y = x, which is x
  };
  CHECK(number(w::grad(g), 5.0) == 1);
  CHECK(static_cast<double>(results(w::jvp(g), 5.0, 1.0)[1][0]) == 1);
  // The inner derivative is of its own argument, though both are the same value.
  const auto h = [](auto x) { return w::grad([x](auto y) { return x * x * y; })(x); };
  CHECK(number(h, 3.0) == 9);
  CHECK(number(w::grad(h), 3.0) == 6);
}

TEST_CASE("nesting: higher derivatives") {
  const auto f = [](auto x) { return w::sin(x) * w::exp(x); };
  const double x = 0.7;
  const auto nth = [&](auto g) { return number(g, x); };
  const double e = std::exp(x);
  CHECK(nth(w::grad(w::grad(f))) == doctest::Approx(2 * std::cos(x) * e));
  CHECK(nth(w::grad(w::grad(w::grad(f)))) == doctest::Approx(2 * e * (std::cos(x) - std::sin(x))));
  CHECK(nth(w::grad(w::grad(w::grad(w::grad(f))))) == doctest::Approx(-4 * std::sin(x) * e));
  CHECK(number(w::grad(w::grad(w::grad([](auto y) { return y * y * y * y; }))), 2.0) == 48);
}

TEST_CASE("nesting: forward over reverse is the product with the Hessian") {
  const auto f = [](auto x) { return w::sum(w::square(w::square(x))) + w::square(w::sum(x)); };
  const auto x = vector_of({1, 2, -1}), v = vector_of({1, 0.5, 2});
  const auto found = results(w::jvp(w::grad(f)), x, v);
  // H = diag(12 x^2) + 2
  CHECK(difference(found[1], {12 + 7, 24 + 7, 24 + 7}) == "");
  const auto reverse_twice = [f](auto a, auto b) {
    return w::grad([f, b](auto c) { return w::sum(w::grad(f)(c) * b); })(a);
  };
  CHECK(difference(result(reverse_twice, x, v), {19, 31, 31}) == "");
  const auto forward_twice = [f](auto a, auto b) {
    const auto slope = [f, b](auto c) { return std::get<1>(w::jvp(f)(c, b)); };
    return w::grad(slope)(a);
  };
  CHECK(difference(result(forward_twice, x, v), {19, 31, 31}) == "");
}

TEST_CASE("nesting: a derivative inside a loss, and values kept beside gradients") {
  const auto f = [](auto x, auto y) {
    const auto [value, g] = w::value_and_grad([y](auto z) { return w::sum(z * z * y); })(x);
    return value + w::sum(g * g);
  };
  const auto x = vector_of({1, 2}), y = vector_of({3, 1});
  const value_spec specs[]{f64({2}), f64({2})};
  for (std::size_t k = 0; k < 2; ++k) {
    const auto expected = reference_gradient(capture(specs, f), {x, y}, k);
    CHECK(difference(results(w::grad<0, 1>(f), x, y)[k], expected, {.relative = 1e-10}) == "");
  }
}

TEST_CASE("nesting: second derivatives of kinks, branches and maxima") {
  CHECK(number(w::grad(w::grad([](auto x) { return w::abs(x) * x; })), -2.0) == -2);
  CHECK(
      number(w::grad(w::grad([](auto x) { return w::where(x > 0, x * x * x, w::exp(-1e6 * x)); })),
             2.0) == 12);
  CHECK(number(w::grad(w::grad([](auto x) { return w::relu(x) * w::relu(x); })), 3.0) == 2);
  const auto f = [](auto x) { return w::square(w::max(x)); };
  const auto h = [f](auto x, auto v) { return std::get<1>(w::jvp(w::grad(f))(x, v)); };
  CHECK(difference(result(h, vector_of({1, 3}), vector_of({5, 1})), {0, 2}) == "");
}
